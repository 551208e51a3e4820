import Canonical
import Credentials
import Foundation
import TenureAPI
import Testing

@testable import TenureClient

/// Nothing is signed about keys for another company than the one that this device has pinned.
@Suite struct PinnedCompanyTests {
    /// The ways in which a device signs about a key.
    enum Call: CaseIterable {
        case authorize
        case decideByApprover
        case decideByOwner
        case revokeDevice
    }

    private let scene: RoleScene
    private let key: EmployeePublicKey

    init() throws {
        scene = try RoleScene()
        key = try EmployeeKey.generate().publicKey
    }

    /// The code that the call ends with when the statement names the scene's company; `nil` when it was signed.
    private func outcome(of call: Call) async throws -> String? {
        let signer = try await scene.signer()
        let hash = [UInt8](repeating: 1, count: 32)
        let revokes = call == .revokeDevice
        let statement = KeyStatement(
            context: try scene.context(signer), action: revokes ? .revoke : .authorize, employee: UUID(),
            userKeyHash: hash, employeeKey: key, reason: revokes ? "lost" : "known", presentedHash: hash,
            policyHash: nil)
        let transport = StubTransport([
            scene.asking(statement.bytes), StubTransport.json(DecisionResponse.done(nil, position: 4)),
        ])
        let session = try await scene.session(transport)
        let own = try #require(await scene.keys.key(of: session.account))
        let result = await code {
            switch call {
            case .authorize:
                let step = try await session.client.authorize(
                    employeePublicKey: Base64.encode(key.bytes), companyName: "A", companyEmployeeId: "bo", as: session)
                guard case .confirm(let confirmation) = step else { throw StubTransport.Lost() }
                _ = try await confirmation.sign()
            case .decideByApprover:
                _ = try await session.client.decide(
                    .authorize, key: key, employee: "bo", of: "A", as: .employee(accessToken: "a"), signer: own,
                    approver: "7")
            case .decideByOwner:
                _ = try await session.client.decide(
                    .authorize, key: key, employee: "7", of: "A", as: .employee(accessToken: "a"), signer: own)
            case .revokeDevice: try await session.revokeDevice(fingerprint: key.fingerprint)
            }
        }
        #expect(await transport.sent.count == (result == nil ? 2 : 1))
        return result
    }

    @Test(arguments: Call.allCases) func `another company is refused`(call: Call) async throws {
        try await scene.pin(UUID())
        #expect(try await outcome(of: call) == "client.signing_refused")
    }

    @Test(arguments: Call.allCases) func `the pinned one is signed for, and so is the first`(call: Call) async throws {
        #expect(try await outcome(of: call) == nil)
        try await scene.pin(scene.tenant)
        #expect(try await outcome(of: call) == nil)
    }
}
