package import Canonical
import EventCoding
package import FoundationEssentials
import Identity
import Ledger
import Postgres
import TenureAPI

/// What a client may learn about a person, as the person sees it: a consent, lasting grants, or both.
package struct ConsentView: Sendable, Equatable {
    package let clientID: UUID
    /// Its name, as the operator gave it.
    package let clientName: String
    /// The scopes of the consent and of the grants.
    package let scopes: [String]
    /// When the person consented last; `nil` for a client that asked nobody.
    package let givenAt: Timestamp?
    /// When the last of the grants ends that outlive their sessions; `nil` without one.
    package let lastsUntil: Timestamp?

    package init(
        clientID: UUID, clientName: String, scopes: [String], givenAt: Timestamp?, lastsUntil: Timestamp? = nil
    ) {
        self.clientID = clientID
        self.clientName = clientName
        self.scopes = scopes
        self.givenAt = givenAt
        self.lastsUntil = lastsUntil
    }
}

/// Lists what clients may learn about the person of a browser session.
package struct ListConsents: UseCase {
    package let browser: BrowserSession

    package init(browser: BrowserSession) { self.browser = browser }

    /// Lists the clients with a consent in force or a lasting grant, by name, unless their app ended. The streams say
    /// both.
    package func run(_ run: UseCaseRun<[ConsentView]>) async throws -> [ConsentView] {
        let context = run.context, loader = StateLoader(reader: context.reader)
        let tenant = TenantID(browser.tenantID), employee = EmployeeID(browser.employeeID)
        let state = try await loader.tenant(tenant).state
        let lasting = try await context.openGrants(of: employee, in: tenant, at: run.call.time).filter(\.isLasting)
        // Nobody consents to a client that the tenant never linked.
        let clients = Set(state.linkedApps).union(state.unlinkedAt.keys)
        let streams = try await context.reader.streams(clients.map { .consent(employee, to: $0, in: tenant) })
        var views: [ConsentView] = []
        for client in clients {
            let events = streams[.consent(employee, to: client, in: tenant)] ?? []
            let consent = Consent.fold(try events.map { try EventCodec.decode($0) })
            let grants = lasting.filter { $0.clientId == client.uuid }
            guard consent.scopes != nil || !grants.isEmpty else { continue }
            // An ended app has no name, and its consents and grants count nothing.
            guard let name = try await loader.app(client).state.name else { continue }
            let scopes = Set(grants.flatMap(\.scopes)).union(consent.scopes?.names ?? [])
            views.append(
                ConsentView(
                    clientID: client.uuid, clientName: name,
                    scopes: OpenIDScope.known(in: scopes.joined(separator: " ")).names, givenAt: consent.givenAt,
                    lastsUntil: grants.map(\.expiresAt).max()))
        }
        return views.sorted { ($0.clientName, $0.clientID.lowercased) < ($1.clientName, $1.clientID.lowercased) }
    }
}

/// Withdraws a consent of the person of a browser session, and ends the client's grants.
package struct WithdrawConsent: UseCase {
    package let browser: BrowserSession
    package let client: UUID

    package init(browser: BrowserSession, client: UUID) {
        self.browser = browser
        self.client = client
    }

    /// Withdraws the consent. Without one it ends the grants that the client has. A code that was issued before opens
    /// none any more.
    package func run(_ run: UseCaseRun<Void>) async throws {
        try await optimistic {
            while try await endNext(run.call, run.context) == Self.batch {}
        }
    }

    /// The largest number of grants that one append ends.
    private static let batch = 100

    /// Withdraws the consent if there is one, and ends a batch of grants. Returns the number of grants.
    private func endNext(_ call: Call, _ context: ServiceContext) async throws -> Int {
        let employee = EmployeeID(browser.employeeID), tenant = TenantID(browser.tenantID), app = AppID(client)
        let (state, version) = try await context.consent(of: employee, to: app, in: tenant)
        let found = try await EndGrant.rows(of: employee, in: tenant, client: client, context)
        let grants = try await EndGrant(context: context).forgettingEnded(found, in: tenant)
        let events = try Consent.decided(state, .withdraw(employee, app, hasGrants: !grants.isEmpty))
        guard !events.isEmpty || !grants.isEmpty else { return found.count }
        var recorder = EventRecorder(
            context, at: call.time,
            metadata: EventMetadata(actor: employee.uuid, app: client, requestId: call.requestId))
        try recorder.add(events, to: .consent(employee, to: app, in: tenant), version: version)
        try EndGrant.add(grants, in: tenant, .consentWithdrawn, to: &recorder)
        recorder.statements.append(
            """
            DELETE FROM tenure.authorization_code
            WHERE ledger_id = \(tenant.uuid) AND employee_id = \(employee.uuid) AND client_id = \(client)
            """)
        try await recorder.append()
        return found.count
    }
}
