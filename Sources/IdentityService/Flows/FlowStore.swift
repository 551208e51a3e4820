import Canonical
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// The rows of flows on their way.
struct FlowStore: Sendable {
    let context: ServiceContext

    /// The ledger a flow's row lies under: the directory of the first byte of its random id.
    static func ledger(of id: UUID) -> LedgerID { .directory(id.bytes[0]) }

    /// The opaque handle of a flow: its id, and a secret without which nobody opens the row.
    static func handle(of state: FlowState) -> String { Base64URL.encode(state.id.bytes + state.secret) }

    /// A row as it was read.
    struct Row: Sendable {
        var state: FlowState
        var version: Int32
        var expiresAt: Timestamp
        /// The end of the sealed bytes: two rows of one version that are not the same one differ in it.
        var seal: [UInt8]
    }

    /// The last 16 bytes of a sealed row, its authentication tag.
    static func seal(_ sealed: [UInt8]) -> [UInt8] { Array(sealed.suffix(16)) }

    /// Writes a new flow, and with it the answer that a repeated call gets.
    ///
    /// Nothing waits for the disk: a flow that a crash of the database loses is begun again, and whatever of it is charged or
    /// recorded waits, and makes it durable too.
    @discardableResult
    func insert(
        _ state: FlowState, answering ticket: IdempotencyTicket?, _ answer: some RepeatableAnswer
    ) async throws -> Row {
        let sealed = try context.ring.sealFlow(state.json.canonicalBytes(), id: state.id, secret: state.secret)
        let inserted = Row(state: state, version: 1, expiresAt: state.expiresAt, seal: Self.seal(sealed))
        let ledger = Self.ledger(of: state.id)
        let expiry = state.expiresAt.postgres
        let insertion: SQL = """
            INSERT INTO tenure.flow (ledger_id, flow_id, version, sealed, expires_at)
            VALUES (\(ledger.uuid), \(state.id), 1, \(sealed), \(expiry))
            """
        guard let ticket else {
            _ = try await context.pool.pipeline([insertion], in: [ledger], waits: false)
            return inserted
        }
        let completion = ticket.completion(.object(["answer": answer.stored]))
        _ = try await context.pool.pipeline([insertion, completion], in: [ledger, ticket.ledger], waits: false)
        ticket.markStored()
        return inserted
    }

    /// What reads a flow's row; nil for what is no handle.
    static func reading(_ handle: String) -> OpeningReads? {
        guard let id = parts(of: handle)?.id else { return nil }
        return OpeningReads(ledgers: [ledger(of: id)], statements: [selection(id)])
    }

    private static func parts(of handle: String) -> (id: UUID, secret: [UInt8])? {
        guard let bytes = Base64URL.decode(handle), bytes.count == 16 + FlowState.secretLength,
            let id = UUID(bytes: Array(bytes.prefix(16)))
        else { return nil }
        return (id, Array(bytes.dropFirst(16)))
    }

    private static func selection(_ id: UUID) -> SQL {
        """
        SELECT version, sealed, expires_at FROM tenure.flow
        WHERE ledger_id = \(ledger(of: id).uuid) AND flow_id = \(id)
        """
    }

    /// Reads a flow and checks that the caller may continue it.
    ///
    /// A handle of another app is answered like one that never was.
    func load(handle: String, purpose: FlowPurpose, app: AppCaller, at time: Timestamp) async throws -> Row {
        guard let id = Self.parts(of: handle)?.id else { throw ServiceError(.flowExpired) }
        let rows = try await context.pool.query(Self.selection(id), in: [Self.ledger(of: id)])
        let row = try opened(rows, handle) { _, _ in nil }
        return try permitted(row, purpose, app, at: time)
    }

    /// The same for a step whose opening may have been read with the call's `Idempotency-Key`.
    func step(
        _ opening: FlowOpening, purpose: FlowPurpose, app: AppCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> FlowStep {
        guard let reads = opening.reads else { throw ServiceError(.flowExpired) }
        let rows: [[PostgresRow]]
        if let opened = ticket?.opened {
            rows = opened
        } else {
            rows = try await context.pool.pipeline(reads.statements, in: reads.ledgers)
        }
        let row = try opened(rows.first ?? [], opening.handle, opening.state)
        return FlowStep(
            row: try permitted(row, purpose, app, at: call.time), known: try opening.scene(row, rows))
    }

    /// The row under a handle: as it is remembered, or opened.
    private func opened(
        _ rows: [PostgresRow], _ handle: String, _ remembered: (_ version: Int32, _ seal: [UInt8]) -> FlowState?
    ) throws -> Row {
        guard let (id, secret) = Self.parts(of: handle), let row = rows.first else {
            throw ServiceError(.flowExpired)
        }
        let (version, sealed, expiry) = try row.decode(Int32.self, [UInt8].self, PostgresTimestamp.self)
        let limit = Timestamp(microseconds: expiry.microsecondsSinceUnixEpoch), seal = Self.seal(sealed)
        if let state = remembered(version, seal) {
            return Row(state: state, version: version, expiresAt: limit, seal: seal)
        }
        // A handle with another secret is answered like one that never was.
        guard let clear = try? context.ring.openFlow(sealed, id: id, secret: secret) else {
            throw ServiceError(.flowExpired)
        }
        let state = try FlowState(json: CanonicalJSON.parse(clear))
        return Row(state: state, version: version, expiresAt: limit, seal: seal)
    }

    private func permitted(
        _ row: Row, _ purpose: FlowPurpose, _ app: AppCaller, at time: Timestamp
    ) throws(ServiceError) -> Row {
        guard row.state.appId == app.appId else { throw ServiceError(.flowExpired) }
        guard row.state.purpose == purpose else { throw ServiceError(.flowWrongStep) }
        guard row.state.step != .done else { throw ServiceError(.flowAlreadyUsed) }
        guard time < row.state.expiresAt, time < row.expiresAt else { throw ServiceError(.flowExpired) }
        return row
    }

    /// The replacement of a row which nobody changed since it was read.
    struct Replacement {
        /// It touches and returns one row, or none where another request changed it.
        let statement: SQL
        /// The row afterwards.
        let row: Row

        /// The statement for a transaction of several that go together with its commit: it fails with a division by zero
        /// where another request changed the row.
        var required: SQL { "WITH replaced AS (\(statement)) SELECT 1 / count(*)::integer FROM replaced" }
    }

    /// Makes the replacement of a row by one with this state.
    func replacement(_ row: Row) throws -> Replacement {
        let state = row.state
        let sealed = try context.ring.sealFlow(state.json.canonicalBytes(), id: state.id, secret: state.secret)
        return Replacement(
            statement: """
                UPDATE tenure.flow SET sealed = \(sealed), version = version + 1
                WHERE ledger_id = \(Self.ledger(of: state.id).uuid) AND flow_id = \(state.id)
                    AND version = \(row.version)
                RETURNING version
                """,
            row: Row(state: state, version: row.version + 1, expiresAt: row.expiresAt, seal: Self.seal(sealed)))
    }

    /// The statement that ends a flow, whatever another request wrote into its row meanwhile: the append that runs it is
    /// the flow's one terminal outcome.
    func ending(_ state: FlowState) throws -> SQL {
        let clear = state.finished.json.canonicalBytes()
        let sealed = try context.ring.sealFlow(clear, id: state.id, secret: state.secret)
        return """
            UPDATE tenure.flow SET sealed = \(sealed), version = version + 1
            WHERE ledger_id = \(Self.ledger(of: state.id).uuid) AND flow_id = \(state.id)
            """
    }

    /// Replaces a row, and returns it as it is now; two requests at the same step are not both served.
    @discardableResult
    func replace(_ row: Row, waits: Bool = true) async throws -> Row {
        let replacement = try self.replacement(row)
        let replaced = try await context.pool.pipeline(
            [replacement.statement], in: [Self.ledger(of: row.state.id)], waits: waits)
        guard replaced.first?.count == 1 else { throw ServiceError(.flowWrongStep) }
        return replacement.row
    }
}
