import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The statements that read a ``FlowScene``, for who sends them alone or together with others.
///
/// Of a stream that is remembered only the head is read. Where there is nobody, a colleague's streams are read in the same way.
struct FlowSceneReading: Sendable {
    let statements: [SQL]
    /// The ledgers whose rows are read: all computed by the service from the flow's state.
    let ledgers: Set<LedgerID>
    private let parts: ChallengedCredential.Parts
    private let user: UserID
    private let tenant: TenantID
    private let remembered: FlowScene
    private let heads: StreamHeadsQuery?
    private let streams: StreamsQuery?
    private let device: DeviceReading?

    /// What a step of a flow needs.
    ///
    /// - Parameter remembered: What may be right still.
    init(
        _ parts: ChallengedCredential.Parts, for state: FlowState, remembered: FlowScene = FlowScene(),
        _ context: ServiceContext
    ) {
        self.parts = parts
        user = UserID(state.standIn?.userId ?? state.userId)
        tenant = TenantID(state.tenantId)
        self.remembered = remembered.limited(to: parts)
        (streams, heads) = Self.streams(user, tenant, parts, self.remembered)
        device = parts.contains(.device) ? DeviceReading(state) : nil
        let directory = LedgerID.directory(of: user)
        var statements = [heads?.sql, streams?.sql, device?.query.sql].compactMap(\.self)
        if parts.contains(.seed) {
            let credential = state.standIn?.credentialId ?? state.credentialId
            statements.append(OPRFSeeds.selection(credentialId: credential, ledger: directory.uuid))
        }
        // Never from memory: a colleague's key would nearly always be there, and a person's own nearly never.
        if parts.contains(.questions) {
            statements.append(PersonKeys.selection(of: [user.uuid], ledger: directory.uuid))
        }
        if parts.contains(.lifetime) {
            // The budget of unknown devices, whichever device this is: it is what the credentials' owner has to know of.
            let budget = AttemptBudget(state, isKnownDevice: false, ring: context.ring)
            statements.append(budget.readingLifetime(context.settings.budgets))
        }
        self.statements = statements
        ledgers = Set([.directory(of: UserID(state.userId)), directory, LedgerID(state.tenantId)])
    }

    /// The streams that are to be read, and those of which the head is enough.
    private static func streams(
        _ user: UserID, _ tenant: TenantID, _ parts: ChallengedCredential.Parts, _ remembered: FlowScene
    ) -> (fresh: StreamsQuery?, known: StreamHeadsQuery?) {
        var known: [StreamID] = []
        if remembered.user != nil { known.append(.user(user)) }
        let isTenantFresh = parts.contains(.tenant) && remembered.tenant == nil
        if parts.contains(.tenant), !isTenantFresh { known.append(.tenant(tenant)) }
        let heads = known.isEmpty ? nil : StreamHeadsQuery(known)
        if !isTenantFresh, remembered.user != nil { return (nil, heads) }
        let query = StreamsQuery(
            isTenantFresh ? [.tenant(tenant)] : [],
            tail: remembered.user == nil ? StateLoader.credentials(of: user) : nil,
            foundingOf: isTenantFresh ? LedgerID(tenant.uuid) : nil)
        return (query, heads)
    }

    /// Reads the rows of ``statements``: the scene, and the wrapped seeds of the credential or the wrapped key of the user's
    /// questions. Nil when something is newer than what was remembered.
    func read(_ rows: [[PostgresRow]]) throws -> (scene: FlowScene, wrapped: [PostgresRow])? {
        var rest = rows[...]
        if let heads {
            guard try heads.read(rest.popFirst() ?? []) == remembered.heads(in: tenant) else { return nil }
        }
        var scene = remembered
        if let streams {
            let read = try streams.read(rest.popFirst() ?? [])
            if scene.user == nil { scene.user = try StateLoader.user(user, read.streams[.user(user)] ?? []) }
            if parts.contains(.tenant), scene.tenant == nil {
                scene.tenant = try StateLoader.tenant(tenant, read.founding, read.streams[.tenant(tenant)] ?? [])
            }
        }
        if let device { scene.isKeyInForce = try device.read(rest.popFirst() ?? []) }
        var wrapped: [PostgresRow] = []
        if !parts.isDisjoint(with: [.seed, .questions]) { wrapped = rest.popFirst() ?? [] }
        if parts.contains(.lifetime) {
            scene.hasReachedLifetimeCap = try AttemptBudget.hasReachedLifetimeCap(rest.popFirst() ?? [])
        }
        return (scene, wrapped)
    }
}
