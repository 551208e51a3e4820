import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

/// An admin `7` of company `A`, who decides about `Bo` on one device.
struct RoleScene: Sendable {
    let keys = MemoryDeviceKeyStore()
    let pins = MemoryPinStore()
    let tenant = UUID()
    let own = UUID()
    let employee = UUID()
    let follower: EmployeePublicKey
    private let store = MemorySessionStore()

    init() throws { follower = try EmployeeKey.generate().publicKey }

    func session(_ transport: StubTransport) async throws -> EmployeeSession {
        let client = TenureClient(
            baseURL: "https://id.example/", appCredentials: AppCredentials(appId: "app", secret: "s:c"),
            transport: transport, retries: RetryPolicy(attempts: 2, firstWait: .milliseconds(1)), keyStore: keys,
            sessionStore: store, pinStore: pins)
        let account = client.account(companyName: "A", companyEmployeeId: "7")
        await store.keep(
            SessionTokens(accessToken: "a", expiresAt: Timestamp.now().adding(.seconds(600)), refreshToken: "r"),
            of: account)
        _ = try await keys.makeKey(of: account)
        return try #require(try await client.session(companyName: "A", companyEmployeeId: "7"))
    }

    /// This device's key.
    func signer() async throws -> EmployeePublicKey {
        let session = try await session(StubTransport([]))
        return try #require(await keys.key(of: session.account)).publicKey
    }

    func pin(_ tenant: UUID) async throws {
        await pins.keep(
            CredentialPin(tenant: tenant, credentialId: UUID(), recordHash: [1], contextHash: [2]),
            of: try PinnedAccount(baseURL: "https://id.example", company: "a", employee: "7"))
    }

    func context(_ signer: EmployeePublicKey) throws -> StatementContext {
        let hash = [UInt8](repeating: 1, count: 32)
        return StatementContext(
            tenant: tenant, signer: try StatementKey(bytes: signer.bytes), authority: hash, ledgerSize: 3,
            ledgerRoot: hash, expires: Timestamp.now().adding(.seconds(900)), nonce: hash)
    }

    func role(
        _ action: RoleStatement.Action, _ signer: EmployeePublicKey, change: (inout RoleStatement) -> Void = { _ in }
    ) throws -> [UInt8] {
        var statement = RoleStatement(
            context: try context(signer), action: action, employee: employee, role: "admin",
            reason: action == .appoint ? "appointed" : "dismissed",
            keys: action == .appoint ? [follower.fingerprint] : nil)
        change(&statement)
        return statement.bytes
    }

    func succession(
        _ signer: EmployeePublicKey, change: (inout SuccessionStatement) -> Void = { _ in }
    ) throws -> [UInt8] {
        var statement = SuccessionStatement(
            context: try context(signer), from: own, to: employee, toKey: follower, reason: "succession",
            keys: [follower.fingerprint])
        change(&statement)
        return statement.bytes
    }

    /// What the service asks to have signed.
    func asking(_ bytes: [UInt8]) -> StubTransport.Step {
        StubTransport.json(DecisionResponse.signatureRequired(statement: bytes))
    }

    /// A page of the ledger with a registration, as admins see it.
    func registered(_ name: String, _ id: UUID, type: String = "EmployeeRegistered", next: Int64? = nil)
        -> StubTransport.Step
    {
        let event = EventResponse(
            position: 3, eventId: UUID(), type: type, stream: "employee", streamVersion: 1, time: .now(),
            data: ["employeeId": .uuid(id), "companyEmployeeId": .string(name)])
        return StubTransport.json(PageResponse(items: [event], next: next))
    }

    /// The pages that are read before a statement about the role is judged.
    func registrations(_ role: RoleRequest.Role) -> [StubTransport.Step] {
        [registered("bo", employee)] + (role == .securityAdmin ? [registered("7", own)] : [])
    }
}
