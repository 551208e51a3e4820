import Canonical
import Credentials
import Foundation
import TenureAPI
import TenureClient
import Testing

/// Recovering by the client library: who lost everything, and those who decide.
@Suite(.onServer, .sharedWorld) struct `A recovery by the client library` {
    private static let modes = [TenureClient.Mode.blind, .direct]

    private func device(_ mode: TenureClient.Mode, pins: MemoryPinStore = MemoryPinStore()) throws -> TenureClient {
        let world = try sharedWorld()
        return try TenureClient(
            appCredentials: AppCredentials(
                appId: world.app.appId, appSecret: world.app.secret, appSalt: world.app.salt,
                baseURL: world.baseURL.absoluteString), issuer: "tenure", mode: mode, keyStore: MemoryDeviceKeyStore(),
            sessionStore: MemorySessionStore(), pinStore: pins)
    }

    /// Logs somebody in on a device that the founder authorizes.
    private func enter(
        _ person: Person, on device: TenureClient, _ client: Client, _ founder: Member
    ) async throws -> EmployeeSession {
        for _ in 1...2 {
            let step = try await device.login(companyName: person.company, companyEmployeeId: person.id)
            guard case .validatePassphrase(let step) = step else { throw Flow.Unexpected(description: "\(step)") }
            switch try await step.submit(person.passphrase ?? "") {
            case .success(let admission): return admission.session
            case .authorizationPending(let pending):
                let path = client.path(person, "/keys/\(pending.fingerprint)/authorization")
                expectOutcome(try await client.signed(by: founder, "POST", path), "done")
            }
        }
        throw Flow.Unexpected(description: "not let in")
    }

    private func waiting(_ device: TenureClient, _ company: String) async throws -> PendingRecovery {
        let step = try await device.recover(companyName: company, companyEmployeeId: "lost")
        guard case .approvalPending(let pending) = step else { throw Flow.Unexpected(description: "approved") }
        return pending
    }

    private func approved(_ device: TenureClient, _ company: String) async throws -> RecoveredCredentialsStep {
        let step = try await device.recover(companyName: company, companyEmployeeId: "lost")
        guard case .setCredentials(let step) = step else { throw Flow.Unexpected(description: "not approved") }
        return step
    }

    /// Signs a decision; the position of what was appended.
    private func sign(
        _ action: RecoveryStatement.Action, _ fingerprint: String, by session: EmployeeSession,
        shown: RecoveryResponse.Subject? = nil
    ) async throws -> Int64? {
        let step = try await session.decideRecovery(action, of: "lost", fingerprint: fingerprint, shown: shown)
        switch step {
        case .done(let position): return position
        case .sign(let decision): return try await decision.sign()
        }
    }

    private func expect(_ kind: TenureClientError.Kind, _ work: () async throws -> Void) async {
        let error = await #expect(throws: TenureClientError.self) { try await work() }
        #expect(error?.kind == kind)
    }

    private func credentials(of person: Person) -> NewUserCredentials {
        NewUserCredentials(
            questions: person.questions.map { SecurityQuestionAnswer(question: $0.question, answer: $0.answer) },
            passphrase: person.passphrase)
    }

    @Test(arguments: modes) func `needs two persons and one key, and neither person learns a secret`(
        mode: TenureClient.Mode
    ) async throws {
        let company = "library-recovery-\(mode.rawValue).example"
        let scene = try await RecoveryScene(company, try sharedWorld().client)
        let founder = try await enter(scene.founder.person, on: try device(mode), scene.client, scene.founder)
        let founderElsewhere = try await enter(scene.founder.person, on: try device(mode), scene.client, scene.founder)
        let admin = try await enter(scene.admin.person, on: try device(mode), scene.client, scene.founder)
        let pins = MemoryPinStore()
        let new = try device(mode, pins: pins)
        let fingerprint = try await waiting(new, company).fingerprint

        let row = try #require(try await founder.recoveries().first { $0.fingerprint == fingerprint })
        #expect(row.state == "waiting" && row.employee.companyEmployeeId == "lost")
        await expect(.recoveryUnknown) { _ = try await sign(.confirm, fingerprint, by: admin) }
        // What the service says now is not what it showed: nothing is signed, and nothing opened.
        let other = RecoveryResponse.Subject(
            tenantId: row.subject.tenantId, userId: row.subject.userId, employeeId: UUID())
        await expect(.signingRefused) { _ = try await sign(.open, fingerprint, by: founder, shown: other) }
        await expect(.recoveryUnknown) { _ = try await sign(.confirm, fingerprint, by: admin) }

        let step = try await founder.decideRecovery(.open, of: "lost", fingerprint: fingerprint, shown: row.subject)
        guard case .sign(let opening) = step else { throw Flow.Unexpected(description: "\(step)") }
        #expect(try await opening.sign() != nil)
        #expect(try await opening.sign() == nil, "twice is the same as once")
        #expect(try await waiting(new, company).fingerprint == fingerprint, "one signature gives nothing")
        for same in [founder, founderElsewhere] {
            await expect(.authorizationNotPermitted) { _ = try await sign(.confirm, fingerprint, by: same) }
        }
        #expect(try await waiting(new, company).fingerprint == fingerprint, "nobody is two persons")
        let open = try #require(try await admin.recoveries().first { $0.fingerprint == fingerprint })
        #expect(open.state == "opened" && open.openedBy == "founder" && open.subject == row.subject)
        #expect(try await sign(.confirm, fingerprint, by: admin, shown: open.subject) != nil)
        #expect(try await sign(.confirm, fingerprint, by: admin, shown: open.subject) == nil)

        let outcome = try await approved(new, company).submit(credentials(of: scene.renewed))
        guard case .authorizationPending(let pending) = outcome else {
            throw Flow.Unexpected(description: "\(outcome)")
        }
        #expect(pending.fingerprint == fingerprint)
        let account = try PinnedAccount(
            baseURL: try sharedWorld().baseURL.absoluteString, company: company, employee: "lost")
        #expect((await pins.pin(of: account) != nil) == (mode == .blind))
        try expectProblem(try await scene.client.logIn(scene.lost.person, scene.lost.device), "passphrase.incorrect")
        expectOutcome(try await scene.client.logIn(scene.renewed, scene.lost.device), "success")
        _ = try await enter(scene.renewed, on: new, scene.client, scene.founder)
        #expect(try await waiting(new, company).fingerprint == fingerprint, "it is used once")
    }

    @Test(arguments: modes) func `is confirmed or cancelled by the person's device, which sees no list`(
        mode: TenureClient.Mode
    ) async throws {
        let company = "library-own-recovery-\(mode.rawValue).example"
        let scene = try await RecoveryScene(company, try sharedWorld().client)
        let founder = try await enter(scene.founder.person, on: try device(mode), scene.client, scene.founder)
        let old = try await enter(scene.lost.person, on: try device(mode), scene.client, scene.founder)
        let new = try device(mode)
        let fingerprint = try await waiting(new, company).fingerprint
        await expect(.authorizationNotPermitted) { _ = try await old.recoveries() }
        await expect(.authorizationNotPermitted) { _ = try await sign(.open, fingerprint, by: old) }
        #expect(try await sign(.open, fingerprint, by: founder) != nil)
        #expect(try await sign(.confirm, fingerprint, by: old) != nil)
        _ = try await approved(new, company)
        #expect(try await sign(.cancel, fingerprint, by: old) != nil)
        await expect(.recoveryUnknown) { _ = try await sign(.cancel, fingerprint, by: old) }
        #expect(try await waiting(new, company).fingerprint == fingerprint)
    }
}
