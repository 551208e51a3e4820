import Credentials
import Identity
import Ledger
import Postgres

/// What a step of a flow knows of its people: the user, and where they are wanted the company, whether the flow's key is in
/// force for the employee, and whether the budget's lifetime is over.
struct FlowScene: Sendable {
    /// The user, as far as ``StateLoader/credentials(of:)`` reads.
    var user: UserSnapshot?
    var tenant: TenantSnapshot?
    /// Whether the flow's key is in force for the employee.
    var isKeyInForce: Bool?
    /// Whether the budget of unknown devices has given all that it gives in the credential's lifetime.
    var hasReachedLifetimeCap: Bool?
    /// The credential of nobody that the flow has beside a real one, where it was made before.
    var decoy: Decoy?

    /// Reads it in one round trip, and the wrapped seeds of the credential or the wrapped key of the user's questions.
    static func load(
        _ parts: ChallengedCredential.Parts, for state: FlowState, _ context: ServiceContext
    ) async throws -> (scene: FlowScene, wrapped: [PostgresRow]) {
        let reading = FlowSceneReading(parts, for: state, context)
        let rows = try await context.pool.pipeline(reading.statements, in: reading.ledgers)
        guard let read = try reading.read(rows) else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
        return read
    }

    /// The user, who is always needed, and what `parts` ask for of what can be remembered.
    func limited(to parts: ChallengedCredential.Parts) -> FlowScene {
        FlowScene(user: user, tenant: parts.contains(.tenant) ? tenant : nil, decoy: decoy)
    }

    /// The last events of its streams.
    func heads(in tenantId: TenantID) -> [StreamID: StreamHead] {
        var heads: [StreamID: StreamHead] = [:]
        if let user { heads[.user(user.id)] = user.head }
        if let tenant { heads[.tenant(tenantId)] = tenant.head }
        return heads
    }
}
