import Canonical
import Credentials
import Crypto
import Foundation
import TenureAPI

@testable import TenureClient

/// Links and log-ins.
extension FakeMPinService {
    private static let summary = EmployeeSummaryResponse(
        employeeId: employee, tenantId: tenant, companyName: "acme.example", companyEmployeeId: "7", status: "active",
        role: "employee")

    func me() -> WireResponse {
        WireResponse(
            status: 200,
            body: MeResponse(
                tenantId: Self.tenant, employeeId: Self.employee, companyName: "acme.example", companyEmployeeId: "7",
                status: "active", role: "employee",
                session: .init(
                    sessionId: UUID(), fingerprint: "f", role: "employee", createdAt: .now(), expiresAt: .now()),
                app: .init(appId: UUID(), name: "app")
            ).bytes)
    }

    func link(_ request: WireRequest) throws -> WireResponse {
        let body = try MPinLinkRequest(bytes: request.body ?? [])
        guard let (id, identity) = identities.first(where: { request.url.contains(Self.lowercased($0.value.id)) }),
            body.regOTT == Self.regOTT(id)
        else { return Self.problem("mpin.unknown", 400) }
        guard !identity.isRegistered, let presented else { return Self.problem("mpin.wrong_state", 409) }
        if let signature = body.signed {
            signed.append(signature)
            return WireResponse(status: 200, body: DecisionResponse.done(Self.summary, position: 4).bytes)
        }
        let context = StatementContext(
            tenant: Self.tenant, signer: try StatementKey(bytes: presented.key.bytes),
            authority: .init(repeating: 1, count: 32), ledgerSize: 9, ledgerRoot: .init(repeating: 2, count: 32),
            expires: Timestamp.now().adding(.seconds(900)), nonce: .init(repeating: 3, count: 32))
        let usual = MPinStatement(
            context: context, action: .link, subject: Array(SHA256.hash(data: Hex.decode(id) ?? [])),
            identity: identity.id, employee: Self.employee, reason: "linked")
        return WireResponse(
            status: 200, body: DecisionResponse.signatureRequired(statement: statement(usual).bytes).bytes)
    }

    private static func lowercased(_ id: UUID) -> String { id.uuidString.lowercased() }

    /// The key that signs statements in links.
    func present(_ key: EmployeePublicKey) { presented = (key, UUID(), "acme.example", "7") }

    func flow(_ request: WireRequest) throws -> WireResponse {
        if request.url.hasSuffix("/v1/logins") {
            let login = try LoginRequest(bytes: request.body ?? [])
            let key = try EmployeePublicKey(bytes: login.employeePublicKey), flow = UUID()
            presented = (key, flow, login.companyName, login.companyEmployeeId)
            let started = FlowStartedResponse(
                flow: Base64URL.encode(flow.bytes), challenge: try challenge(challengedFlow ?? flow, nil),
                subjectSalt: .init(repeating: 8, count: 32), expiresAt: .now())
            return WireResponse(status: 201, body: started.bytes)
        }
        guard request.url.hasSuffix("/key"), let presented else { return WireResponse(status: 404) }
        let next = try challenge(presented.flow, UUID())
        return WireResponse(
            status: 200,
            body: FlowOutcomeResponse.validateAnswers(challenge: next, questions: FakeService.questions).bytes)
    }

    private func challenge(_ flow: UUID, _ credential: UUID?) throws -> [UInt8] {
        guard let presented else { throw StubTransport.Lost() }
        return try Challenge(
            .init(
                issuer: "tenure", purpose: .login, flow: flow, nonce: (0..<32).map { _ in UInt8.random(in: 0...255) },
                tenant: Self.tenant,
                subject: try Commitment.subject(
                    salt: .init(repeating: 8, count: 32), companyName: presented.company,
                    companyEmployeeId: presented.employee),
                app: "app", employeeKey: presented.key, credential: credential,
                expires: Timestamp.now().adding(.seconds(60)))
        ).bytes
    }

    /// The success of a log-in.
    static var success: Reply {
        let tokens = SessionResponse(
            accessToken: "access", expiresAt: Timestamp.now().adding(.seconds(600)), refreshToken: "refresh")
        return .response(
            WireResponse(status: 200, body: FlowOutcomeResponse.success(tokens, summary, position: 4).bytes))
    }
}
