import Canonical
import Credentials
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
package import Keys
import Ledger
package import Postgres
package import TenureAPI
import Text

/// The operator's use cases on the command line.
package struct OperatorUseCases: Sendable {
    let context: ServiceContext
    private let signer: OperatorKeySource?

    /// Works on the same components as the service.
    ///
    /// - Parameter signer: Signs decisions; without it no decisions can be made.
    package init(_ context: ServiceContext, signer: OperatorKeySource? = nil) {
        self.context = context
        self.signer = signer
    }

    var signing: DecideAsOperator {
        DecideAsOperator(reader: context.reader, now: context.settings.now, signer: signer)
    }

    /// Reads how the log begins; `nil` if it was not founded.
    ///
    /// - Throws: ``LedgerError``.
    package func beginning() async throws -> LogBeginning? { try await LogBeginning.read(context.reader) }

    /// A secret of an app, shown once.
    package struct IssuedSecret: Sendable, RedactedDescription {
        package let appId: UUID
        /// The secret's id, which revokes it.
        package let secretId: UUID
        /// The secret, 43 characters of unpadded base64url.
        package let secret: String
        /// The app's salt, base64 of 32 bytes.
        package let salt: String
    }

    /// An app in a list.
    package struct AppView: Sendable {
        package let appId: UUID
        /// The name that the operator gave.
        package let name: String
        /// The secrets in force, each with its roles.
        package let secrets: [(secretId: UUID, roles: [String])]
        /// The URIs of the app's resources, sorted.
        package let resources: [String]
        /// What is registered about the app as a client of the OpenID provider; `nil` if it is none.
        package let client: ClientView?
        /// Whether the pages for browsers act as the app.
        package let isPagesApp: Bool
    }

    /// Returns the erasure of people on the same components.
    ///
    /// - Parameters:
    ///   - reader: Connections of the reader role, to the primary.
    ///   - masters: The master keys that the service was started with.
    ///   - list: The erase list; `nil` for none.
    package func erasure(reader: PostgresPool, masters: MasterKeyStore, list: ErasureList?) -> Erasure {
        Erasure(context, reader: reader, masters: masters, list: list, signer: signer)
    }

    func append(
        _ payloads: [any EventPayload], to stream: StreamID, version: Int, claims: [Claim] = [],
        releases: [ClaimRelease] = [], guards: [StreamID: Int] = [:], effects: [SQL] = [],
        effectLedgers: Set<LedgerID> = [],
        mayFollowHead: Bool = false
    ) async throws {
        guard !payloads.isEmpty else { return }
        var recorder = EventRecorder(context, at: context.settings.now())
        for payload in payloads { try recorder.add(payload, to: stream, version: version) }
        recorder.expectations.merge(guards) { own, _ in own }
        recorder.claims = claims
        recorder.releases = releases
        recorder.statements = effects
        recorder.ledgers = effectLedgers
        recorder.mayFollowHead = mayFollowHead
        try await recorder.append()
    }
}

extension OperatorUseCases {
    /// Confirms that a tenant controls the domain that is its name as entered here; does nothing if it is confirmed.
    ///
    /// - Returns: The domain in A-labels.
    /// - Throws: ``ServiceError`` or ``OperatorKeyError``. `request.invalid` for a name that is no internet domain.
    @discardableResult
    package func confirmDomain(company: String) async throws -> String {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        guard let domain = name.domainName else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/companyName", detail: "the name is no name of an internet domain")])
        }
        try await decide(company) { _, name in ({ .confirmDomain(name, $0) }, { _ in }) }
        return domain.ascii
    }

    /// Links an app to a tenant.
    ///
    /// - Parameter roles: The roles of the link; `nil` keeps those of an existing link, and gives a new one ACCESS,
    ///   CREATION and AUTHORIZATION.
    /// - Returns: The roles that the link has now, and whether anything changed.
    /// - Throws: ``ServiceError`` or ``OperatorKeyError``.
    @discardableResult
    package func linkApp(
        _ appId: UUID, to company: String, roles: Set<AppLinkRequest.Role>? = nil
    ) async throws -> (roles: Set<AppLinkRequest.Role>, changed: Bool) {
        try await requireApp(appId)
        let app = AppID(appId)
        let named = try roles.map { roles throws(ServiceError) in
            guard let set = RoleSet(roles.map(\.appRole)) else {
                throw ServiceError(
                    .requestInvalid, members: [.init(pointer: "/roles", detail: "name at least one role")])
            }
            return set
        }
        return try await decide(company) { tenant, _ in
            let roles = named ?? tenant.links[app] ?? .usual
            return (
                { .linkApp(app, roles: roles, $0) },
                { events in (roles: Set(roles.roles.map(AppLinkRequest.Role.init)), changed: !events.isEmpty) }
            )
        }
    }

    /// Unlinks an app from a tenant.
    ///
    /// - Returns: Whether the app was linked.
    /// - Throws: ``ServiceError`` or ``OperatorKeyError``.
    @discardableResult
    package func unlinkApp(_ appId: UUID, from company: String) async throws -> Bool {
        try await requireApp(appId, orEnded: true)
        return try await decide(company) { _, _ in ({ .unlinkApp(AppID(appId), $0) }, { !$0.isEmpty }) }
    }

    private func requireApp(_ id: UUID, orEnded: Bool = false) async throws {
        let state = try await StateLoader(reader: context.reader).app(AppID(id)).state
        guard state.id != nil || (orEnded && state.isEnded) else { throw ServiceError(.appUnknown) }
    }

    /// Lists the apps from their events; the operator's list is short.
    ///
    /// - Throws: ``LedgerError``.
    package func apps() async throws -> [AppView] {
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
            guard !state.isEnded else { continue }
            let secrets = state.secrets.values.filter(\.isInForce).sorted {
                $0.issued.position < $1.issued.position
            }
            views.append(
                AppView(
                    appId: id.uuid, name: state.name ?? "",
                    secrets: secrets.map { ($0.id.uuid, $0.roles.names) }, resources: state.resources.sorted(),
                    client: state.client.map(ClientView.init), isPagesApp: state.isPagesApp))
        }
        return views
    }

    /// Decides about a tenant.
    ///
    /// - Parameter plan: Returns the command and what to tell of its events, from the state that the decision is made
    ///   on. It runs again if the tenant changes meanwhile.
    private func decide<Answer>(
        _ company: String,
        _ plan: (Tenant.State, CompanyName) -> (
            command: (AuthorityDecision) -> Tenant.Command, answer: ([TenantEvent]) -> Answer
        )
    ) async throws -> Answer {
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        return try await optimistic {
            let id = TenantID(context.ring.tenantID(companyName: name.canonical))
            let tenant = try await StateLoader(reader: context.reader).tenant(id)
            guard tenant.exists else { throw ServiceError(.companyUnknown) }
            let (command, answer) = plan(tenant.state, name)
            let events = try await signing.decide(on: .tenant(id)) { decision in
                try Tenant.decided(tenant.state, command(decision))
            }
            try await append(events.map(\.payload), to: .tenant(id), version: tenant.version)
            return answer(events)
        }
    }
}

extension OperatorUseCases {
    /// Makes an employee the security admin of a tenant whose present one is lost, or names the present one with a new
    /// device key.
    ///
    /// A named key of the present security admin may be pending: the same statement puts it in force. It ends all their
    /// sessions, and the keys that are not named lose the role.
    ///
    /// - Parameter fingerprints: The device keys that are to carry the role, compared with their owner; `nil` for all
    ///   vouched keys.
    /// - Throws: `company.unknown`, `employee.unknown`, or `employee.inactive` for an employee who is not active.
    ///   `authorization.unknown_key` if no device key can carry the role: name one in `fingerprints`.
    ///   ``DecisionWithoutEffect`` if the employee is the security admin already, with these device keys.
    package func succeedSecurityAdmin(
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
            guard let target = Tenant.RoleTarget(employee.state, namedKeys: named, in: tenant.state) else {
                throw ServiceError(.employeeUnknown)
            }
            let now = context.settings.now()
            let events = try await signing.decide(on: .tenant(id)) { decision in
                try Tenant.decided(tenant.state, .succeedSecurityAdmin(target, loggedInAt: nil, at: now, decision))
            }
            guard !events.isEmpty else { throw DecisionWithoutEffect() }
            try await append(events, tenant, employee, at: now)
        }
    }

    /// Appends a succession. If the employee has the role already, the keys that it names are put in force by the same
    /// statement.
    private func append(
        _ events: [TenantEvent], _ tenant: TenantSnapshot, _ employee: EmployeeSnapshot, at time: Timestamp
    ) async throws {
        let stream = StreamID.employee(employee.id, in: tenant.id)
        var recorder = EventRecorder(context, at: time)
        recorder.expectations[stream] = employee.version
        recorder.statements = try await context.sessionEffects(of: events, in: tenant)
        try recorder.add(events, to: .tenant(tenant.id), version: tenant.version)
        if tenant.state.securityAdmin == employee.id {
            for case .securityAdminSucceeded(let event) in events {
                guard case .operator(let signed?) = event.by else { throw OperatorKeyError(.missing) }
                let decision = AuthorityDecision(caller: .operator(signed.key), statement: signed)
                let back = Employee.BringBack(
                    fingerprints: Set(event.fingerprints), decision: decision, time: time)
                try recorder.add(
                    Employee.decided(employee.state, .bringBack(back)), to: stream, version: employee.version)
            }
            recorder.statements.append(NewSession.deletion(employee: employee.id, tenant: tenant.id))
        }
        try await recorder.append()
    }
}

/// The refusal of an operator's decision that would change nothing.
package struct DecisionWithoutEffect: Error, Sendable, Hashable, CustomStringConvertible {
    package var description: String {
        "the succession changes nothing: the employee is the security admin already, with these device keys"
    }
}
