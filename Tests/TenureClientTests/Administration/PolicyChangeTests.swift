import Canonical
import Credentials
import TenureAPI
import Testing

@testable import TenureClient

/// What a device signs about the policy of its tenant.
@Suite struct PolicyChangeTests {
    private let scene: RoleScene
    private let policy = PolicyResponse(
        keyAuthorization: "application", approval: "automatic", blindOnly: false, questionsWithPassphrase: true,
        logIn: "passkeyOrSecret", adminsWithoutPasskey: ["7"], version: 4)
    private let settings: [String: PolicyStatement.Setting] = [
        "keyAuthorization": .code("application"), "approval": .code("automatic"), "blindOnly": .flag(false),
        "questionsWithPassphrase": .flag(true), "registrationMode": .code("open"), "recoveryDelayHours": .number(48),
        "adminSessionHours": .number(1), "logIn": .code("passkeyOrSecret"), "adminsNeedPasskey": .flag(false),
        "clonedKey": .code("stop"),
    ]

    init() throws { scene = try RoleScene() }

    /// Changes two values while the service asks for a signature over settings.
    private func change(
        asking settings: [String: PolicyStatement.Setting]
    ) async throws -> (code: String?, sent: [WireRequest], statement: [UInt8]) {
        let statement = PolicyStatement(
            context: try scene.context(try await scene.signer()), settings: settings, policyHash: nil
        ).bytes
        let transport = StubTransport([
            StubTransport.json(policy), scene.asking(statement),
            StubTransport.json(DecisionResponse.done(nil, position: 9)),
        ])
        let session = try await scene.session(transport)
        let thrown = await code {
            let position = try await session.changePolicy(
                PolicyChangeRequest(recoveryDelayHours: 48, clonedKey: .stop))
            #expect(position == 9)
        }
        let sent = await transport.sent
        return (thrown, sent, statement)
    }

    @Test func `the policy that was read is signed with the change, and for its version only`() async throws {
        let (thrown, sent, statement) = try await change(asking: settings)
        #expect(thrown == nil)
        #expect(sent.map(\.method) == ["GET", "PATCH", "PATCH"])
        #expect(sent.dropFirst().allSatisfy { $0.headers["If-Match"] == "\"4\"" })
        let body = try #require(sent.last?.body), request = try PolicyChangeRequest(bytes: body)
        #expect(request.recoveryDelayHours == 48 && request.clonedKey == .stop && request.logIn == nil)
        let signed = try #require(request.signed)
        #expect(signed.statement == statement)
        _ = try PolicyStatement(parsing: statement, expecting: .policy).verify(proof: signed.signature)
    }

    @Test(arguments: ["other", "more", "fewer", "unchanged"])
    func `another policy is not signed`(difference: String) async throws {
        var settings = settings
        switch difference {
        case "other": settings["keyAuthorization"] = .code("automatic")
        case "more": settings["mpinOpensSessions"] = .flag(true)
        case "fewer": settings["adminsNeedPasskey"] = nil
        default: settings["clonedKey"] = .code("report")
        }
        let (thrown, sent, _) = try await change(asking: settings)
        #expect(thrown == "client.signing_refused" && sent.count == 2)
    }
}
