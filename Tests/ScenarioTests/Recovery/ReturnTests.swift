import Canonical
import Foundation
import IdentityService
import Testing

/// A founder who is alone and has lost the device comes back by mail, credential and time.
@Suite(.onServer)
struct `The return of a security admin` {
    @Test(arguments: [false, true])
    func `takes a mail, a credential and 48 hours, and gives the role to the new device alone`(
        blind: Bool
    ) async throws {
        try await ReturnScene.with("return-\(blind).example") { scene in
            let client = scene.client
            let old = try await client.again(scene.founder)
            let link = try await scene.requested(blind: blind)
            // Opening the link changes nothing; its button opens the return, once.
            #expect(try await scene.follow(link, "GET").status == 200)
            #expect(try await scene.count("ReturnOpened") == 0)
            for _ in 1...2 { #expect(try await scene.follow(link).status == 200) }
            #expect(try await scene.count("ReturnOpened") == 1)

            let early = try await scene.comeBack(blind: blind)
            try expectProblem(early, "return.not_available")
            let wait = try #require(early.headers["retry-after"].flatMap(Int.init))
            #expect((172_700...172_800).contains(wait), "\(wait)")
            // Every reply to a session says so meanwhile.
            for reply in [
                try await client.get("/v1/devices", by: old.session), try await client.get("/v1/me", by: old.session),
                try await client.post(
                    "/v1/sessions/refresh", ["refreshToken": .string(old.refreshToken)], by: .nobody),
            ] {
                #expect(notice(reply) == "return.opened", "\(reply)")
                #expect(reply["notices"]?.items.first?["availableAt"]?.text == early["availableAt"]?.text)
            }
            scene.clock.pass(.seconds(48 * 3_600 - 60))
            try expectProblem(try await scene.comeBack(blind: blind), "return.not_available")
            scene.clock.pass(.seconds(61))
            let back = try Member(scene.founder.person, scene.device, try await scene.comeBack(blind: blind))
            expectOutcome(try await scene.administer(back), "done")
            try expectProblem(try await client.get("/v1/sessions", by: old.session), "session.invalid")
            let again = try await client.again(scene.founder)
            try expectProblem(try await scene.administer(again), "authorization.not_permitted")
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `is told by mail at the opening, in the middle and a day before the end`() async throws {
        try await ReturnScene.with("return-mails.example") { scene in
            let founder = try await scene.client.again(scene.founder)
            try await scene.client.change(
                policy: ["recoveryDelayHours": 48], of: scene.company, by: founder)
            let before = scene.mailbox.copies.count
            try await scene.opened()
            try await scene.world.until { scene.mailbox.copies.count == before + 2 }
            var count = before + 2
            // The wait is 96 hours: reminders are due after 48 and 72.
            for hours in [49, 24] {
                scene.clock.pass(.seconds(hours * 3_600))
                try await scene.world.until { scene.mailbox.copies.count == count + 1 }
                _ = try await scene.cancellingLink(after: count)
                count += 1
            }
            try expectProblem(try await scene.comeBack(), "return.not_available")
            scene.clock.pass(.seconds(24 * 3_600))
            expectOutcome(try await scene.comeBack(), "success")
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `is cancelled by the link of a mail, whose page changes nothing`() async throws {
        try await ReturnScene.with("return-mail.example") { scene in
            try await scene.opened()
            let link = try await scene.cancellingLink()
            #expect(try await scene.follow(link, "GET").status == 200)
            #expect(try await scene.count("ReturnCancelled") == 0)
            for _ in 1...2 { #expect(try await scene.follow(link).status == 200) }
            let ended = try #require(
                try await scene.client.events(scene.company).last {
                    $0["type"]?.text == "ReturnCancelled"
                })
            #expect(ended["data"]?["reason"]?.text == "mail")
            #expect(try await scene.count("ReturnCancelled") == 1)
            scene.clock.pass(.seconds(49 * 3_600))
            // The same device asks anew.
            expectOutcome(try await scene.comeBack(), "authorizationPending")
            #expect(try await scene.count("ReturnCompleted") == 0)
            let founder = try await scene.client.again(scene.founder)
            expectOutcome(try await scene.administer(founder), "done")
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `is cancelled by a log-in on the old device, which says so`() async throws {
        try await ReturnScene.with("return-login.example") { scene in
            try await scene.opened()
            // A right credential on any other device cancels nothing.
            expectOutcome(try await scene.client.logIn(scene.founder.person, Device()), "authorizationPending")
            #expect(try await scene.count("ReturnCancelled") == 0)
            let login = try await scene.client.logIn(scene.founder.person, scene.founder.device)
            expectOutcome(login, "success")
            #expect(notice(login) == "return.cancelled", "\(login)")
            let ended = try #require(
                try await scene.client.events(scene.company).last {
                    $0["type"]?.text == "ReturnCancelled"
                })
            #expect(ended["data"]?["reason"]?.text == "login")
            #expect(ended["data"]?["fingerprint"]?.text == scene.founder.device.fingerprint)
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `is cancelled by a statement of the old device, also after it was revoked, and by no other`()
        async throws
    {
        try await ReturnScene.with("return-signed.example") { scene in
            // A second device, which the first one revokes again.
            let tablet = Device()
            let founder = try await scene.client.again(scene.founder)
            expectOutcome(try await scene.client.logIn(scene.founder.person, tablet), "authorizationPending")
            let path = scene.client.path(
                scene.founder.person, "/keys/\(tablet.fingerprint)/authorization")
            expectOutcome(try await scene.client.signed(by: founder, "POST", path), "done")
            try await scene.opened()
            try expectProblem(try await scene.cancel(with: Device()), "return.unknown")
            try expectProblem(try await scene.cancel(with: scene.device), "return.unknown")
            expectOutcome(try await scene.cancel(with: tablet), "done")
            try expectProblem(try await scene.cancel(with: tablet), "return.unknown")
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `can be undone for 30 days by a key that the new one has revoked`() async throws {
        try await ReturnScene.with("return-undone.example") { scene in
            let client = scene.client, person = scene.founder.person
            let back = try await scene.completed()
            // What the new device does with the old one, and which devices it lets in, does not help it.
            expectOutcome(try await client.revoke(scene.founder.device, of: person, by: back), "done")
            let third = Device()
            expectOutcome(try await client.logIn(person, third), "authorizationPending")
            expectOutcome(
                try await client.signed(
                    by: back, "POST", client.path(person, "/keys/\(third.fingerprint)/authorization")), "done")
            let puppet = try await client.join(Person("puppet", at: scene.company))
            let keys: JSONValue = .array([.string(puppet.device.fingerprint)])
            let succession = try await client.signed(
                by: back, "POST", client.path(puppet.person, "/role"),
                ["role": "securityAdmin", "fingerprints": keys])
            try expectProblem(succession, "authorization.not_permitted")
            try expectProblem(try await scene.cancel(with: third), "return.unknown")

            expectOutcome(try await scene.cancel(with: scene.founder.device), "done")
            for device in [scene.device, third] {
                try expectProblem(try await client.logIn(person, device), "authorization.not_permitted")
            }
            try expectProblem(try await client.get("/v1/sessions", by: back.session), "session.invalid")
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `cannot be undone after 30 days`() async throws {
        try await ReturnScene.with("return-final.example") { scene in
            let back = try await scene.completed()
            expectOutcome(try await scene.administer(back), "done")
            scene.clock.pass(.seconds(30 * 86_400))
            try expectProblem(try await scene.cancel(with: scene.founder.device), "return.unknown")
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `gives the role back to the old device when it is undone`() async throws {
        try await ReturnScene.with("return-back.example") { scene in
            _ = try await scene.completed()
            expectOutcome(try await scene.cancel(with: scene.founder.device), "done")
            let founder = try await scene.client.again(scene.founder)
            expectOutcome(try await scene.administer(founder), "done")
            #expect(try await scene.violations() == [])
        }
    }
}
