package import Canonical
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
import Ledger
import Postgres

/// A consent in force, as its owner sees it.
package struct ConsentView: Sendable, Equatable {
    /// The client.
    package let clientID: UUID
    /// Its name, as the operator gave it.
    package let clientName: String
    /// The scopes that were consented to.
    package let scopes: [String]
    /// When the person consented last.
    package let givenAt: Timestamp
}

/// Lists the consents of the person of a browser session.
package struct ListConsents: UseCase {
    /// The browser session.
    package let browser: BrowserSession

    /// Each parameter sets the property of the same name.
    package init(browser: BrowserSession) { self.browser = browser }

    /// Lists the consents, the newest first, two hundred at most.
    package func run(_ run: UseCaseRun<[ConsentView]>) async throws -> [ConsentView] {
        let context = run.context
        let rows = try await context.pool.query(
            """
            SELECT client_id, scopes, given_at FROM tenure.consent
            WHERE ledger_id = \(browser.tenantID) AND employee_id = \(browser.employeeID)
            ORDER BY given_at DESC, client_id LIMIT 200
            """, in: [LedgerID(browser.tenantID)])
        let loader = StateLoader(reader: context.reader)
        var views: [ConsentView] = []
        for row in rows {
            let (client, scopes, given) = try row.decode(UUID.self, String.self, PostgresTimestamp.self)
            views.append(
                ConsentView(
                    clientID: client, clientName: try await loader.app(AppID(client)).state.name ?? "",
                    scopes: OpenIDScope.known(in: scopes).names,
                    givenAt: Timestamp(microseconds: given.microsecondsSinceUnixEpoch)))
        }
        return views
    }
}

/// Withdraws a consent of the person of a browser session, and ends the client's grants.
package struct WithdrawConsent: UseCase {
    /// The browser session.
    package let browser: BrowserSession
    /// The client.
    package let client: UUID

    /// Each parameter sets the property of the same name.
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
        let events = try Consent.decided(state, .withdraw(employee, app))
        let grants = try await grants(context)
        guard !events.isEmpty || !grants.isEmpty else { return 0 }
        var recorder = EventRecorder(
            context, at: call.time,
            metadata: EventMetadata(actor: employee.uuid, app: client, requestId: call.requestId))
        try recorder.add(events, to: .consent(employee, to: app, in: tenant), version: version)
        try EndGrant.add(grants, in: tenant, .consentWithdrawn, to: &recorder)
        for table in ["consent", "authorization_code"] {
            recorder.statements.append(
                """
                DELETE FROM tenure.\(identifier: table)
                WHERE ledger_id = \(tenant.uuid) AND employee_id = \(employee.uuid) AND client_id = \(client)
                """)
        }
        try await recorder.append()
        return grants.count
    }

    private func grants(_ context: ServiceContext) async throws -> [UUID] {
        try await context.pool.query(
            """
            SELECT grant_id FROM tenure.client_grant
            WHERE ledger_id = \(browser.tenantID) AND employee_id = \(browser.employeeID) AND client_id = \(client)
            LIMIT \(Int64(Self.batch))
            """, in: [LedgerID(browser.tenantID)]
        ).map { try $0.decode(UUID.self) }
    }
}
