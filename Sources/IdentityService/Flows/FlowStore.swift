import Canonical
import ErrorCodes
import FoundationEssentials
import Keys
import Ledger
import Postgres

/// The rows of flows in progress.
struct FlowStore: Sendable {
    let context: ServiceContext

    /// The ledger of a flow's row: the directory of the first byte of its random id.
    static func ledger(of id: UUID) -> LedgerID { .directory(id.bytes[0]) }

    /// The opaque handle of a flow: its id, and a secret without which the row cannot be decrypted.
    static func handle(of state: FlowState) -> String { Base64URL.encode(state.id.bytes + state.secret) }

    /// A row as it was read.
    struct Row: Sendable {
        var state: FlowState
        var version: Int32
        var expiresAt: Timestamp
    }

    /// Inserts a new flow together with the reply for a repeated call.
    ///
    /// The insert does not wait for the disk. If a database crash loses the flow, the client begins again. Everything
    /// the flow charges or records waits for the disk, and makes the row durable too.
    func insert<Answer>(
        _ state: FlowState, answering ticket: IdempotencyTicket<Answer>?, _ answer: Answer
    ) async throws {
        let sealed = try context.ring.sealFlow(state, id: state.id, secret: state.secret)
        let ledger = Self.ledger(of: state.id)
        let expiry = state.expiresAt.postgres
        let insertion: SQL = """
            INSERT INTO tenure.flow (ledger_id, flow_id, version, sealed, expires_at)
            VALUES (\(ledger.uuid), \(state.id), 1, \(sealed), \(expiry))
            """
        guard let ticket else {
            _ = try await context.pool.pipeline([insertion], in: [ledger], waits: false)
            return
        }
        let completion = ticket.completion(.success(answer))
        _ = try await context.pool.pipeline([insertion, completion], in: [ledger, ticket.ledger], waits: false)
        ticket.markStored()
    }

    /// The query for a flow's row, or `nil` if the handle is malformed.
    static func reading(_ handle: String) -> PipelinedReads? { parts(of: handle).map { read(of: $0.id).reads } }

    private static func read(of id: UUID) -> (reads: PipelinedReads, place: PipelinedReads.Handle) {
        var reads = PipelinedReads(in: [ledger(of: id)])
        let place = reads.add(selection(id))
        return (reads, place)
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
    /// A handle of another app gets the same error as an unknown one.
    ///
    /// - Parameter rows: The rows of ``reading(_:)``, if they were read together with the call's `Idempotency-Key`.
    /// - Throws: `flow.expired` for an unknown, foreign or expired handle, `flow.wrong_step` for a handle of another
    ///   kind of flow, or `flow.already_used`.
    func load(
        handle: String, purpose: FlowKind, app: AppCaller, at time: Timestamp, _ rows: PipelinedRows? = nil
    ) async throws -> Row {
        guard let (id, secret) = Self.parts(of: handle) else { throw ServiceError(.flowExpired) }
        let (reads, place) = Self.read(of: id)
        let found: PipelinedRows
        if let rows { found = rows } else { found = try await context.pool.pipeline(reads) }
        guard let row = try found.of(place).first else { throw ServiceError(.flowExpired) }
        let read = try opened(row, id: id, secret: secret)
        return try permitted(read, purpose, app, at: time)
    }

    /// Reads a flow that had its one terminal outcome.
    ///
    /// - Throws: `flow.expired` for an unknown, foreign or expired handle, or `flow.wrong_step` for a flow that goes on
    ///   or is of another kind.
    func loadEnded(handle: String, purpose: FlowKind, app: AppCaller, at time: Timestamp) async throws -> FlowState {
        guard let (id, secret) = Self.parts(of: handle) else { throw ServiceError(.flowExpired) }
        let (reads, place) = Self.read(of: id)
        guard let found = try await context.pool.pipeline(reads).of(place).first else {
            throw ServiceError(.flowExpired)
        }
        let row = try opened(found, id: id, secret: secret)
        guard row.state.appId == app.appId, time < row.expiresAt else { throw ServiceError(.flowExpired) }
        guard row.state.purpose.kind == purpose, row.state.step == .done else { throw ServiceError(.flowWrongStep) }
        return row.state
    }

    private func opened(_ row: PostgresRow, id: UUID, secret: [UInt8]) throws -> Row {
        let (version, sealed, expiry) = try row.decode(Int32.self, [UInt8].self, PostgresTimestamp.self)
        // A handle with another secret, or to a row of another form, gets the same error as an unknown one.
        guard let state: FlowState = context.ring.openFlow(sealed, id: id, secret: secret) else {
            throw ServiceError(.flowExpired)
        }
        let limit = Timestamp(microseconds: expiry.microsecondsSinceUnixEpoch)
        return Row(state: state, version: version, expiresAt: limit)
    }

    private func permitted(
        _ row: Row, _ purpose: FlowKind, _ app: AppCaller, at time: Timestamp
    ) throws(ServiceError) -> Row {
        guard row.state.appId == app.appId else { throw ServiceError(.flowExpired) }
        guard row.state.purpose.kind == purpose else { throw ServiceError(.flowWrongStep) }
        guard row.state.step != .done else { throw ServiceError(.flowAlreadyUsed) }
        guard time < row.state.expiresAt, time < row.expiresAt else { throw ServiceError(.flowExpired) }
        return row
    }

    /// The replacement of a row, which fails if another request changed the row since it was read.
    struct Replacement {
        /// Updates and returns one row, or none if another request changed it.
        let statement: SQL
        /// The row afterwards.
        let row: Row

        /// The statement for a transaction of several statements that are sent with its commit. It fails with
        /// ``SQLState/requirementFailed`` if another request changed the row.
        var required: SQL { "WITH replaced AS (\(statement)) SELECT tenure.require(count(*) = 1) FROM replaced" }
    }

    /// Prepares the replacement of a row by one with this state.
    func replacement(_ row: Row) throws -> Replacement {
        let state = row.state
        let sealed = try context.ring.sealFlow(state, id: state.id, secret: state.secret)
        return Replacement(
            statement: """
                UPDATE tenure.flow SET sealed = \(sealed), version = version + 1
                WHERE ledger_id = \(Self.ledger(of: state.id).uuid) AND flow_id = \(state.id)
                    AND version = \(row.version)
                RETURNING version
                """,
            row: Row(state: state, version: row.version + 1, expiresAt: row.expiresAt))
    }

    /// The statement that ends a flow, whatever another request wrote into its row meanwhile. The append that runs it
    /// is the flow's one terminal outcome.
    func ending(_ state: FlowState) throws -> SQL {
        let sealed = try context.ring.sealFlow(state.finished, id: state.id, secret: state.secret)
        return """
            UPDATE tenure.flow SET sealed = \(sealed), version = version + 1
            WHERE ledger_id = \(Self.ledger(of: state.id).uuid) AND flow_id = \(state.id)
            """
    }

    /// Replaces a row. Of two requests at the same step only one succeeds.
    ///
    /// - Throws: `flow.wrong_step` if another request took the step.
    func replace(_ row: Row, waits: Bool = true) async throws {
        let replaced = try await context.pool.pipeline(
            [try replacement(row).statement], in: [Self.ledger(of: row.state.id)], waits: waits)
        guard replaced.first?.count == 1 else { throw ServiceError(.flowWrongStep) }
    }
}

extension FlowStore {
    /// Replaces a row and stores the step's reply or refusal, both or neither. A step whose reply was lost can then be
    /// repeated although the flow has moved on.
    ///
    /// - Parameter waits: Whether the step must be on disk before it is answered. A step that charges nothing and can
    ///   be repeated need not be: a database crash puts the flow back before it.
    /// - Throws: `flow.wrong_step` if another request took the step.
    func replace<Answer>(
        _ row: Row, answering ticket: IdempotencyTicket<Answer>?, _ outcome: Result<Answer, ServiceError>,
        waits: Bool = true
    ) async throws {
        guard let ticket else { return try await replace(row, waits: waits) }
        // One statement, and so one round trip.
        let replaced = try await context.pool.pipeline(
            [ticket.completion(outcome, after: try replacement(row).statement)],
            in: [Self.ledger(of: row.state.id), ticket.ledger], waits: waits)
        guard replaced.first?.count == 1 else { throw ServiceError(.flowWrongStep) }
        ticket.markStored()
    }
}
