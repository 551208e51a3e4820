import Canonical
import Foundation
import IdentityService
import Ledger
import Postgres
import TestSupport
import Testing

@Suite(.onServer)
struct `The log of M-Pin as an outsider sees it` {
    private func verify(_ scene: MPinScene) async throws -> VerifyReport {
        var request = VerifyRequest(key: try await scene.world.logKey())
        request.now = scene.world.options.settings.now
        return try await scene.world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }
    }

    /// A log with every kind of event that M-Pin has.
    private func fill(_ scene: MPinScene) async throws {
        let creating = try await scene.unauthorized()
        let member = try await scene.employee("member")
        for stage in MPinStage.allCases { _ = try await scene.holder(in: stage) }
        let slow = try await creating.started("slow")
        scene.clock.pass(.seconds(61))
        #expect(try await creating.restart(slow).status == 200)
        expectOutcome(
            try await scene.client.signed(by: scene.founder, "POST", scene.path(slow, "/verification")), "done")
        let code = try await scene.issueCode(for: "coded")
        _ = try await creating.start("coded", ["activateCode": .string(scene.other(than: code))])
        #expect(try await creating.started("coded", ["activateCode": .string(code)]).isActive)
        let holder = try await scene.linkedHolder(of: member)
        expectMPinProblem(try await scene.pins.prove(holder, pin: holder.wrongPIN), "mpin.wrong_pin")
        #expect(try await scene.pins.prove(holder).status == 200)
        try await scene.change(["opensSessions": true])
        let flow = try await Flow.logIn(member.person, member.device, scene.client)
        _ = try await flow.prove(member.device)
        let reply = try await flow.step("mpin", ["authOTT": .string(try await scene.pins.authOTT(holder))])
        expectOutcome(reply, "success")
        expectOutcome(
            try await scene.client.signed(
                by: member, "POST", scene.path(holder.enrolment, "/revocation"), ["reason": "lost"]), "done")
    }

    @Test func `verifies with every kind of event, at no D-TA`() async throws {
        try await withMPin { scene in
            try await fill(scene)
            for type in [
                "MPinPolicyChanged", "MPinRegistrationStarted", "MPinRegistrationRestarted", "MPinLinked",
                "MPinIdentityVerified", "MPinClientKeyIssued", "MPinRegistered", "MPinAuthenticationFailed",
                "MPinFailuresCleared", "MPinBlocked", "MPinRevoked", "MPinAuthenticated", "MPinValidated",
                "MPinActivationIssued", "MPinActivationFailed", "MPinActivationUsed",
            ] { #expect(try await scene.world.count(type) > 0, "\(type)") }
            let calls = scene.keys.calls
            scene.keys.setDown(true)
            let report = try await verify(scene)
            #expect(report.violations == [], "\(report.violations)")
            #expect(scene.keys.calls == calls)
        }
    }

    @Test(arguments: [
        ("MPinPolicyChanged", #""maximumFailures":3"#, #""maximumFailures":5"#),
        ("MPinPolicyChanged", #""opensSessions":true"#, #""opensSessions":false"#),
        ("MPinAuthenticationFailed", #""failures":1"#, #""failures":2"#),
        ("MPinIdentityVerified", #""method":"device""#, #""method":"email""#),
        ("MPinBlocked", #""reason":"failures""#, #""reason":"lifetime""#),
        ("MPinRevoked", #""reason":"revoked""#, #""reason":"expired""#),
    ])
    func `does not verify after a change in the database`(type: String, old: String, new: String) async throws {
        try await withMPin { scene in
            try await fill(scene)
            let position = try await scene.world.forge(type, of: scene.company) { _ in [(old: old, new: new)] }
            let report = try await verify(scene)
            #expect(report.violations.contains { $0.position == position }, "\(report.violations)")
        }
    }

    @Test(arguments: [
        ("MPinLinked", "fingerprint"), ("MPinLinked", "signature"), ("MPinPolicyChanged", "signature"),
        ("MPinRevoked", "signature"), ("MPinValidated", "deviceSignature"), ("MPinValidated", "challenge"),
        ("MPinActivationIssued", "subject"), ("MPinRegistrationStarted", "mpinIdHash"),
    ])
    func `does not verify with another signature, key or hash`(type: String, member: String) async throws {
        try await withMPin { scene in
            try await fill(scene)
            _ = try await scene.world.forge(type, of: scene.company) { data in
                let text = try #require(data[member]?.text ?? data["by"]?[member]?.text)
                var changed = Array(text)
                changed[20] = changed[20] == "a" ? "b" : "a"
                return [(old: text, new: String(changed))]
            }
            let report = try await verify(scene)
            #expect(!report.violations.isEmpty, "\(type) with another \(member)")
        }
    }

    @Test func `does not verify without the block that a limit brings`() async throws {
        try await withMPin { scene in
            _ = try await scene.holder(in: .blocked)
            let ledger = try await scene.world.ledger(scene.company).uuid
            // Whoever owns the database turns the block into something harmless before the next checkpoint.
            _ = try await scene.world.superuser { connection in
                try await connection.query(
                    "DELETE FROM tenure.event WHERE ledger_id = \(ledger) AND type = 'MPinBlocked'")
            }
            #expect(try await verify(scene).violations.isEmpty == false)
        }
    }

    @Test func `shows the state at each date`() async throws {
        try await withMPin { scene in
            let creating = try await scene.unauthorized()
            var dates: [(date: String, types: [String])] = []
            func remember(_ types: [String]) {
                dates.append((scene.clock.now.description, types))
                scene.clock.pass(.seconds(2))
            }
            let enrolment = try await creating.started("dated")
            remember(["MPinRegistrationStarted"])
            expectOutcome(try await scene.client.post(scene.path(enrolment, "/verification"), [:]), "done")
            remember(dates[0].types + ["MPinIdentityVerified"])
            let holder = try await creating.confirmed(enrolment)
            remember(dates[1].types + ["MPinClientKeyIssued"])
            #expect(try await scene.pins.prove(holder).status == 200)
            remember(dates[2].types + ["MPinRegistered"])
            _ = try await scene.pins.prove(holder, pin: holder.wrongPIN)
            remember(dates[3].types + ["MPinAuthenticationFailed"])
            #expect(try await scene.pins.prove(holder).status == 200)
            remember(dates[4].types + ["MPinFailuresCleared"])
            expectOutcome(try await scene.revoke(enrolment), "done")
            remember(dates[5].types + ["MPinRevoked"])
            scene.keys.setDown(true)
            for (date, types) in dates {
                let events = try await scene.client.events(scene.company, "as_of=\(date)", by: scene.founder.session)
                let own = events.filter { $0["stream"]?.text == "mpin/\(enrolment.identityId)" }
                #expect(own.compactMap { $0["type"]?.text } == types, "\(date)")
            }
        }
    }
}
