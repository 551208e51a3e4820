import Canonical
import Credentials
import Foundation
import TenureAPI
import TenureClient
import Testing

/// Recovering by the client library, while admins decide over HTTP.
@Suite(.onServer, .sharedWorld)
struct `A recovery by the client library` {
    @Test(arguments: [TenureClient.Mode.blind, .direct])
    func `goes on with the key that two persons approved, and pins what it made`(
        mode: TenureClient.Mode
    ) async throws {
        let world = try sharedWorld()
        let company = "library-recovery-\(mode.rawValue).example"
        let scene = try await RecoveryScene(company, try world.client)
        let pins = MemoryPinStore()
        let client = try TenureClient(
            appCredentials: AppCredentials(
                appId: world.app.appId, appSecret: world.app.secret, appSalt: world.app.salt,
                baseURL: world.baseURL.absoluteString), issuer: "tenure", mode: mode,
            keyStore: MemoryDeviceKeyStore(), sessionStore: MemorySessionStore(), pinStore: pins)
        let key = try EmployeeKey.generate()
        func ask() async throws -> (TenureClient.Flow, FlowOutcomeResponse) {
            let flow = try await client.startRecovery(company: company, employee: "lost", key: key)
            return (flow, try await client.proveKey(flow, key: key))
        }
        guard case .authorizationPending(_, let fingerprint, _) = try await ask().1 else {
            throw Flow.Unexpected(description: "nobody has approved anything")
        }
        #expect(fingerprint == key.publicKey.fingerprint)
        let path = scene.client.path(scene.lost.person, "/recoveries/\(fingerprint)")
        expectOutcome(try await scene.client.signed(by: scene.founder, "POST", path + "/opening"), "done")
        expectOutcome(try await scene.client.signed(by: scene.admin, "POST", path + "/confirmation"), "done")
        let (flow, asked) = try await ask()
        let entries = CredentialsRequest(
            securityQuestions: scene.renewed.questions.map { .init(question: $0.question, answer: $0.answer) },
            passphrase: scene.renewed.passphrase)
        let outcome =
            mode == .blind
            ? try await client.recoverBlindCredentials(flow, asked, to: entries, key: key, pins: pins)
            : try await client.recoverCredentials(flow, to: entries, pins: pins)
        guard case .authorizationPending = outcome else { throw Flow.Unexpected(description: "\(outcome)") }
        let account = try PinnedAccount(
            baseURL: world.baseURL.absoluteString, company: company, employee: "lost")
        #expect((await pins.pin(of: account) != nil) == (mode == .blind))
        expectOutcome(try await scene.client.logIn(scene.renewed, scene.lost.device), "success")
    }
}
