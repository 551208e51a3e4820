import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

@Suite struct `M-Pin and accounts` {
    /// A device with a session and an authorized key, and a user.
    private func scene(
        _ state: MPinUser.State
    ) async throws -> (device: MPinDevice, user: MPinUser, session: EmployeeSession) {
        let service = try FakeMPinService(verifiesAtOnce: state != .startedRegistration)
        let device = try await MPinDevice(service)
        let account = device.tenure.account(companyName: "acme.example", companyEmployeeId: "7")
        let key = try await device.tenure.keyStore.makeKey(of: account)
        await service.present(key.publicKey)
        let tokens = SessionTokens(
            accessToken: "access", expiresAt: Timestamp.now().adding(.seconds(600)), refreshToken: "refresh")
        try await device.tenure.sessions.keeper(of: account).begin(tokens)
        return (device, try await device.user(state), EmployeeSession(client: device.tenure, account: account))
    }

    @Test(arguments: [
        (MPinUser.State.startedRegistration, MPinUser.State.activated), (.activated, .activated),
    ])
    func `a link is signed with the device key and verifies the identity`(
        before: MPinUser.State, after: MPinUser.State
    ) async throws {
        let (device, user, session) = try await scene(before)
        #expect(await device.client.link(user, session: session).status == .ok)
        #expect(user.getState() == after && user.employee?.companyEmployeeId == "7")
        let signed = try #require(await device.service.signed.first)
        let statement = try MPinStatement(parsing: signed.statement, expecting: .mpinLink)
        _ = try statement.verify(proof: signed.signature)
        let request = try #require(await device.service.sent.last)
        #expect(request.headers["Authorization"] == "Bearer access")
        let identity = try #require(user.identityId).uuidString.lowercased()
        #expect(request.url.hasSuffix("/v1/companies/acme.example/mpin/identities/\(identity)/link"))
        let token = try await device.record()?.regOTT
        for sent in await device.service.sent where sent.url.hasSuffix("/link") {
            #expect(try MPinLinkRequest(bytes: sent.body ?? []).regOTT == token)
        }
    }

    @Test func `a registered user is linked no more`() async throws {
        let (device, user, session) = try await scene(.registered)
        #expect(await device.client.link(user, session: session).status == .flowError)
        #expect(await device.service.signed.isEmpty)
        #expect(await device.service.sent.allSatisfy { !$0.url.hasSuffix("/link") })
    }

    @Test func `nothing else is ever signed`() async throws {
        let changes: [@Sendable (inout MPinStatement) -> Void] = [
            { $0.subject[0] ^= 1 }, { $0.identity = UUID() }, { $0.employee = UUID() },
            { $0.context.tenant = UUID() },
            { $0.context.expires = Timestamp.now().adding(.seconds(3_600)) },
            {
                $0.action = .revoke; $0.employee = nil
            },
            {
                $0.action = .verify; $0.employee = nil
            },
            {
                $0.action = .activate; $0.employee = nil; $0.identity = nil
            },
        ]
        for change in changes {
            let (device, user, session) = try await scene(.startedRegistration)
            await device.service.change { statement in
                var statement = statement
                change(&statement)
                return statement
            }
            #expect(await device.client.link(user, session: session).status == .cryptoError)
            #expect(await device.service.signed.isEmpty)
            #expect(user.getState() == .startedRegistration)
        }
        let (device, user, session) = try await scene(.startedRegistration)
        let stranger = try EmployeeKey(privateBytes: .init(repeating: 9, count: 32))
        await device.service.present(stranger.publicKey)
        #expect(await device.client.link(user, session: session).status == .cryptoError)
        #expect(await device.service.signed.isEmpty)
    }

    @Test(arguments: [
        ("authorization.not_permitted", 403, MPinStatus.Code.identityNotAuthorized),
        ("mpin.ended", 410, .revoked), ("mpin.disabled", 403, .identityNotAuthorized),
        ("session.invalid", 401, .identityNotAuthorized), ("request.rate_limited", 429, .httpRequestError),
    ])
    func `a refused link has its status`(problem: String, http: Int, expected: MPinStatus.Code) async throws {
        let (device, user, session) = try await scene(.startedRegistration)
        let reply = FakeMPinService.Reply.response(FakeMPinService.problem(problem, http))
        await device.service.answer(.link, reply, reply)
        #expect(await device.client.link(user, session: session).status == expected)
        #expect(user.getState() == (problem == "mpin.ended" ? .blocked : .startedRegistration))
    }

    @Test func `the PIN takes the place of answers in a log-in`() async throws {
        let (device, user, session) = try await scene(.registered)
        await device.service.answer(.logIn, FakeMPinService.success)
        let (status, outcome) = await device.client.logIn(
            user, pin: "2741", companyName: "acme.example", companyEmployeeId: "7")
        #expect(status.status == .ok)
        guard case .success(let admission) = outcome else {
            Issue.record("no session: \(status)")
            return
        }
        #expect(admission.session.account == session.account)
        let sent = await device.service.sent
        #expect(
            sent.suffix(5).map { $0.url.split(separator: "/").last } == ["logins", "key", "pass1", "pass2", "mpin"])
        var body = try ObjectReader(try StrictJSON.parse(sent.last?.body ?? []))
        #expect(try body.string("authOTT").isEmpty == false)
        try body.finish()
    }

    @Test func `a log-in signs the challenge of its own flow only, and tells the verdict`() async throws {
        let (device, user, _) = try await scene(.registered)
        let wrong = await device.client.logIn(
            user, pin: "2741", companyName: "acme.example", companyEmployeeId: "7")
        #expect(wrong.status.status == .incorrectPIN && wrong.outcome == nil)
        await device.service.challengeAnotherFlow()
        let before = await device.service.sent.count
        let hostile = await device.client.logIn(
            user, pin: "2741", companyName: "acme.example", companyEmployeeId: "7")
        #expect(hostile.status.status == .cryptoError)
        #expect(await device.service.sent.count == before + 1, "a start, then nothing")
    }

    @Test func `a log-in that the service ends blocks the user`() async throws {
        let (device, user, _) = try await scene(.registered)
        await device.service.answer(.logIn, .response(FakeMPinService.problem("mpin.blocked", 410)))
        let (status, outcome) = await device.client.logIn(
            user, pin: "1111", companyName: "acme.example", companyEmployeeId: "7")
        #expect(status.status == .incorrectPIN && outcome == nil && user.getState() == .blocked)
    }
}
