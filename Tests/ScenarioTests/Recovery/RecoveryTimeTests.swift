import Canonical
import IdentityService
import Ledger
import TestSupport
import Testing

/// A recovery takes two persons and time, by the service's own clock.
@Suite(.onServer)
struct `The waiting time of a recovery` {
    private func violations(_ world: TenureWorld) async throws -> [String] {
        var request = VerifyRequest(key: try await world.logKey())
        request.now = world.options.settings.now
        let report = try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }
        return report.violations.map(\.detail)
    }

    private func refreshed(_ member: Member, _ client: Client) async throws -> HTTPReply {
        try await client.post("/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .nobody)
    }

    private func notice(_ reply: HTTPReply) -> JSONValue? { reply["notices"]?.items.first }

    @Test func `keeps a security admin with a sock puppet from a quick takeover`() async throws {
        let clock = TestClock()
        try await inTurn(.waiting(clock)) { world in
            let scene = try await RecoveryScene("puppet.example", try world.client), client = scene.client
            try await scene.approve()
            let early = try await scene.ask()
            try expectProblem(early, "recovery.not_available")
            let wait = try #require(early.headers["retry-after"].flatMap(Int.init))
            #expect((86_000...86_400).contains(wait))
            let shown = try #require(try await client.recoveries("puppet.example", by: scene.founder).values.first)
            #expect(shown["availableAt"]?.text == early["availableAt"]?.text && shown["soleAdmin"] == nil)

            // The victim is told in every reply to a session, and what was opened is cancelled by a log-in.
            for reply in [
                try await client.get("/v1/devices", by: scene.lost.session),
                try await refreshed(scene.lost, client),
            ] {
                let told = try #require(notice(reply), "\(reply)")
                #expect(told["type"]?.text == "recovery.opened" && told["openedBy"]?.text == "founder")
                #expect(told["availableAt"]?.text == early["availableAt"]?.text)
                #expect(told["cancelBefore"]?.text == early["availableAt"]?.text && told["openedAt"]?.text != nil)
            }
            #expect(try await client.get("/v1/devices", by: scene.founder.session)["notices"] == nil)
            let login = try await client.logIn(scene.lost.person, scene.lost.device)
            expectOutcome(login, "success")
            #expect(notice(login)?["type"]?.text == "recovery.cancelled", "\(login)")
            clock.pass(.seconds(30 * 3_600))
            expectOutcome(
                try await client.finishRecovery(scene.renewed, scene.device, blind: false), "authorizationPending")
            expectOutcome(try await client.logIn(scene.lost.person, scene.lost.device), "success")
            #expect(try await violations(world) == [])
        }
    }

    @Test func `lets the victim object even after their devices were revoked`() async throws {
        let clock = TestClock()
        try await inTurn(.waiting(clock)) { world in
            let scene = try await RecoveryScene("silenced.example", try world.client), client = scene.client
            let victim = scene.lost
            expectOutcome(try await client.revoke(victim.device, of: victim.person, by: scene.founder), "done")
            try await scene.approve()
            let login = try await client.logIn(victim.person, victim.device)
            try expectProblem(login, "authorization.not_permitted")
            #expect(notice(login)?["type"]?.text == "recovery.cancelled", "\(login)")
            try expectProblem(try await scene.confirm(), "recovery.unknown")

            // Again, and now without secrets: the revoked key's signature is enough, and no other key's.
            try await scene.approve()
            try expectProblem(
                try await client.cancelRecovery(of: victim.person, with: Device()), "recovery.unknown")
            try expectProblem(
                try await client.cancelRecovery(of: Person("nobody", at: "silenced.example"), with: victim.device),
                "recovery.unknown")
            try expectProblem(
                try await client.cancelRecovery(of: victim.person, with: scene.device), "recovery.unknown")
            expectOutcome(try await client.cancelRecovery(of: victim.person, with: victim.device), "done")
            clock.pass(.seconds(25 * 3_600))
            expectOutcome(
                try await client.finishRecovery(scene.renewed, scene.device, blind: false), "authorizationPending")
            #expect(try await violations(world) == [])
        }
    }

    @Test(arguments: [true, false]) func `ends with the same device completing the recovery`(blind: Bool) async throws {
        let clock = TestClock()
        try await inTurn(.waiting(clock)) { world in
            let scene = try await RecoveryScene("back-\(blind).example", try world.client), client = scene.client
            try await scene.approve()
            clock.pass(.seconds(86_400 - 60))
            try expectProblem(try await scene.ask(), "recovery.not_available")
            clock.pass(.seconds(61))
            expectOutcome(
                try await client.finishRecovery(scene.renewed, scene.device, blind: blind), "authorizationPending")
            try expectProblem(try await client.logIn(scene.lost.person, scene.lost.device), "passphrase.incorrect")
            #expect(try await violations(world) == [])
        }
    }

    @Test func `is skipped if a device confirms that was authorized for the whole time`() async throws {
        let clock = TestClock()
        try await inTurn(.waiting(clock)) { world in
            let first = try await RecoveryScene("known.example", try world.client), client = first.client
            expectOutcome(try await first.open(), "done")
            expectOutcome(try await first.confirm(by: first.lost), "done")
            // The device is as new as the recovery.
            try expectProblem(try await first.ask(), "recovery.not_available")
            expectOutcome(try await client.cancelRecovery(first.lost.person, first.device, by: first.founder), "done")
            clock.pass(.seconds(25 * 3_600))
            let scene = try await first.later(), owner = try await client.again(first.lost)
            expectOutcome(try await scene.open(), "done")
            expectOutcome(try await scene.confirm(by: owner), "done")
            expectOutcome(
                try await client.finishRecovery(scene.renewed, scene.device, blind: false), "authorizationPending")
            #expect(try await violations(world) == [])
        }
    }

    @Test func `is doubled, with one person's decision, in a tenant with one admin`() async throws {
        let clock = TestClock()
        try await inTurn(.waiting(clock)) { world in
            let client = try world.client, company = "sole.example"
            let founder = try await client.found(company)
            let lost = try await client.join(Person("lost", at: company))
            var new = lost.person
            new.passphrase = "another passphrase"
            let device = Device()
            expectOutcome(try await client.decide("opening", lost.person, device, by: founder), "done")
            let shown = try #require(try await client.recoveries(company, by: founder).values.first)
            #expect(shown["soleAdmin"] == .bool(true) && shown["state"]?.text == "opened", "\(shown)")
            clock.pass(.seconds(25 * 3_600))
            try expectProblem(try await client.askToRecover(new, device).reply, "recovery.not_available")
            clock.pass(.seconds(24 * 3_600))
            expectOutcome(try await client.finishRecovery(new, device, blind: true), "authorizationPending")
            let opened = try await client.events(company).last { $0["type"]?.text == "RecoveryOpened" }
            #expect(opened?["data"]?["soleAdmin"] == .bool(true))
            #expect(try await violations(world) == [])
        }
    }

    @Test func `does not replace a known device or the address owner for a user with other accounts`() async throws {
        let clock = TestClock()
        try await inTurn(.waiting(clock)) { world in
            let client = try world.client, company = "two.example", elsewhere = "two-elsewhere.example"
            let person = Person("lost", at: company, email: "\(Person.word())@\(company)")
            let scene = try await RecoveryScene(company, client, lost: person)
            _ = try await client.found(elsewhere)
            let there = try await client.join(person.also("contractor", at: elsewhere))
            // No device was there long enough, and the domain is not confirmed: two admins recover nothing.
            try expectProblem(try await scene.open(), "recovery.other_companies")
            try await world.confirmDomain(of: company)
            try await scene.approve()
            try expectProblem(try await scene.ask(), "recovery.not_available")
            let told = try #require(notice(try await client.get("/v1/devices", by: there.session)))
            #expect(told["type"]?.text == "recovery.opened" && told["openedBy"] == nil, "\(told)")
            clock.pass(.seconds(25 * 3_600))
            expectOutcome(
                try await client.finishRecovery(scene.renewed, scene.device, blind: false), "authorizationPending")
            #expect(try await violations(world) == [])
        }
    }
}
