import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

/// What a device signs to give somebody a role, and what a hostile service cannot make of that.
@Suite struct RoleDecisionTests {
    private let scene: RoleScene

    init() throws { scene = try RoleScene() }

    /// What an honest service would have signed.
    private func honest(_ role: RoleRequest.Role, _ signer: EmployeePublicKey) throws -> [UInt8] {
        switch role {
        case .admin: try scene.role(.appoint, signer)
        case .employee: try scene.role(.dismiss, signer)
        case .securityAdmin: try scene.succession(signer)
        }
    }

    @Test(arguments: RoleRequest.Role.allCases)
    func `this device signs exactly the decision, and a lost request is repeated unchanged`(
        role: RoleRequest.Role
    ) async throws {
        let bytes = try honest(role, try await scene.signer())
        try await scene.pin(scene.tenant)
        let transport = StubTransport(
            [.lose, scene.asking(bytes)] + scene.registrations(role)
                + [.lose, StubTransport.json(DecisionResponse.done(nil, position: 9))])
        let session = try await scene.session(transport)
        let step = try await session.decideRole(role, of: "Bo")
        guard case .sign(let decision) = step else { throw StubTransport.Lost() }
        #expect(decision.statement.bytes == bytes)
        #expect((decision.followerFingerprint == scene.follower.fingerprint) == (role == .securityAdmin))
        #expect(try await decision.sign() == 9)
        let sent = await transport.sent
        #expect(sent.allSatisfy { $0.headers["Authorization"] == "Bearer a" })
        let posts = sent.filter { $0.method == "POST" }
        #expect(posts.map(\.url) == Array(repeating: "https://id.example/v1/companies/A/employees/Bo/role", count: 4))
        let idempotency = posts.map { $0.headers[HeaderName.idempotencyKey] }
        #expect(
            idempotency[0] == idempotency[1] && idempotency[2] == idempotency[3] && idempotency[1] != idempotency[2])
        let requests = try posts.map { try RoleRequest(bytes: try #require($0.body)) }
        #expect(requests.allSatisfy { $0.role == role } && requests[1].signed == nil)
        let signed = try #require(requests.last?.signed)
        #expect(signed.statement == bytes)
        switch role {
        case .securityAdmin:
            _ = try SuccessionStatement(parsing: bytes, expecting: .succession).verify(proof: signed.signature)
        case .admin, .employee:
            _ = try RoleStatement(parsing: bytes, expecting: .role).verify(proof: signed.signature)
        }
    }

    /// Statements about a role that say something else, by what is different.
    private func craftedRole(_ difference: String, _ signer: EmployeePublicKey) throws -> [UInt8] {
        let other = try EmployeeKey.generate().publicKey
        let long = Timestamp.now().adding(.seconds(2 * 3_600))
        switch difference {
        case "dismissal": return try scene.role(.dismiss, signer) { $0.reason = "appointed" }
        case "tenant": return try scene.role(.appoint, signer) { $0.context.tenant = UUID() }
        case "signer": return try scene.role(.appoint, other)
        case "employee": return try scene.role(.appoint, signer) { $0.employee = UUID() }
        case "oneself": return try scene.role(.appoint, signer) { $0.employee = scene.own }
        case "role": return try scene.role(.appoint, signer) { $0.role = "securityAdmin" }
        case "reason": return try scene.role(.appoint, signer) { $0.reason = "dismissed" }
        case "expiry": return try scene.role(.appoint, signer) { $0.context.expires = long }
        case "succession": return try scene.succession(signer)
        // The tag of the decision over the members of another.
        case "tag":
            let bytes = try scene.succession(signer)
            let line = try #require(bytes.firstIndex(of: UInt8(ascii: "\n")))
            return Array("tenure/v1/role".utf8) + bytes[line...]
        case "authorization": return try authorization(of: other, signer)
        case "nonsense": return [1, 2, 3]
        default: return []
        }
    }

    /// An authorization of a key, which would let it in.
    private func authorization(of key: EmployeePublicKey, _ signer: EmployeePublicKey) throws -> [UInt8] {
        let hash = [UInt8](repeating: 1, count: 32)
        return KeyStatement(
            context: try scene.context(signer), action: .authorize, employee: scene.employee, userKeyHash: hash,
            employeeKey: key, reason: "appointed", presentedHash: hash, policyHash: nil
        ).bytes
    }

    @Test(arguments: [
        "dismissal", "tenant", "signer", "employee", "oneself", "role", "reason", "expiry", "succession", "tag",
        "authorization", "nonsense", "empty",
    ])
    func `no other statement than the appointment is signed`(difference: String) async throws {
        let bytes = try craftedRole(difference, try await scene.signer())
        try await scene.pin(scene.tenant)
        try await expectRefusal(of: bytes, for: .admin)
    }

    private func craftedDismissal(_ difference: String, _ signer: EmployeePublicKey) throws -> [UInt8] {
        switch difference {
        case "appointment": return try scene.role(.appoint, signer) { $0.reason = "dismissed" }
        case "expiry": return try scene.role(.dismiss, signer) { $0.context.expires = .latest }
        case "reason": return try scene.role(.dismiss, signer) { $0.reason = "appointed" }
        default: return try scene.role(.dismiss, signer) { $0.employee = UUID() }
        }
    }

    @Test(arguments: ["appointment", "expiry", "reason", "employee"])
    func `no other statement than the dismissal is signed`(difference: String) async throws {
        let bytes = try craftedDismissal(difference, try await scene.signer())
        try await expectRefusal(of: bytes, for: .employee)
    }

    private func craftedSuccession(_ difference: String, _ signer: EmployeePublicKey) throws -> [UInt8] {
        let other = try EmployeeKey.generate().publicKey
        switch difference {
        case "tenant": return try scene.succession(signer) { $0.context.tenant = UUID() }
        case "signer": return try scene.succession(other)
        case "from": return try scene.succession(signer) { $0.from = UUID() }
        case "to": return try scene.succession(signer) { $0.to = UUID() }
        case "toKey": return try scene.succession(signer) { $0.toKey = other }
        case "reason": return try scene.succession(signer) { $0.reason = "appointed" }
        case "expiry": return try scene.succession(signer) { $0.context.expires = .latest }
        case "appointment": return try scene.role(.appoint, signer)
        default: return [1, 2, 3]
        }
    }

    @Test(arguments: ["tenant", "signer", "from", "to", "toKey", "reason", "expiry", "appointment", "nonsense"])
    func `no other statement than the succession is signed`(difference: String) async throws {
        let bytes = try craftedSuccession(difference, try await scene.signer())
        try await scene.pin(scene.tenant)
        try await expectRefusal(of: bytes, for: .securityAdmin)
    }

    /// Expects that the device signs nothing and sends no second request.
    private func expectRefusal(of bytes: [UInt8], for role: RoleRequest.Role) async throws {
        let transport = StubTransport([scene.asking(bytes)] + scene.registrations(role))
        let session = try await scene.session(transport)
        let spoken = Fingerprint.readable(scene.follower.fingerprint.uppercased())
        let refused = await code { _ = try await session.decideRole(role, of: "Bo", followerFingerprint: spoken) }
        #expect(refused == "client.signing_refused")
        #expect(await transport.sent.filter { $0.method == "POST" }.count == 1)
    }

    @Test func `a first use signs without pinning, also for a successor's unnamed key`()
        async throws
    {
        let signer = try await scene.signer()
        for role in RoleRequest.Role.allCases {
            let steps = [scene.asking(try honest(role, signer))] + scene.registrations(role)
            let session = try await scene.session(StubTransport(steps))
            let step = try await session.decideRole(role, of: "bo")
            guard case .sign = step else { throw StubTransport.Lost() }
        }
    }

    @Test func `a device without the account's key signs nothing`() async throws {
        let bytes = try scene.role(.appoint, try await scene.signer())
        let session = try await scene.session(
            StubTransport([scene.asking(bytes), scene.registered("bo", scene.employee)]))
        await scene.keys.removeKey(of: session.account)
        #expect(await code { _ = try await session.decideRole(.admin, of: "bo") } == "client.signing_refused")
    }

    @Test func `a decision is not signed by a key that replaced the first meanwhile`() async throws {
        let bytes = try scene.role(.appoint, try await scene.signer())
        let transport = StubTransport([scene.asking(bytes), scene.registered("bo", scene.employee)])
        let session = try await scene.session(transport)
        guard case .sign(let decision) = try await session.decideRole(.admin, of: "bo") else {
            throw StubTransport.Lost()
        }
        await scene.keys.removeKey(of: session.account)
        _ = try await scene.keys.makeKey(of: session.account)
        #expect(await code { _ = try await decision.sign() } == "client.signing_refused")
        #expect(await transport.sent.count == 2)
    }

    @Test func `a decision already taken needs no signature`() async throws {
        let transport = StubTransport([StubTransport.json(DecisionResponse.done(nil, position: nil))])
        let session = try await scene.session(transport)
        guard case .done(nil) = try await session.decideRole(.admin, of: "bo") else { throw StubTransport.Lost() }
        #expect(await transport.sent.count == 1)
    }

    @Test(arguments: [
        ("authorization.not_permitted", TenureClientError.Kind.authorizationNotPermitted),
        ("employee.unknown", .employeeUnknown), ("employee.inactive", .employeeInactive),
        ("authorization.unknown_key", .authorizationUnknownKey), ("request.stale", .requestStale),
    ])
    func `a refusal of the service keeps its own kind`(problem: String, kind: TenureClientError.Kind) async throws {
        let session = try await scene.session(StubTransport([StubTransport.problem(problem)]))
        let error = await #expect(throws: TenureClientError.self) { _ = try await session.decideRole(.admin, of: "bo") }
        #expect(error?.kind == kind)
    }

    @Test func `a decision is cancelled with its task`() async throws {
        let session = try await scene.session(StubTransport([.lose, .lose]))
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            _ = try await session.decideRole(.admin, of: "bo")
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
