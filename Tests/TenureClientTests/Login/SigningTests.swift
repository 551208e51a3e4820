import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

@Suite struct SigningTests {
    private static let flow = UUID()
    private static let salt = [UInt8](repeating: 6, count: 32)

    private func challenge(
        key: EmployeePublicKey, purpose: Challenge.Purpose = .login, flow: UUID = SigningTests.flow,
        app: String = "app", company: String = "A", employee: String = "7"
    ) throws -> Challenge {
        try Challenge(
            .init(
                issuer: "https://id.example", purpose: purpose, flow: flow, nonce: Array(repeating: 7, count: 32),
                tenant: UUID(),
                subject: .subject(salt: Self.salt, companyName: company, companyEmployeeId: employee), app: app,
                employeeKey: key, credential: nil, expires: Timestamp.now().adding(.seconds(60))))
    }

    private func started(_ bytes: [UInt8], flow: UUID = SigningTests.flow) -> StubTransport.Step {
        StubTransport.json(
            FlowStartedResponse(
                flow: Base64URL.encode(flow.bytes), challenge: bytes, subjectSalt: Self.salt, expiresAt: .now()),
            status: 201)
    }

    @Test func `the client signs its own challenge, and the signature verifies`() async throws {
        let key = try EmployeeKey.generate()
        let challenge = try challenge(key: key.publicKey)
        let pending = FlowOutcomeResponse.validateAnswers(challenge: [1], questions: [])
        let transport = StubTransport([started(challenge.bytes), StubTransport.json(pending)])
        let client = TenureClient(transport)
        let flow = try await client.startLogin(company: "A", employee: "7", key: key)
        #expect(try await client.proveKey(flow, key: key) == pending)
        let sent = await transport.sent
        #expect(sent[1].url.hasSuffix("/v1/logins/\(flow.handle)/key"))
        let body = try #require(sent[1].body)
        let proof = try KeyProofRequest(bytes: body).keyProof
        _ = try KeyProof.verify(proof, over: challenge.bytes, by: key.publicKey)
    }

    @Test(arguments: [
        "purpose", "flow", "app", "key", "company", "employee", "statement", "nonsense", "empty",
    ])
    func `no other challenge is signed`(difference: String) async throws {
        let key = try EmployeeKey.generate()
        let bytes: [UInt8] =
            switch difference {
            case "purpose": try challenge(key: key.publicKey, purpose: .registration).bytes
            case "flow": try challenge(key: key.publicKey, flow: UUID()).bytes
            case "app": try challenge(key: key.publicKey, app: "other").bytes
            case "key": try challenge(key: try EmployeeKey.generate().publicKey).bytes
            case "company": try challenge(key: key.publicKey, company: "B").bytes
            case "employee": try challenge(key: key.publicKey, employee: "8").bytes
            case "statement": Array("tenure/v1/key-authorization\n{}".utf8)
            case "nonsense": Array("please sign this".utf8)
            default: []
            }
        let transport = StubTransport([started(bytes)])
        let client = TenureClient(transport)
        let flow = try await client.startLogin(company: "A", employee: "7", key: key)
        await #expect {
            try await client.proveKey(flow, key: key)
        } throws: {
            ($0 as? TenureClientError)?.code == .signingRefused
        }
        #expect(await transport.sent.count == 1)
    }

    private func statement(
        _ action: KeyStatement.Action, key: EmployeePublicKey, signer: EmployeePublicKey, reason: String = "known"
    ) throws -> [UInt8] {
        let hash = [UInt8](repeating: 1, count: 32)
        let statement = KeyStatement(
            context: StatementContext(
                tenant: UUID(), signer: try StatementKey(bytes: signer.bytes), authority: hash, ledgerSize: 3,
                ledgerRoot: hash, expires: Timestamp.now().adding(.seconds(60)), nonce: hash),
            action: action, employee: UUID(), userKeyHash: hash, employeeKey: key, reason: reason,
            presentedHash: hash, policyHash: nil)
        return statement.bytes
    }

    @Test func `an admin's statement about exactly the key is signed`() async throws {
        let admin = try EmployeeKey.generate()
        let key = try EmployeeKey.generate().publicKey
        let bytes = try statement(.authorize, key: key, signer: admin.publicKey)
        let done = DecisionResponse.done(nil, position: 3)
        let transport = StubTransport([
            StubTransport.json(DecisionResponse.signatureRequired(statement: bytes)), StubTransport.json(done),
        ])
        let result = try await TenureClient(transport).decide(
            .authorize, key: key, employee: "7", of: "A", as: .employee(accessToken: "t"), signer: admin)
        #expect(result == done)
        let sent = await transport.sent
        let body = try #require(sent[1].body)
        let signed = try #require(try DecisionRequest(bytes: body).signed)
        #expect(signed.statement == bytes)
        _ = try KeyStatement(parsing: bytes, expecting: .keyAuthorization).verify(proof: signed.signature)
    }

    @Test(arguments: ["action", "key", "signer", "reason", "nonsense"])
    func `a statement about anything else is not signed`(difference: String) async throws {
        let admin = try EmployeeKey.generate()
        let other = try EmployeeKey.generate().publicKey
        let key = try EmployeeKey.generate().publicKey
        let bytes: [UInt8] =
            switch difference {
            case "action": try statement(.authorize, key: key, signer: admin.publicKey)
            case "key": try statement(.revoke, key: other, signer: admin.publicKey)
            case "signer": try statement(.revoke, key: key, signer: other)
            case "reason": try statement(.revoke, key: key, signer: admin.publicKey, reason: "other")
            default: [1, 2, 3]
            }
        let transport = StubTransport([StubTransport.json(DecisionResponse.signatureRequired(statement: bytes))])
        await #expect {
            try await TenureClient(transport).decide(
                .revoke, key: key, employee: "7", of: "A", reason: "known", as: .app, signer: admin)
        } throws: {
            ($0 as? TenureClientError)?.code == .signingRefused
        }
        #expect(await transport.sent.count == 1)
    }

    @Test func `without a signer the statement is returned`() async throws {
        let admin = try EmployeeKey.generate()
        let bytes = try statement(.authorize, key: admin.publicKey, signer: admin.publicKey)
        let transport = StubTransport([StubTransport.json(DecisionResponse.signatureRequired(statement: bytes))])
        let result = try await TenureClient(transport).decide(
            .authorize, key: admin.publicKey, employee: "7", of: "A")
        #expect(result == .signatureRequired(statement: bytes))
    }
}
