import Canonical
import Foundation
import TenureAPI
import TenureClient
import TestSupport
import Testing

/// Returning by the client library and at the command line.
@Suite(.onServer) struct `A return by the client library` {
    private func device(_ scene: ReturnScene, _ mode: TenureClient.Mode = .automatic) throws -> TenureClient {
        try TenureClient(
            appCredentials: AppCredentials(
                appId: scene.world.app.appId, appSecret: scene.world.app.secret, appSalt: scene.world.app.salt,
                baseURL: scene.world.baseURL.absoluteString), issuer: "tenure", mode: mode,
            keyStore: MemoryDeviceKeyStore(), sessionStore: MemorySessionStore(), pinStore: MemoryPinStore())
    }

    private func prove(_ step: LoginStep, _ person: Person) async throws -> FlowOutcome {
        guard case .validatePassphrase(let step) = step else { throw Flow.Unexpected(description: "\(step)") }
        return try await step.submit(person.passphrase ?? "")
    }

    private func comeBack(_ device: TenureClient, _ scene: ReturnScene) async throws -> FlowOutcome {
        let person = scene.founder.person
        return try await prove(
            try await device.returnAsSecurityAdmin(companyName: person.company, companyEmployeeId: person.id), person)
    }

    @Test(arguments: [TenureClient.Mode.blind, .direct])
    func `asks, waits and completes on one device`(mode: TenureClient.Mode) async throws {
        try await ReturnScene.with("client-return-\(mode).example") { scene in
            let new = try device(scene, mode), before = scene.mailbox.copies.count
            guard case .authorizationPending(let pending) = try await comeBack(new, scene) else {
                throw Flow.Unexpected(description: "not asked")
            }
            let link = try await scene.openingLink(after: before) + "&words=\(pending.fingerprint.prefix(16))"
            #expect(try await scene.follow(link).status == 200)
            let early = await #expect(throws: TenureClientError.self) { try await comeBack(new, scene) }
            #expect(early?.kind == .returnNotAvailable && early?.problem?.availableAt != nil)
            scene.clock.pass(.seconds(48 * 3_600))
            guard case .success(let admission) = try await comeBack(new, scene) else {
                throw Flow.Unexpected(description: "not completed")
            }
            #expect(admission.role == "securityAdmin")
            #expect(admission.notices.map(\.type) == ["return.completed"])
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `is cancelled by a former device, which signs nothing else`() async throws {
        try await ReturnScene.with("client-return-cancelled.example") { scene in
            let person = scene.founder.person, former = try device(scene)
            let founder = try await scene.client.again(scene.founder)
            let step = try await former.login(companyName: person.company, companyEmployeeId: person.id)
            guard case .authorizationPending(let pending) = try await prove(step, person) else {
                throw Flow.Unexpected(description: "in force")
            }
            let path = scene.client.path(person, "/keys/\(pending.fingerprint)/authorization")
            expectOutcome(try await scene.client.signed(by: founder, "POST", path), "done")
            let none = await #expect(throws: TenureClientError.self) {
                try await former.cancelReturn(companyName: person.company, companyEmployeeId: person.id)
            }
            #expect(none?.kind == .returnUnknown)
            try await scene.opened()
            let position = try await former.cancelReturn(
                companyName: person.company, companyEmployeeId: person.id)
            #expect(position != nil)
            let ended = try #require(try await scene.client.events(scene.company).last)
            #expect(ended["type"]?.text == "ReturnCancelled")
            #expect(ended["data"]?["fingerprint"]?.text == pending.fingerprint)
        }
    }

    @Test func `that a device without a key cannot cancel ends the command with the exit code for that`() async throws {
        try await ReturnScene.with("client-return-command.example") { scene in
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
            defer { try? FileManager.default.removeItem(atPath: folder) }
            let (status, lines) = try await ChildProcess(
                "tenure",
                [
                    "client", "return", scene.company, scene.founder.person.id, "--cancel", "--data-directory", folder,
                ],
                environment: [
                    "TENURE_URL": scene.world.baseURL.absoluteString, "TENURE_APP_ID": scene.world.app.appId,
                    "TENURE_APP_SECRET": scene.world.app.secret, "HOME": folder, "SWIFT_BACKTRACE": "enable=no",
                ], keepsErrors: true
            ).finish()
            // Without a key there is nothing to sign with.
            #expect(status == 4, "\(lines)")
        }
    }

    @Test func `is announced to a founder once, at the registration`() async throws {
        try await ReturnScene.with("client-return-founding.example") { scene in
            let device = Device(), person = Person("another", at: "client-return-founded.example")
            let founded = try await scene.client.register(person, device)
            expectOutcome(founded, "success")
            #expect(notice(founded) == "return.unprepared", "\(founded)")
            let login = try await scene.client.logIn(person, device)
            #expect(login["notices"] == nil, "\(login)")
        }
    }
}
