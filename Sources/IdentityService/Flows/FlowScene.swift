import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// What a step of a flow reads, in one round trip: the user, and where they are wanted the employee, the company, and
/// whether the budget's lifetime is over.
///
/// Where there is nobody, a colleague's streams are read in the same way.
struct FlowScene: Sendable {
    /// The user, as far as ``StateLoader/credentials(of:)`` reads.
    var user: UserSnapshot?
    var employee: EmployeeSnapshot?
    var tenant: TenantSnapshot?
    /// Whether the budget of unknown devices has given all that it gives in the credential's lifetime.
    var hasReachedLifetimeCap: Bool?

    /// Reads it, and the wrapped seeds of the credential or the wrapped key of the user's questions.
    static func load(
        _ parts: ChallengedCredential.Parts, for state: FlowState, _ context: ServiceContext
    ) async throws -> (scene: FlowScene, wrapped: [PostgresRow]) {
        let userId = UserID(state.standIn?.userId ?? state.userId)
        let employeeId = EmployeeID(state.standIn?.employeeId ?? state.employeeId)
        let tenantId = TenantID(state.tenantId)
        let employee = StreamID.employee(employeeId, in: tenantId), tenant = StreamID.tenant(tenantId)
        var streams: [StreamID] = []
        if parts.contains(.employee) { streams.append(employee) }
        if parts.contains(.tenant) { streams.append(tenant) }
        var beside: [SQL] = []
        if parts.contains(.seed) {
            beside.append(
                OPRFSeeds.selection(
                    credentialId: state.standIn?.credentialId ?? state.credentialId,
                    ledger: LedgerID.directory(of: userId).uuid))
        }
        // Never from memory: a colleague's key would nearly always be there, and a person's own nearly never.
        if parts.contains(.questions) {
            beside.append(PersonKeys.selection(of: [userId.uuid], ledger: LedgerID.directory(of: userId).uuid))
        }
        // The budget of unknown devices, whichever device this is: it is what the credentials' owner has to know of.
        let budget = AttemptBudget(state, isKnownDevice: false, ring: context.ring)
        if parts.contains(.lifetime) { beside.append(budget.readingLifetime(context.settings.budgets)) }
        let read = try await context.reader.read(
            StreamsQuery(
                streams, tail: StateLoader.credentials(of: userId),
                foundingOf: parts.contains(.tenant) ? LedgerID(state.tenantId) : nil),
            beside: beside, in: [budget.ledger])

        var scene = FlowScene()
        scene.user = try StateLoader.user(userId, read.streams[.user(userId)] ?? [])
        if parts.contains(.employee) {
            scene.employee = try StateLoader.employee(employeeId, read.streams[employee] ?? [])
        }
        if parts.contains(.tenant) {
            scene.tenant = try StateLoader.tenant(tenantId, read.founding, read.streams[tenant] ?? [])
        }
        if parts.contains(.lifetime) {
            scene.hasReachedLifetimeCap = try AttemptBudget.hasReachedLifetimeCap(read.rows.last ?? [])
        }
        return (scene, parts.isDisjoint(with: [.seed, .questions]) ? [] : read.rows.first ?? [])
    }
}
