import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The state that a flow's step reads about its employee.
struct FlowScene: Sendable {
    /// The user, as far as ``StateLoader/credentials(of:_:)`` reads.
    var user: UserSnapshot
    /// The tenant, if the step asked for it.
    var tenant: TenantSnapshot?
    /// Whether the flow's device key is in force for the employee, if the step asked for it.
    var isKeyInForce: Bool?
    /// Whether unknown devices have reached the lifetime cap of the credentials, if the step asked for it.
    var hasReachedLifetimeCap: Bool?
    /// The row with the credential's wrapped seeds, or with the wrapped key of the user's questions.
    var wrapped: [PostgresRow] = []

    /// The parts that a step needs besides context and copies. All are read together. No step needs both seed and
    /// questions.
    struct Parts: OptionSet {
        let rawValue: Int
        static let seed = Parts(rawValue: 1)
        static let questions = Parts(rawValue: 2)
        /// Whether the flow's device key is in force for the employee.
        static let device = Parts(rawValue: 4)
        static let tenant = Parts(rawValue: 8)
        /// Whether the lifetime cap of the budget is reached.
        static let lifetime = Parts(rawValue: 16)

        /// The parts that the key step shows.
        static let keyStep: Parts = [.questions, .tenant]
        /// The parts that the key step shows of a flow. A log-in by an address knows no tenant.
        static func keyStep(of state: FlowState) -> Parts { state.address == nil ? .keyStep : .questions }

        /// The parts that an evaluation needs.
        static let evaluation: Parts = [.seed, .device]
        /// The parts that a proof in blind mode needs to complete a log-in.
        static let proof: Parts = [.tenant, .lifetime]
        /// The parts that direct mode needs to open a copy and complete a log-in.
        static let validation: Parts = [.seed, .device, .tenant, .lifetime]
    }

    /// Reads the state that a step needs in one round trip.
    static func load(
        _ parts: Parts, for state: FlowState, _ context: ServiceContext
    ) async throws -> FlowScene {
        let reading = FlowSceneReading(parts, for: state, context)
        return try reading.read(try await context.pool.pipeline(reading.reads))
    }
}

/// The statements that read a ``FlowScene``. For a decoy they read a colleague's streams in the same way.
struct FlowSceneReading: Sendable {
    let reads: PipelinedReads
    private let user: UserID
    private let tenant: TenantID?
    private let streams: (query: StreamsQuery, place: PipelinedReads.Handle)
    private let rows: RowAuthentication
    private let codes: EventCodes
    private let device: (reading: DeviceReading, place: PipelinedReads.Handle)?
    private let wrapped: PipelinedReads.Handle?
    private let lifetime: PipelinedReads.Handle?

    /// The statements for a step that needs `parts`, which contain the seed or the questions, never both.
    init(_ parts: FlowScene.Parts, for state: FlowState, _ context: ServiceContext) {
        let user = UserID(state.account?.standIn?.userId ?? state.userId), directory = LedgerID.directory(of: user)
        let tenant: TenantID? = parts.contains(.tenant) ? TenantID(state.tenantId) : nil
        // The service computes all these ledgers from the flow's state.
        var reads = PipelinedReads(in: [.directory(of: UserID(state.userId)), directory, LedgerID(state.tenantId)])
        let streams = StreamsQuery(
            tenant.map { [StreamID.tenant($0)] } ?? [], tail: StateLoader.credentials(of: user, context.reader.codes),
            foundingOf: tenant.map { LedgerID($0.uuid) })
        self.streams = (query: streams, place: reads.add(streams.sql))
        if parts.contains(.device) {
            let device = DeviceReading(state)
            self.device = (reading: device, place: reads.add(device.sql))
        } else {
            device = nil
        }
        if parts.contains(.seed) {
            let credential = state.account?.standIn?.credentialId ?? state.credentialId
            wrapped = reads.add(OPRFSeeds.selection(credentialId: credential, ledger: directory.uuid))
        } else if parts.contains(.questions) {
            // Never from the cache: a colleague's key would nearly always be cached, and a person's own nearly never.
            wrapped = reads.add(PersonKeys.selection(of: [user.uuid], ledger: directory.uuid))
        } else {
            wrapped = nil
        }
        if parts.contains(.lifetime) {
            // Always the budget of unknown devices, whichever device this is: the owner of the credentials must learn
            // of its cap.
            let budget = AttemptBudget(state, isKnownDevice: false, ring: context.ring)
            lifetime = reads.add(budget.readingLifetime(context.settings.budgets))
        } else {
            lifetime = nil
        }
        self.user = user
        self.tenant = tenant
        self.reads = reads
        rows = context.rows
        codes = context.reader.codes
    }

    /// Reads the rows that ``reads`` return.
    func read(_ found: PipelinedRows) throws -> FlowScene {
        let read = try streams.query.read(found.of(streams.place), codes)
        var scene = FlowScene(user: try StateLoader.user(user, read.streams[.user(user)] ?? []))
        if let tenant {
            scene.tenant = try StateLoader.tenant(tenant, read.founding, read.streams[.tenant(tenant)] ?? [])
        }
        if let device { scene.isKeyInForce = try device.reading.read(found.of(device.place), rows) }
        if let wrapped { scene.wrapped = try found.of(wrapped) }
        if let lifetime {
            scene.hasReachedLifetimeCap = try AttemptBudget.hasReachedLifetimeCap(found.of(lifetime))
        }
        return scene
    }
}

/// The colleague whose streams and keys are read for a decoy, and discarded, so that a decoy takes the same time.
///
/// It is the tenant's security admin.
struct StandIn: FlatObject, MemberValue, Equatable {
    var employeeId: UUID
    var userId: UUID
    var credentialId: UUID

    static let members = MemberTable<StandIn, Void>(
        "StandIn", StandIn.init,
        Member("employeeId", \.employeeId), Member("userId", \.userId), Member("credentialId", \.credentialId))
}

/// Finds out whether a flow's key is in force for its employee.
///
/// The look-up costs the same however many devices the employee has. For a decoy it finds nothing, whichever device
/// asks.
struct DeviceReading: Sendable {
    let sql: SQL

    init(_ state: FlowState) {
        let employee = EmployeeID(state.employeeId), tenant = TenantID(state.tenantId)
        sql = KnownDevice(state.employeePublicKey, of: employee, in: tenant).query
    }

    /// Reads the rows of ``sql``, and returns whether the key is in force. A claim that the service did not write makes
    /// no device known.
    func read(_ found: [PostgresRow], _ rows: RowAuthentication) throws -> Bool {
        try found.contains { rows.accepts(try ClaimsQuery.claim($0)) }
    }
}
