import Canonical
import Foundation
import IdentityService
import Postgres
import Testing

/// Who does not come back, and what races do not change.
@Suite(.onServer)
struct `No return` {
    @Test func `opens without a verified address`() async throws {
        try await ReturnScene.with("no-return-address.example", isVerified: false) { scene in
            try expectProblem(try await scene.comeBack(), "return.not_permitted")
            #expect(try await scene.count("ReturnRequested") == 0)
        }
    }

    @Test func `opens with an address that was verified less than 30 days ago`() async throws {
        try await ReturnScene.with("no-return-young.example", aged: .seconds(29 * 86_400)) { scene in
            try expectProblem(try await scene.comeBack(), "return.not_permitted")
            // The mail that confirms the address, and the welcome.
            #expect(scene.mailbox.copies.count == 2)
            scene.clock.pass(.seconds(86_460))
            expectOutcome(try await scene.comeBack(), "authorizationPending")
        }
    }

    @Test func `opens with a wrong credential, and none for an ordinary employee or an unknown one`() async throws {
        try await ReturnScene.with("no-return-wrong.example") { scene in
            let client = scene.client
            var wrong = scene.founder.person
            wrong.passphrase = "something else entirely"
            let flow = try await Flow.comeBack(wrong, scene.device, client)
            let asked = try await flow.prove(scene.device)
            try expectProblem(try await flow.complete(wrong, asked), "passphrase.incorrect")
            let colleague = try await client.join(Person("colleague", at: scene.company))
            for person in [colleague.person, Person("nobody", at: scene.company)] {
                let device = Device()
                let flow = try await Flow.comeBack(person, device, client)
                let asked = try await flow.prove(device)
                let reply = try await flow.complete(person, asked)
                try expectProblem(reply, person.id == "nobody" ? reply.code ?? "" : "return.not_permitted")
                #expect(reply.status == 403)
            }
            #expect(try await scene.count("ReturnRequested") == 0)
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `opens where another admin has a device key, even if it is appointed after the request`() async throws {
        try await ReturnScene.with("no-return-admin.example") { scene in
            let client = scene.client
            let link = try await scene.requested()
            let colleague = try await client.join(Person("colleague", at: scene.company))
            let founder = try await client.again(scene.founder)
            try await client.appoint(colleague, by: founder)
            #expect(try await scene.follow(link).status == 400)
            #expect(try await scene.count("ReturnOpened") == 0)
            try expectProblem(try await scene.comeBack(), "return.not_permitted")
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `is completed where an admin was appointed meanwhile`() async throws {
        try await ReturnScene.with("no-return-appointed.example") { scene in
            let client = scene.client
            let colleague = try await client.join(Person("colleague", at: scene.company))
            let founder = try await client.again(scene.founder)
            try await scene.opened()
            // A session from before still signs: it need not log in, which would cancel.
            try await client.appoint(colleague, by: founder)
            scene.clock.pass(.seconds(49 * 3_600))
            try expectProblem(try await scene.comeBack(), "return.not_permitted")
            #expect(try await scene.count("ReturnCompleted") == 0)
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `is completed by another device, or after 72 hours`() async throws {
        try await ReturnScene.with("no-return-other.example") { scene in
            try await scene.opened()
            try expectProblem(try await scene.comeBack(Device()), "return.in_progress")
            scene.clock.pass(.seconds((48 + 72) * 3_600))
            // The same device asks anew.
            expectOutcome(try await scene.comeBack(), "authorizationPending")
            #expect(try await scene.count("ReturnCompleted") == 0)
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `opens by a forged link or one that has expired`() async throws {
        try await ReturnScene.with("no-return-link.example") { scene in
            let link = try await scene.requested()
            let parts = link.split(separator: "?")
            for bad in [
                link.replacing(/key=./, with: link.contains("key=0") ? "key=1" : "key=0"),
                link.replacingOccurrences(of: "expires=", with: "expires=9"),
                "\(parts[0])/cancellation?\(parts[1])",
                link.replacingOccurrences(of: scene.company, with: "another.example"),
            ] {
                let page = try await scene.follow(bad)
                #expect((400..<500).contains(page.status), "\(page)")
            }
            scene.clock.pass(.seconds(86_401))
            #expect(try await scene.follow(link).status == 410)
            #expect(try await scene.count("ReturnOpened") == 0)
        }
    }

    @Test func `is helped by an app with AUTHORIZATION`() async throws {
        try await ReturnScene.with("no-return-app.example") { scene in
            try await scene.opened()
            try expectProblem(
                try await scene.client.authorize(scene.device, of: scene.founder.person),
                "authorization.not_permitted")
            try expectProblem(
                try await scene.client.post(
                    scene.client.path(scene.founder.person, "/keys/\(scene.device.fingerprint)/refusal"),
                    ["reason": "lost"]), "authorization.not_permitted")
        }
    }

    @Test func `of two that race opens a second time`() async throws {
        try await ReturnScene.with("no-return-two.example") { scene in
            let first = Device(), second = Device()
            let links = [try await scene.requested(first), try await scene.requested(second)]
            let replies = try await withThrowingTaskGroup(of: Int.self) { group in
                for link in links + links { group.addTask { try await scene.follow(link).status } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(replies.contains(200))
            #expect(try await scene.count("ReturnOpened") == 1)
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `is both completed and cancelled`() async throws {
        try await ReturnScene.with("no-return-race.example") { scene in
            try await scene.opened()
            let link = try await scene.cancellingLink()
            scene.clock.pass(.seconds(49 * 3_600))
            async let completing = scene.comeBack()
            async let cancelling = scene.follow(link)
            let (completed, cancelled) = try await (completing, cancelling)
            let ended = try await scene.count("ReturnCancelled"), done = try await scene.count("ReturnCompleted")
            #expect(ended + done == 1, "\(completed) \(cancelled)")
            #expect((cancelled.status == 200) == (ended == 1))
            #expect((completed.outcome == "success") == (done == 1))
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `is completed while the old device logs in`() async throws {
        try await ReturnScene.with("no-return-login-race.example") { scene in
            try await scene.opened()
            scene.clock.pass(.seconds(49 * 3_600))
            async let completing = scene.comeBack()
            async let entering = scene.client.logIn(scene.founder.person, scene.founder.device)
            let (completed, entered) = try await (completing, entering)
            expectOutcome(entered, "success")
            let ended = try await scene.count("ReturnCancelled"), done = try await scene.count("ReturnCompleted")
            #expect(ended + done == 1, "\(completed) \(entered)")
            #expect((completed.outcome == "success") == (done == 1))
            #expect((notice(entered) == "return.cancelled") == (ended == 1))
            #expect(try await scene.violations() == [])
        }
    }

    /// The rows of words of a page.
    private func rows(_ reply: HTTPReply) -> [String] {
        String(decoding: reply.body, as: UTF8.self).matches(of: /name="words" value="([0-9a-f]{16})"/)
            .map { String($0.output.1) }
    }

    @Test func `opens without the words of the new device, and a second wrong choice ends the request`() async throws {
        try await ReturnScene.with("no-return-words.example") { scene in
            let right = try await scene.requested(),
                link =
                    String(right.prefix { $0 != "&" })
                    + String(
                        try #require(right.firstMatch(of: /&key=[0-9a-f]+/)).output)
            let page = String(decoding: try await scene.follow(link, "GET").body, as: UTF8.self)
            #expect(!page.contains(scene.device.fingerprint.prefix(16)) && !page.contains("<form"), "\(page)")
            let rows = self.rows(try await scene.follow(link))
            #expect(rows.count == 3 && rows.contains(String(scene.device.fingerprint.prefix(16))), "\(rows)")
            #expect(self.rows(try await scene.follow(link)) == rows, "a look without a choice tells the decoys")
            let wrong = rows.filter { !right.hasSuffix($0) }
            let first = try await scene.follow(link + "&words=" + wrong[0])
            #expect(first.status == 200 && String(decoding: first.body, as: UTF8.self).contains("something else"))
            #expect(try await scene.follow(link + "&words=" + wrong[1]).status == 410)
            #expect(try await scene.follow(right).status == 400)
            #expect(try await scene.count("ReturnOpened") == 0)
            let ended = try #require(
                try await scene.client.events(scene.company).last { $0["type"]?.text == "ReturnCancelled" })
            #expect(ended["data"]?["reason"] == "words")
            // The end stands in the log, so it needs no count.
            _ = try await scene.world.number("DELETE FROM tenure.budget RETURNING 1::bigint")
            #expect(try await scene.follow(right).status == 400)
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `is lost with the process that asked for it or opened it`() async throws {
        try await ReturnScene.with("no-return-lost.example") { scene in
            let link = try await scene.requested()
            // Another process, which has nothing but the database, opens and completes; each is gone afterwards.
            try await scene.world.withSecondInstance { url in
                let other = try Client(url, scene.client.app)
                #expect(try await scene.world.press(link, at: other).status == 200)
            }
            #expect(try await scene.count("ReturnOpened") == 1)
            scene.clock.pass(.seconds(49 * 3_600))
            try await scene.world.withSecondInstance { url in
                let other = try Client(url, scene.client.app)
                let flow = try await Flow.comeBack(scene.founder.person, scene.device, scene.client).at(other)
                let asked = try await flow.prove(scene.device)
                expectOutcome(try await flow.complete(scene.founder.person, asked), "success")
            }
            #expect(try await scene.violations() == [])
        }
    }

    @Test func `is completed twice by a repeated call, which gets the same reply`() async throws {
        try await ReturnScene.with("no-return-repeated.example") { scene in
            try await scene.opened()
            scene.clock.pass(.seconds(49 * 3_600))
            let flow = try await Flow.comeBack(scene.founder.person, scene.device, scene.client)
            let asked = try await flow.prove(scene.device)
            let key = UUID().uuidString
            let first = try await flow.complete(scene.founder.person, asked, key: key)
            expectOutcome(first, "success")
            let again = try await flow.complete(scene.founder.person, asked, key: key)
            #expect(again.body == first.body)
            #expect(try await scene.count("ReturnCompleted") == 1)
            #expect(try await scene.violations() == [])
        }
    }
}
