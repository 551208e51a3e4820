import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

/// What a device signs to revoke another one of its owner, and what a hostile service cannot make of that.
@Suite struct DeviceRevocationTests {
    private let keys = MemoryDeviceKeyStore()
    private let store = MemorySessionStore()

    private func session(_ transport: StubTransport) async throws -> EmployeeSession {
        let client = TenureClient(
            baseURL: "https://id.example/", appCredentials: AppCredentials(appId: "app", secret: "s:c"),
            transport: transport, retries: RetryPolicy(attempts: 1), keyStore: keys, sessionStore: store)
        let account = client.account(companyName: "A", companyEmployeeId: "7")
        await store.keep(
            SessionTokens(accessToken: "a", expiresAt: Timestamp.now().adding(.seconds(600)), refreshToken: "r"),
            of: account)
        _ = try await keys.makeKey(of: account)
        return try #require(try await client.session(companyName: "A", companyEmployeeId: "7"))
    }

    private func statement(
        _ action: KeyStatement.Action, _ key: EmployeePublicKey, signer: EmployeePublicKey, reason: String = "lost"
    ) throws -> StubTransport.Step {
        let hash = [UInt8](repeating: 1, count: 32)
        let statement = KeyStatement(
            context: StatementContext(
                tenant: UUID(), signer: try StatementKey(bytes: signer.bytes), authority: hash, ledgerSize: 3,
                ledgerRoot: hash, expires: Timestamp.now().adding(.seconds(60)), nonce: hash),
            action: action, employee: UUID(), userKeyHash: hash, employeeKey: key, reason: reason,
            presentedHash: hash, policyHash: nil)
        return StubTransport.json(DecisionResponse.signatureRequired(statement: statement.bytes))
    }

    private func ownKey(_ session: EmployeeSession) async throws -> EmployeePublicKey {
        try #require(await keys.key(of: session.account)).publicKey
    }

    @Test(arguments: [true, false])
    func `this device signs a revocation and forgets a key of its own`(isOwn: Bool) async throws {
        let signer = try await ownKey(try await session(StubTransport([])))
        let key = isOwn ? signer : try EmployeeKey.generate().publicKey
        let transport = StubTransport([
            try statement(.revoke, key, signer: signer),
            StubTransport.json(DecisionResponse.done(nil, position: 9)),
        ])
        let session = try await session(transport)
        let shown = stride(from: 0, to: 64, by: 4).map { place in
            String(key.fingerprint.uppercased().dropFirst(place).prefix(4))
        }
        #expect(try await session.revokeDevice(fingerprint: shown.joined(separator: " ")) == 9)
        let sent = await transport.sent
        #expect(sent.allSatisfy { $0.url.hasSuffix("/v1/devices/\(key.fingerprint)/revocation") })
        let body = try DecisionRequest(jsonWithReason: try StrictJSON.parse(try #require(sent.last?.body)))
        let signed = try #require(body.signed)
        _ = try KeyStatement(parsing: signed.statement, expecting: .keyRevocation).verify(proof: signed.signature)
        #expect(await (keys.key(of: session.account) == nil) == isOwn)
        #expect(await (store.tokens(of: session.account) == nil) == isOwn)
    }

    @Test(arguments: ["action", "key", "signer", "reason", "nonsense"])
    func `no other statement is signed, and no key is forgotten`(difference: String) async throws {
        let signer = try await ownKey(try await session(StubTransport([])))
        let (key, other) = (try EmployeeKey.generate().publicKey, try EmployeeKey.generate().publicKey)
        let step =
            switch difference {
            case "action": try statement(.authorize, key, signer: signer)
            case "key": try statement(.revoke, other, signer: signer)
            case "signer": try statement(.revoke, key, signer: other)
            case "reason": try statement(.revoke, key, signer: signer, reason: "other")
            default: StubTransport.json(DecisionResponse.signatureRequired(statement: [1, 2, 3]))
            }
        let transport = StubTransport([step])
        let session = try await session(transport)
        let error = await #expect(throws: TenureClientError.self) {
            try await session.revokeDevice(fingerprint: key.fingerprint)
        }
        #expect(error?.code == .signingRefused)
        #expect(await transport.sent.count == 1)
        #expect(try await ownKey(session) == signer)
    }
}
