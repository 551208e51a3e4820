import Canonical
import Credentials
import Testing

/// Who lost everything gets new credentials by two persons, in both modes.
@Suite(.onServer, .sharedWorld)
struct `A recovery` {
    @Test(arguments: [true, false], [true, false])
    func `by two persons replaces all credentials and authorizes no key`(
        blind: Bool, byOwnDevice: Bool
    ) async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "recover-\(blind)-\(byOwnDevice).example"
        let scene = try await RecoveryScene(company, client)
        let lost = scene.lost, device = scene.device
        let before = try await BlindFlow.start(.logins, lost.person, Device(), client).context.credentialId

        let waiting = try await scene.ask()
        expectOutcome(waiting, "authorizationPending")
        #expect(waiting["fingerprint"]?.text == device.fingerprint && waiting["position"] == nil)
        let shown = try await client.recoveries(company, by: scene.founder)[device.fingerprint]
        #expect(shown?["state"]?.text == "waiting" && shown?["employee"]?["companyEmployeeId"]?.text == "lost")
        expectOutcome(try await scene.open(), "done")
        expectOutcome(try await scene.ask(), "authorizationPending")
        let opened = try await client.recoveries(company, by: scene.admin)[device.fingerprint]
        #expect(opened?["state"]?.text == "opened" && opened?["openedBy"]?.text == "founder", "\(opened ?? .null)")
        expectOutcome(try await scene.confirm(by: byOwnDevice ? lost : scene.admin), "done")
        #expect(
            try await client.recoveries(company, by: scene.admin)[device.fingerprint]?["state"]?.text == "confirmed")
        // The old ones work to the very end: a right secret on a device that nobody let in only waits.
        expectOutcome(try await client.logIn(lost.person, Device()), "authorizationPending")
        #expect(try await client.get("/v1/sessions", by: lost.session).status == 200)

        let new = scene.renewed
        let done = try await client.finishRecovery(new, device, blind: blind)
        expectOutcome(done, "authorizationPending")
        #expect(done["fingerprint"]?.text == device.fingerprint && done["position"] != nil)
        try expectProblem(try await client.get("/v1/sessions", by: lost.session), "session.invalid")
        try expectProblem(try await client.logIn(lost.person, lost.device), "passphrase.incorrect")
        expectOutcome(try await client.logIn(new, device), "authorizationPending")
        let asked = try await BlindFlow.start(.logins, new, device, client)
        #expect(try await world.seeds(of: before) == 0, "the old seed is destroyed")
        #expect(try await world.seeds(of: try asked.context.credentialId) == 1)
        #expect(try await client.recoveries(company, by: scene.admin)[device.fingerprint] == nil)

        expectOutcome(try await client.authorize(device, of: new), "done")
        expectOutcome(try await client.logIn(new, device), "success")
        expectOutcome(try await client.logInBlind(new, lost.device), "success")
        // The company's views go past the decisions, which they show nothing of.
        try await client.settle(company)
        let types = try await client.events(company).compactMap { $0["type"]?.text }
        #expect(types.count { $0 == "RecoveryOpened" } == 1 && types.count { $0 == "RecoveryConfirmed" } == 1)
    }

    @Test func `ends when the owner logs in on a known device, not by a right secret on another`() async throws {
        let client = try sharedWorld().client
        let company = "recover-owner.example"
        let scene = try await RecoveryScene(company, client)
        _ = try await scene.ask()
        try await scene.approve()
        expectOutcome(try await client.logIn(scene.lost.person, Device()), "authorizationPending")
        let (flow, asked) = try await client.askToRecover(scene.lost.person, scene.device)
        expectOutcome(asked, "setCredentials")
        expectOutcome(try await client.logIn(scene.lost.person, scene.lost.device), "success")
        // Also for who was at the last step already.
        try expectProblem(try await flow.complete(scene.renewed, asked), "request.stale")
        expectOutcome(try await scene.ask(), "authorizationPending")
        try expectProblem(try await scene.confirm(), "recovery.unknown")
        expectOutcome(try await client.logIn(scene.lost.person, scene.lost.device), "success")
        let ended = try await client.events(company).filter { $0["type"]?.text == "RecoveryCancelled" }
        #expect(ended.count == 1 && ended.first?["data"]?["reason"]?.text == "login")
    }

    @Test(arguments: [true, false])
    func `ends when the owner changes the credentials, which the tenant sees`(blind: Bool) async throws {
        let client = try sharedWorld().client
        let company = "recover-changed-\(blind).example"
        let scene = try await RecoveryScene(company, client)
        let lost = scene.lost
        try await scene.approve()
        let changed =
            blind
            ? try await client.changeBlind(lost.person, to: scene.renewed, lost.device)
            : try await client.change(lost.person, to: scene.renewed, lost.device)
        expectOutcome(changed, "success")
        let ended = try await client.events(company).filter { $0["type"]?.text == "RecoveryCancelled" }
        #expect(ended.count == 1 && ended.first?["data"]?["reason"]?.text == "login")
        #expect(try await client.recoveries(company, by: scene.admin)[scene.device.fingerprint] == nil)
        // Who asks again with the same key is shown again.
        expectOutcome(try await scene.ask(), "authorizationPending")
        let shown = try await client.recoveries(company, by: scene.admin)[scene.device.fingerprint]
        #expect(shown?["state"]?.text == "waiting")
    }

    @Test(arguments: ["founder", "admin", "lost"])
    func `can be cancelled by either person or by the owner's device`(who: String) async throws {
        let client = try sharedWorld().client
        let scene = try await RecoveryScene("recover-cancelled-\(who).example", client)
        let member = ["founder": scene.founder, "admin": scene.admin, "lost": scene.lost][who] ?? scene.lost
        try expectProblem(
            try await client.cancelRecovery(scene.lost.person, scene.device, by: member), "recovery.unknown")
        try await scene.approve()
        expectOutcome(try await client.cancelRecovery(scene.lost.person, scene.device, by: member), "done")
        expectOutcome(
            try await client.finishRecovery(scene.renewed, scene.device, blind: false), "authorizationPending")
        expectOutcome(try await client.logIn(scene.lost.person, scene.lost.device), "success")
        try expectProblem(
            try await client.cancelRecovery(scene.lost.person, scene.device, by: member), "recovery.unknown")
        // And may be opened anew.
        try await scene.approve()
        expectOutcome(
            try await client.finishRecovery(scene.renewed, scene.device, blind: false), "authorizationPending")
        expectOutcome(try await client.logIn(scene.renewed, scene.device), "authorizationPending")
    }

    @Test func `of a user with accounts elsewhere needs the tenant that owns the address`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "recover-owned.example", elsewhere = "recover-elsewhere.example"
        let person = Person("lost", at: company, email: "\(Person.word())@\(company)")
        let scene = try await RecoveryScene(company, client, lost: person)
        let other = try await client.found(elsewhere)
        let there = try await client.join(person.also("contractor", at: elsewhere))
        _ = try await scene.ask()
        // A device that the person has could confirm; an admin cannot.
        expectOutcome(try await scene.open(), "done")
        try expectProblem(try await scene.confirm(), "recovery.other_companies")
        try expectProblem(
            try await client.decide("opening", there.person, scene.device, by: other), "recovery.in_progress")
        expectOutcome(try await client.cancelRecovery(scene.lost.person, scene.device, by: scene.founder), "done")
        try await world.confirmDomain(of: company)
        try await scene.approve()
        // The owner is there, if in the other company; where, is nothing for this one.
        expectOutcome(try await client.logIn(there.person, there.device), "success")
        try expectProblem(try await scene.confirm(), "recovery.unknown")
        let ended = try #require(try await client.events(company).last { $0["type"]?.text == "RecoveryCancelled" })
        let session = try await client.events(elsewhere).last { $0["type"]?.text == "SessionOpened" }
        let contractorId = try #require(session?["actor"]?.text)
        #expect(!String(describing: ended).contains(contractorId), "\(ended)")
        #expect(["actor", "app", "requestId"].allSatisfy { ended[$0]?.text == nil }, "\(ended)")
        #expect(ended["data"]?["by"]?["employee"]?.text == ended["data"]?["employeeId"]?.text, "\(ended)")
        try await scene.approve()
        var new = person
        new.passphrase = "another passphrase"
        expectOutcome(try await client.finishRecovery(new, scene.device, blind: false), "authorizationPending")
        // Sessions end there too, and the new key is not let in there by what was decided here.
        try expectProblem(try await client.get("/v1/sessions", by: there.session), "session.invalid")
        let contractor = new.also("contractor", at: elsewhere)
        expectOutcome(try await client.logIn(contractor, scene.device), "authorizationPending")
        expectOutcome(try await client.logIn(contractor, there.device), "success")
    }

    @Test func `follows the tenant's blind-mode policy`() async throws {
        let client = try sharedWorld().client
        let company = "recover-blind-only.example"
        let scene = try await RecoveryScene(company, client)
        try await scene.approve()
        try await client.change(policy: ["blindOnly": true], of: company, by: scene.founder)
        let refused = try await client.finishRecovery(scene.renewed, scene.device, blind: false)
        try expectProblem(refused, "policy.blind_only")
        let done = try await client.finishRecovery(scene.renewed, scene.device, blind: true)
        expectOutcome(done, "authorizationPending")
    }

    @Test func `is not completed for a user who joined another tenant meanwhile`() async throws {
        let client = try sharedWorld().client
        let scene = try await RecoveryScene("recover-joined.example", client)
        _ = try await client.found("recover-joined-later.example")
        try await scene.approve()
        let (flow, asked) = try await client.askToRecover(scene.lost.person, scene.device)
        expectOutcome(asked, "setCredentials")
        let joined = try await client.register(
            scene.lost.person.also("new", at: "recover-joined-later.example"), Device())
        expectOutcome(joined, "authorizationPending")
        try expectProblem(try await flow.complete(scene.renewed, asked), "recovery.other_companies")
        expectOutcome(try await client.logIn(scene.lost.person, scene.lost.device), "success")
    }

    @Test func `replays its response to a repeated call and is used once`() async throws {
        let client = try sharedWorld().client
        let scene = try await RecoveryScene("recover-twice.example", client)
        try await scene.approve()
        let again = try await scene.open()
        expectOutcome(again, "done")
        #expect(again["position"] == nil, "opening twice is the same as once")
        let (flow, asked) = try await client.askToRecover(scene.lost.person, scene.device)
        let (late, lateAsked) = try await client.askToRecover(scene.lost.person, scene.device)
        let request = try flow.completion(scene.renewed, asked, key: "recover-\(Person.word())")
        let first = try await client.send(request), second = try await client.send(request)
        expectOutcome(first, "authorizationPending")
        #expect(first["position"]?.number == second["position"]?.number)
        try expectProblem(try await flow.complete(scene.renewed, asked), "flow.already_used")
        try expectProblem(try await late.complete(scene.renewed, lateAsked), "request.stale")
        expectOutcome(try await scene.ask(), "authorizationPending")
        try expectProblem(try await scene.confirm(), "recovery.unknown")
    }
}
