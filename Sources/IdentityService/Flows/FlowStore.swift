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
    }

    /// Writes a new flow, and with it the answer that a repeated call gets.
    func insert(_ state: FlowState, answering ticket: IdempotencyTicket?, _ answer: some RepeatableAnswer) async throws
    {
        let sealed = try context.ring.sealFlow(state.json.canonicalBytes(), id: state.id, secret: state.secret)
        let ledger = Self.ledger(of: state.id)
        let expiry = state.expiresAt.postgres
        let insertion: SQL = """
            INSERT INTO tenure.flow (ledger_id, flow_id, version, sealed, expires_at)
            VALUES (\(ledger.uuid), \(state.id), 1, \(sealed), \(expiry))
            """
        guard let ticket else {
            _ = try await context.pool.query(insertion, in: [ledger])
            return
        }
        let completion = ticket.completion(.object(["answer": answer.stored]))
        _ = try await context.pool.pipeline([insertion, completion], in: [ledger, ticket.ledger])
        ticket.markStored()
    }

    /// What ``load(handle:purpose:app:at:opened:)`` reads, for a call that reads it together with other rows; nil for
    /// what is no handle.
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
    ///
    /// - Parameter opened: The rows of ``reading(_:)``, where they were read already.
    func load(
        handle: String, purpose: FlowPurpose, app: AppCaller, at time: Timestamp, opened: [[PostgresRow]]? = nil
    ) async throws -> Row {
        guard let (id, secret) = Self.parts(of: handle) else { throw ServiceError(.flowExpired) }
        let rows: [PostgresRow]
        if let opened = opened?.first {
            rows = opened
        } else {
            rows = try await context.pool.query(Self.selection(id), in: [Self.ledger(of: id)])
        }
        guard let row = rows.first else { throw ServiceError(.flowExpired) }
        let (version, sealed, expiry) = try row.decode(Int32.self, [UInt8].self, PostgresTimestamp.self)
        // A handle with another secret is answered like one that never was.
        guard let clear = try? context.ring.openFlow(sealed, id: id, secret: secret) else {
            throw ServiceError(.flowExpired)
        }
        let state = try FlowState(json: CanonicalJSON.parse(clear))
        guard state.appId == app.appId else { throw ServiceError(.flowExpired) }
        guard state.purpose == purpose else { throw ServiceError(.flowWrongStep) }
        guard state.step != .done else { throw ServiceError(.flowAlreadyUsed) }
        let isOver = time >= state.expiresAt || time.microseconds >= expiry.microsecondsSinceUnixEpoch
        guard !isOver else { throw ServiceError(.flowExpired) }
        return Row(state: state, version: version)
    }

    /// The statement that replaces a row which nobody changed since it was read: it touches and returns one row or none.
    func replacement(_ row: Row) throws -> SQL {
        let state = row.state
        let sealed = try context.ring.sealFlow(state.json.canonicalBytes(), id: state.id, secret: state.secret)
        let ledger = Self.ledger(of: row.state.id).uuid
        return """
            UPDATE tenure.flow SET sealed = \(sealed), version = version + 1
            WHERE ledger_id = \(ledger) AND flow_id = \(row.state.id) AND version = \(row.version)
            RETURNING version
            """
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

    /// Replaces a row; two requests at the same step are not both served.
    func replace(_ row: Row) async throws {
        let statement = try replacement(row)
        let replaced = try await context.pool.query(statement, in: [Self.ledger(of: row.state.id)])
        guard replaced.count == 1 else { throw ServiceError(.flowWrongStep) }
    }
}
