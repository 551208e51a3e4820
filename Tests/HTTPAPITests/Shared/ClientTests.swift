import ErrorCodes
import HummingbirdTesting
import IdentityService
import TenureAPI
import TenureClient
import Testing

@testable import HTTPAPI

/// The client and the server speak to each other over a real socket.
@Suite(.timeLimit(.minutes(5))) struct ClientTests {
    private func with<Value: Sendable>(
        _ service: FakeService, _ work: @Sendable (TenureClient) async throws -> Value
    ) async throws -> Value {
        try await API.with(service, live: true) { api in
            let port = try #require(api.client.port)
            return try await work(
                TenureClient(
                    baseURL: "http://127.0.0.1:\(port)",
                    appCredentials: AppCredentials(appId: "app", secret: FakeService.secret),
                    retries: RetryPolicy(attempts: 1)))
        }
    }

    @Test(arguments: ["Acme", "A/B", "%2F", "ß 🏢", "a?b#c", "+49"])
    func `names reach the service unchanged`(name: String) async throws {
        let service = FakeService()
        let company = try await with(service) { try await $0.company(name, waitFor: 6) }
        #expect(Array(company.companyName.utf8) == Array(name.utf8))
        #expect(company.position == 6)
    }

    @Test func `the client library reads lists, decisions and sessions`() async throws {
        var service = FakeService()
        service.next = 4
        service.sessionRole = "employee"
        try await with(service) { client in
            let page = try await client.employees(of: "Acme", after: 1, limit: 2)
            #expect(page.next == 4)
            #expect(page.items.first?.email == "a@b.example")
            #expect(page.items.first?.employeeId == FakeService.employeeId)
            #expect(try await client.companies(after: 1, limit: 2).items.map(\.tenantId) == [FakeService.appId])
            let found = try await client.employee(id: FakeService.employeeId, of: "Acme")
            #expect(found?.tenantId == FakeService.appId)
            #expect(try await client.employees(email: "a+b@c.example", of: "Acme").count == 1)
            #expect(try await client.events(of: "Acme", type: "T&x", employee: "+1").items.count == 1)
            #expect(try await client.pendingAuthorizations(of: "Acme").items.first?.statement == [7, 8, 9])
            #expect(try await client.policy(of: "Acme", as: .employee(accessToken: FakeService.token)).version == 3)
            #expect(try await client.securityAdmin(of: "Acme").position == 1)
            #expect(try await client.sessions(accessToken: FakeService.token).first?.isCurrent == true)
            #expect(try await client.grants(accessToken: FakeService.token).first?.clientName == "Wiki")
            try await client.endGrant(FakeService.appId, accessToken: FakeService.token)
            #expect(try await client.grants(of: "a/b", at: "Acme").first?.isLasting == true)
            let me = try await client.me(accessToken: FakeService.token)
            #expect(me.tenantId == FakeService.employeeId && me.employeeId == FakeService.employeeId)
            #expect(me.role == "admin" && me.session.role == "employee" && me.app.name == "app")
            #expect(me.notices.map(\.type) == ["recovery.opened"])
            let claims = try #require(try await client.introspect("a+b/c=&d"))
            #expect(claims.subject == FakeService.employeeId && claims.methods == ["pop", "pwd", "mfa"])
            try await client.revoke("a+b/c=&d")
            let token = try await client.resourceToken(
                for: "https://payroll.example/api", accessToken: FakeService.token)
            #expect(token.accessToken == "a.b.c" && token.expiresAt == FakeService.time)
            try await client.endSessions(accessToken: FakeService.token)
            try await client.closeSession(accessToken: FakeService.token)
            #expect(try await client.refreshSession(refreshToken: "r").refreshToken == "cg")
            guard case .done(_, let position) = try await client.approve("7", of: "Acme", as: .app) else {
                Issue.record("not done")
                return
            }
            #expect(position == 9)
        }
        let work = await service.recorder.work
        for name in ["introspectToken", "revokeToken"] {
            #expect(work.first { $0.name == name }?.details["token"] == "a+b/c=&d", "the form keeps the token")
        }
        let approval = work.last
        #expect(approval?.call?.idempotencyKey?.isEmpty == false)
        #expect(approval?.call?.sourceAddress == "127.0.0.1")
    }

    @Test func `a refusal carries its code and request id`() async throws {
        var service = FakeService()
        service.failure = ServiceError(.companyUnknown)
        await #expect {
            try await with(service) { try await $0.company("Acme") }
        } throws: { error in
            let error = error as? TenureClientError
            return error?.code.rawValue == "company.unknown" && error?.problem?.requestId.isEmpty == false
        }
    }
}
