import Canonical
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

@Suite struct PasskeyLoginTests {
    private let answer = PasskeyAnswer(
        credentialId: [1, 0xFF], authenticatorData: [2], clientDataJSON: Array("{}".utf8), signature: [4],
        userHandle: [5])

    private func logIn(_ outcome: FlowOutcomeResponse) async throws -> (login: PasskeyLogin, sent: [WireRequest]) {
        let transport = StubTransport([StubTransport.json(outcome)])
        let login = try await TenureClient(transport).logIn(passkey: answer, challenge: [7, 8])
        let sent = await transport.sent
        return (login, sent)
    }

    @Test func `the bytes reach the service, and the session is that of the account that the passkey names`()
        async throws
    {
        let tokens = SessionResponse(
            accessToken: "a", expiresAt: Timestamp.now().adding(.seconds(600)), refreshToken: "r")
        let employee = EmployeeSummaryResponse(
            employeeId: UUID(), tenantId: UUID(), companyName: "A", companyEmployeeId: "7", status: "active",
            role: "employee")
        let (login, sent) = try await logIn(.success(tokens, employee, position: 4))
        guard case .success(let admission) = login else {
            Issue.record("\(login)")
            return
        }
        #expect(admission.companyEmployeeId == "7" && admission.session.account.companyName == "A")
        #expect(sent.first?.url.hasSuffix("/v1/logins/passkey") == true)
        let body = try #require(sent.first?.body)
        #expect(try PasskeyLoginRequest(bytes: body) == PasskeyLoginRequest(challenge: [7, 8], answer: answer))
        #expect(String(decoding: body, as: UTF8.self).contains(#""credentialId":"Af8""#))
    }

    @Test func `a passkey that waits has a fingerprint, and no other step follows`() async throws {
        let waits = FlowOutcomeResponse.authorizationPending(employeePublicKey: [4], fingerprint: "ab", position: nil)
        guard case .authorizationPending("ab") = try await logIn(waits).login else {
            Issue.record("it does not wait")
            return
        }
        #expect(
            await code { _ = try await logIn(.validateAnswers(challenge: [1], questions: [])) }
                == "client.response_invalid")
    }

    @Test func `a further passkey is sent with the session's authority`() async throws {
        let device = DeviceResponse(
            fingerprint: "ab", employeePublicKey: [4], state: "pending", isCurrent: false,
            presentedAt: Timestamp(microseconds: 0), authorizedAt: nil, endedAt: nil, lastUsedAt: nil,
            authorizedBy: nil)
        let transport = StubTransport([StubTransport.json(device)])
        let session = try await RoleScene().session(transport)
        let creation = NewPasskey(authenticatorData: [9], clientDataJSON: [123, 125])
        #expect(try await session.addPasskey(creation, answer: answer, challenge: [7]) == device)
        let sent = await transport.sent
        #expect(sent.first?.headers["Authorization"] == "Bearer a")
        let body = try #require(sent.first?.body)
        #expect(try PasskeyRequest(bytes: body).creation == creation)
    }
}
