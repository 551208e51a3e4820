import Canonical
import Credentials
import Testing

/// What somebody means who is one person, or of another company, or has another key.
@Suite(.onServer, .sharedWorld)
struct `A recovery is refused` {
    @Test func `to one person alone, with any account or key`() async throws {
        let client = try sharedWorld().client
        let company = "alone.example"
        let scene = try await RecoveryScene(company, client)
        // The opener's second account: nobody makes themselves a second admin.
        let twin = try await client.join(scene.founder.person.also("founder-2", at: company))
        try expectProblem(
            try await client.signed(
                by: scene.founder, "POST", client.path(twin.person, "/role"),
                ["role": "admin", "fingerprints": [.string(twin.device.fingerprint)]]),
            "authorization.not_permitted")
        // A second device of the opener's.
        let device = Device()
        expectOutcome(try await client.logIn(scene.founder.person, device), "authorizationPending")
        let path = client.path(scene.founder.person, "/keys/\(device.fingerprint)/authorization")
        expectOutcome(try await client.signed(by: scene.founder, "POST", path), "done")
        let second = try Member(
            scene.founder.person, device, try await client.logIn(scene.founder.person, device))
        _ = try await scene.ask()
        expectOutcome(try await scene.open(), "done")
        for member in [scene.founder, twin, second] {
            try expectProblem(try await scene.confirm(by: member), "authorization.not_permitted")
        }
        expectOutcome(try await scene.ask(), "authorizationPending")
        expectOutcome(try await scene.confirm(), "done")
    }

    @Test func `to a caller without the role`() async throws {
        let client = try sharedWorld().client
        let company = "roleless.example"
        let scene = try await RecoveryScene(company, client)
        let colleague = try await client.join(Person("colleague", at: company))
        _ = try await scene.ask()
        // A colleague does not open, nor the one who lost everything; nor an app, nor an admin for an admin.
        try expectProblem(
            try await client.decide("opening", scene.admin.person, Device(), by: scene.admin),
            "authorization.not_permitted")
        for member in [colleague, scene.lost] {
            try expectProblem(try await scene.open(by: member), "authorization.not_permitted")
        }
        let path = client.recovery(scene.lost.person, scene.device, "opening")
        try expectProblem(try await client.post(path), "session.invalid")
        // The security admin's own recovery is nobody's to open: somebody succeeds first.
        let own = try await client.decide("opening", scene.founder.person, Device(), by: scene.founder)
        try expectProblem(own, "authorization.not_permitted")
        expectOutcome(try await scene.open(), "done")
        try expectProblem(try await scene.confirm(by: colleague), "authorization.not_permitted")
        for (member, code) in [(colleague, "authorization.not_permitted"), (scene.lost, "authorization.not_permitted")]
        {
            try expectProblem(try await client.get(client.path(company, "/recoveries"), by: member.session), code)
        }
        // Whoever is cancelled meanwhile confirms nothing, and is not recovered.
        expectOutcome(
            try await client.signed(by: scene.founder, "POST", client.path(scene.admin.person, "/cancellation")), "done"
        )
        #expect(try await scene.confirm().status >= 400)
        expectOutcome(try await scene.confirm(by: scene.lost), "done")
        expectOutcome(
            try await client.signed(by: scene.founder, "POST", client.path(scene.lost.person, "/cancellation")), "done")
        expectOutcome(
            try await client.finishRecovery(scene.renewed, scene.device, blind: false), "authorizationPending")
        try expectProblem(try await scene.open(), "employee.inactive")
    }

    @Test func `in another tenant`() async throws {
        let client = try sharedWorld().client
        let scene = try await RecoveryScene("mine-recovery.example", client)
        let stranger = try await client.found("theirs-recovery.example")
        _ = try await scene.ask()
        try expectProblem(try await scene.open(by: stranger), "company.unknown")
        try expectProblem(
            try await client.get(client.path("mine-recovery.example", "/recoveries"), by: stranger.session),
            "company.unknown")
        expectOutcome(try await scene.open(), "done")
        try expectProblem(try await scene.confirm(by: stranger), "company.unknown")
        try expectProblem(
            try await client.cancelRecovery(scene.lost.person, scene.device, by: stranger), "company.unknown")
        // Under the stranger's own company there is nobody of that name.
        var named = scene.lost.person
        named.company = "theirs-recovery.example"
        try expectProblem(
            try await client.decide("confirmation", named, scene.device, by: stranger), "employee.unknown")
        #expect(try await client.recoveries("theirs-recovery.example", by: stranger).isEmpty)
    }

    @Test func `for another key than the named one`() async throws {
        let client = try sharedWorld().client
        let scene = try await RecoveryScene("swapped.example", client)
        let thief = Device()
        _ = try await scene.ask()
        expectOutcome(try await scene.open(), "done")
        try expectProblem(
            try await client.decide("confirmation", scene.lost.person, thief, by: scene.admin), "recovery.unknown")
        try expectProblem(
            try await client.decide("opening", scene.lost.person, thief, by: scene.founder), "recovery.in_progress")
        expectOutcome(try await scene.confirm(), "done")
        expectOutcome(try await scene.ask(thief), "authorizationPending")
        // In the flow of the right key the thief's signature is worth nothing.
        let flow = try await Flow.recover(scene.lost.person, scene.device, client)
        try expectProblem(try await flow.prove(thief), "employee.key_invalid", goesOn: true)
        let blind = try await BlindFlow.start(.recoveries, scene.lost.person, scene.device, client)
        let forged = try await blind.recoveryBody(scene.renewed, signedBy: thief)
        try expectProblem(try await blind.flow.step("proof", forged), "request.invalid")
        let spoiled = try await blind.recoveryBody(
            scene.renewed,
            change: { opened, confirmed in
                (confirmed, opened)
            })
        try expectProblem(try await blind.flow.step("proof", spoiled), "request.invalid")
        expectOutcome(
            try await blind.flow.step("proof", try await blind.recoveryBody(scene.renewed)), "authorizationPending")
    }

    @Test func `for a key that confirms itself or was refused`() async throws {
        let client = try sharedWorld().client
        let scene = try await RecoveryScene("itself.example", client)
        let known = scene.lost.device
        expectOutcome(try await client.decide("opening", scene.lost.person, known, by: scene.founder), "done")
        try expectProblem(
            try await client.decide("confirmation", scene.lost.person, known, by: scene.lost),
            "authorization.not_permitted")
        expectOutcome(try await client.decide("confirmation", scene.lost.person, known, by: scene.admin), "done")
        // The secrets were forgotten, the device is there: it goes on with the new ones.
        let member = try Member(
            scene.renewed, known, try await client.finishRecovery(scene.renewed, known, blind: false))
        #expect(try await client.get("/v1/sessions", by: member.session).status == 200)
        try expectProblem(try await client.get("/v1/sessions", by: scene.lost.session), "session.invalid")
        let refused = Device()
        expectOutcome(try await client.logIn(scene.renewed, refused), "authorizationPending")
        expectOutcome(
            try await client.post(
                client.path(scene.lost.person, "/keys/\(refused.fingerprint)/refusal"), ["reason": "unknown"]), "done")
        try expectProblem(
            try await client.decide("opening", scene.lost.person, refused, by: scene.founder),
            "authorization.not_permitted")
    }

    @Test func `to a session without a signature, or with an expired one`() async throws {
        let client = try sharedWorld().client
        let scene = try await RecoveryScene("unsigned.example", client)
        let path = client.recovery(scene.lost.person, scene.device, "opening")
        let asked = try await client.post(path, by: scene.founder.session)
        expectOutcome(asked, "signatureRequired")
        #expect(try await client.recoveries("unsigned.example", by: scene.founder).isEmpty)
        let statement = asked["statement"]?.text
        func body(_ device: Device) throws -> JSONValue {
            ["statement": .string(statement ?? ""), "signature": .string(try device.sign(base64: statement))]
        }
        try expectProblem(
            try await client.post(path, body(scene.admin.device), by: scene.founder.session),
            "authorization.not_permitted")
        // A statement about one key opens nothing for another.
        let other = client.recovery(scene.lost.person, Device(), "opening")
        try expectProblem(
            try await client.post(other, body(scene.founder.device), by: scene.founder.session), "request.stale")
        let good = try body(scene.founder.device)
        expectOutcome(try await client.post(path, good, by: scene.founder.session), "done")
        expectOutcome(try await client.cancelRecovery(scene.lost.person, scene.device, by: scene.admin), "done")
        try expectProblem(try await client.post(path, good, by: scene.founder.session), "request.stale")
    }

    @Test func `for requests beyond the limit of the list`() async throws {
        let client = try sharedWorld().client
        let scene = try await RecoveryScene("flooded.example", client)
        _ = try await scene.ask()
        for _ in 0..<7 { _ = try await scene.ask(Device()) }
        let shown = try await client.recoveries("flooded.example", by: scene.founder)
        #expect(shown.count == 5 && shown[scene.device.fingerprint] == nil)
        // The fingerprint that the person reads out is enough, and stays in the list from then on.
        try await scene.approve()
        for _ in 0..<7 { _ = try await scene.ask(Device()) }
        let state = try await client.recoveries("flooded.example", by: scene.founder)[scene.device.fingerprint]?[
            "state"]
        #expect(state?.text == "confirmed")
        expectOutcome(try await client.finishRecovery(scene.renewed, scene.device, blind: true), "authorizationPending")
    }

    @Test func `for steps in another order or another flow's handle`() async throws {
        let client = try sharedWorld().client
        let scene = try await RecoveryScene("recovery-steps.example", client)
        let early = try await Flow.recover(scene.lost.person, scene.device, client)
        try expectProblem(try await early.step("credentials", scene.renewed.credentials), "flow.wrong_step")
        expectOutcome(try await early.prove(scene.device), "authorizationPending")
        try expectProblem(try await early.step("credentials", scene.renewed.credentials), "flow.already_used")
        try await scene.approve()
        let login = try await Flow.logIn(scene.lost.person, scene.device, client)
        let disguised = Flow(client: client, kind: .recoveries, handle: login.handle, challenge: login.challenge)
        try expectProblem(try await disguised.prove(scene.device), "flow.wrong_step")
        let (flow, _) = try await client.askToRecover(scene.lost.person, scene.device)
        let change = Flow(client: client, kind: .changes, handle: flow.handle, challenge: flow.challenge)
        try expectProblem(try await change.step("credentials", scene.renewed.credentials), "request.invalid")
        let registration = Flow(client: client, kind: .registrations, handle: flow.handle, challenge: flow.challenge)
        try expectProblem(
            try await registration.step("credentials", scene.renewed.credentials), "flow.wrong_step")
    }
}
