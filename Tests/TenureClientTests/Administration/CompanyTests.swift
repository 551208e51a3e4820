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

    @Test(arguments: Call.allCases) func `another tenant than the pinned one is refused`(call: Call) async throws {
        try await scene.pin(UUID())
        #expect(try await outcome(of: call) == "client.signing_refused")
    }

    @Test(arguments: Call.allCases) func `the pinned tenant and a first one are signed for`(call: Call) async throws {
        #expect(try await outcome(of: call) == nil)
        try await scene.pin(scene.tenant)
        #expect(try await outcome(of: call) == nil)
    }
}

/// How the client learns which id in the ledger an employee has, before it signs anything about that id.
@Suite struct RegisteredEmployeeTests {
    private let scene: RoleScene

    init() throws { scene = try RoleScene() }

    private func decide(_ pages: [StubTransport.Step]) async throws -> (code: String?, sent: [WireRequest]) {
        let bytes = try scene.role(.appoint, try await scene.signer())
        let transport = StubTransport([scene.asking(bytes)] + pages)
        let session = try await scene.session(transport)
        let thrown = await code { _ = try await session.decideRole(.admin, of: "Bo") }
        let sent = await transport.sent
        return (thrown, sent)
    }

    @Test func `the employee is found in the tenant's ledger, page by page, in any spelling`() async throws {
        let empty = StubTransport.json(PageResponse<EventResponse>(items: [], next: 10_000))
        let (thrown, sent) = try await decide([empty, scene.registered("BO", scene.employee)])
        #expect(thrown == nil)
        let address = "https://id.example/v1/companies/A/events?"
        #expect(sent.dropFirst().allSatisfy { $0.method == "GET" && $0.url.hasPrefix(address) })
        #expect(sent.dropFirst().allSatisfy { $0.url.contains("employee=Bo") })
        #expect(sent.dropFirst().allSatisfy { $0.url.contains("type=EmployeeRegistered") })
        #expect(sent.last?.url.contains("after=10000") == true)
    }

    @Test func `nothing is signed unless the ledger has exactly this employee`() async throws {
        let nothing = StubTransport.json(PageResponse<EventResponse>(items: []))
        let others = [
            [nothing], [scene.registered("al", scene.employee)], [scene.registered("[erased]", scene.employee)],
            [scene.registered("bo", scene.employee, type: "EmployeeKeyPresented")],
            [scene.registered("bo", UUID())],
            // The first registration of the name counts.
            [
                scene.registered("al", scene.employee, next: 4), scene.registered("bo", UUID(), next: 5),
                scene.registered("bo", scene.employee),
            ],
        ]
        for pages in others {
            let (thrown, sent) = try await decide(pages)
            #expect(thrown == "client.signing_refused")
            #expect(sent.count { $0.method == "POST" } == 1)
        }
    }

    @Test func `the search for the employee is bounded`() async throws {
        let empty = StubTransport.json(PageResponse<EventResponse>(items: [], next: 7))
        let (thrown, sent) = try await decide([empty, empty, empty])
        #expect(thrown == "client.response_invalid")
        #expect(sent.count == 3)
        let endless = (1...1_100).map { StubTransport.json(PageResponse<EventResponse>(items: [], next: Int64($0))) }
        let (limited, requests) = try await decide(endless)
        #expect(limited == "client.response_invalid")
        #expect(requests.count == 1_001)
    }
}
