import Canonical
import Credentials
import Crypto
import EventCoding
public import FoundationEssentials
import Identity
public import Keys
import Ledger
public import Postgres

/// The operator's use cases on the command line.
public struct OperatorUseCases: Sendable {
    let context: ServiceContext
    private let signer: OperatorKeySource?

    /// Works on the same components as the service.
    ///
    /// - Parameter signer: Signs decisions; without it no decisions can be made.
    public init(_ context: ServiceContext, signer: OperatorKeySource? = nil) {
        self.context = context
        self.signer = signer
    }

    /// Decides as the operator.
    var signing: DecideAsOperator {
        DecideAsOperator(reader: context.reader, now: context.settings.now, signer: signer)
    }

    /// Reads how the log begins; `nil` if it was not founded.
    ///
    /// - Throws: ``LedgerError``.
    public func beginning() async throws -> LogBeginning? { try await LogBeginning.read(context.reader) }

    /// A secret of an app, shown once.
    public struct IssuedSecret: Sendable, CustomStringConvertible {
        /// The app.
        public let appId: UUID
        /// The secret's id, which revokes it.
        public let secretId: UUID
        /// The secret, 43 characters of unpadded base64url.
        public let secret: String
        /// The app's salt, base64 of 32 bytes.
        public let salt: String
        /// A placeholder that never contains the secret.
        public var description: String { "[redacted]" }
    }

    /// An app in a list.
    public struct AppView: Sendable {
        /// The app.
        public let appId: UUID
        /// The name that the operator gave.
        public let name: String
        /// The secrets in force, each with its roles.
        public let secrets: [(secretId: UUID, roles: [String])]
        /// The URIs of the app's resources, sorted.
        public let resources: [String]
    }

    /// Returns the erasure of people on the same components.
    ///
    /// - Parameters:
    ///   - reader: Connections of the reader role, to the primary.
    ///   - masters: The master keys that the service was started with.
    ///   - list: The erase list; `nil` for none.
    public func erasure(reader: PostgresPool, masters: MasterKeyStore, list: ErasureList?) -> Erasure {
        Erasure(context, reader: reader, masters: masters, list: list, signer: signer)
    }

    func append(
        _ payloads: [any EventPayload], to stream: StreamID, version: Int, claims: [Claim] = [],
        guards: [StreamID: Int] = [:], effects: [SQL] = [], effectLedgers: Set<LedgerID> = [],
        mayFollowHead: Bool = false
    ) async throws {
        guard !payloads.isEmpty else { return }
        let events = try payloads.map {
            try EventCodec.encode($0, id: UUID(), stream: stream, keys: [:], metadata: EventMetadata())
        }
        var append = Append(
            events: events, expectations: guards.merging([stream: version]) { _, own in own }, claims: claims,
            time: context.settings.now(), effectLedgers: effectLedgers, effects: { _ in effects })
        append.mayFollowHead = mayFollowHead
        _ = try await context.appender.append(append)
    }
}

extension OperatorUseCases {
    /// Confirms that a tenant controls the domain that is its name; does nothing if it is confirmed.
    ///
    /// - Throws: ``ServiceError`` or ``OperatorKeyError``.
    public func confirmDomain(company: String) async throws {
        try await decide(company) { name, decision in .confirmDomain(name, decision) }
    }

    /// Links an app to a tenant, or unlinks it.
    ///
    /// - Throws: ``ServiceError`` or ``OperatorKeyError``.
    public func linkApp(
        _ appId: UUID, to company: String, linked: Bool = true, roles: Set<CallerRole> = CallerRole.usual
    ) async throws {
        guard try await StateLoader(reader: context.reader).app(AppID(appId)).state.id != nil else {
            throw ServiceError(.appUnknown)
        }
        guard let set = RoleSet(roles.map(\.appRole)) else {
            throw ServiceError(.requestInvalid, members: [.init(pointer: "/roles", detail: "name at least one role")])
        }
        try await decide(company) { _, decision in
            linked ? .linkApp(AppID(appId), roles: set, decision) : .unlinkApp(AppID(appId), decision)
        }
    }

    /// Lists the apps from their events; the operator's list is short.
    ///
    /// - Throws: ``LedgerError``.
    public func apps() async throws -> [AppView] {
        var apps: [AppID] = []
        var after: Int64 = 0
        while true {
            let page = try await context.reader.ledger(.system, after: after, limit: 500, types: [AppRegistered.type])
            apps += page.events.map { AppID($0.stream.id) }
            after = page.cursor
            guard page.hasMore else { break }
        }
        var views: [AppView] = []
        for id in apps {
            let state = try await StateLoader(reader: context.reader).app(id).state
            let secrets = state.secrets.values.filter(\.isInForce).sorted {
                $0.issued.position < $1.issued.position
            }
            views.append(
                AppView(
                    appId: id.uuid, name: state.name ?? "",
                    secrets: secrets.map { ($0.id.uuid, $0.roles.names) }, resources: state.resources.sorted()))
        }
        return views
    }

    private func decide(
        _ company: String, _ command: (CompanyName, AuthorityDecision) -> Tenant.Command
    ) async throws {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        try await optimistic {
            let id = TenantID(context.ring.tenantID(companyName: name.canonical))
            let tenant = try await StateLoader(reader: context.reader).tenant(id)
            guard tenant.exists else { throw ServiceError(.companyUnknown) }
            let events = try await signing.decide(on: .tenant(id)) { decision in
                try decided { () throws(Tenant.Rejection) in
                    try Tenant.decide(tenant.state, command(name, decision))
                }
            }
            try await append(events.map(\.payload), to: .tenant(id), version: tenant.version)
        }
    }
}

extension OperatorUseCases {
    /// Makes an employee the security admin of a tenant whose present one is lost.
    ///
    /// - Parameter fingerprints: The device keys that are to carry the role, compared with their owner; `nil` for all
    ///   vouched keys.
    /// - Throws: `company.unknown`, `employee.unknown`, or `employee.inactive` for an employee who is not active.
    ///   `authorization.unknown_key` if no device key can carry the role: name one in `fingerprints`.
    public func succeedSecurityAdmin(
        of company: String, by companyEmployeeId: String, fingerprints: [String]? = nil
    ) async throws {
        let named = try fingerprints.map { texts in
            let keys = texts.compactMap { KeyFingerprint(hex: $0.filter { !$0.isWhitespace }.lowercased()) }
            guard keys.count == texts.count else { throw ServiceError(.authorizationUnknownKey) }
            return Set(keys)
        }
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        try await optimistic {
            let id = TenantID(context.ring.tenantID(companyName: name.canonical))
            let tenant = try await StateLoader(reader: context.reader).tenant(id)
            guard tenant.exists else { throw ServiceError(.companyUnknown) }
            let employee = try await context.employee(companyEmployeeId, in: id)
            guard let target = Tenant.RoleTarget(employee.state, namedKeys: named) else {
                throw ServiceError(.employeeUnknown)
            }
            let now = context.settings.now()
            let events = try await signing.decide(on: .tenant(id)) { decision in
                try decided { () throws(Tenant.Rejection) in
                    try Tenant.decide(
                        tenant.state, .succeedSecurityAdmin(target, loggedInAt: nil, at: now, decision))
                }
            }
            try await append(
                events.map(\.payload), to: .tenant(id), version: tenant.version,
                effects: tenant.sessionEffects(of: events))
        }
    }
}
