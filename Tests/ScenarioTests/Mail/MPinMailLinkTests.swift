import Canonical
import ErrorCodes
import Foundation
import Testing

/// Expects the page of a link that is refused.
private func expectRefusedPage(
    _ reply: HTTPReply, _ code: String, _ what: String = "", sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.status == ErrorCode(rawValue: code)?.status, "\(what): \(reply)", sourceLocation: sourceLocation)
    #expect(reply.headers["content-type"] == "text/html; charset=utf-8", "\(what)", sourceLocation: sourceLocation)
    let page = String(decoding: reply.body, as: UTF8.self)
    // The one script of every page shows times as the reader's clock does.
    let scripts = page.matches(of: /<script[^>]*>/).map { String($0.output) }.filter { !$0.contains("/reader.js\"") }
    #expect(!page.contains("<form") && scripts.isEmpty, "\(what)", sourceLocation: sourceLocation)
}

extension MPinScene {
    /// Follows a link as whoever has it.
    fileprivate func follow(_ link: MailedLink, _ method: String = "POST") async throws -> HTTPReply {
        try await world.follow(link.path, method)
    }

    /// Sends the code of a link by an app that has a page of its own.
    fileprivate func activate(_ enrolment: MPinEnrolment, _ key: String) async throws -> HTTPReply {
        try await pins.call("POST", "rps/user/\(enrolment.mpinId)", ["activateKey": .string(key)])
    }

    /// Starts a registration and waits for its link.
    fileprivate func mailed(
        _ userId: String, _ mailbox: Mailbox, by pins: MPinScenarioClient? = nil
    ) async throws -> (enrolment: MPinEnrolment, link: MailedLink) {
        let enrolment = try await (pins ?? self.pins).started(userId)
        #expect(!enrolment.isActive, "no app vouches where the policy asks for a mail")
        return (enrolment, try await mailedLink(to: enrolment, in: mailbox))
    }

    /// Expects that a refused link changes nothing, whether it is opened or followed.
    fileprivate func expectRefused(_ link: MailedLink, _ code: String, _ what: String) async throws {
        try await expectNothingAppended(what) {
            for method in ["GET", "POST"] {
                expectRefusedPage(try await follow(link, method), code, "\(what), \(method)")
            }
        }
    }
}

@Suite(.onServer)
struct `The link in a mail` {
    @Test func `verifies by the button on its page, and opening it changes nothing`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let (enrolment, link) = try await scene.mailed("alice@mail.example", mailbox)
            #expect(link.company == scene.company)
            try await scene.expectNothingAppended("a GET") {
                for _ in 1...3 {
                    let page = try await scene.follow(link, "GET")
                    #expect(page.status == 200 && page.headers["content-type"] == "text/html; charset=utf-8")
                    #expect(String(decoding: page.body, as: UTF8.self).contains("token="))
                }
                expectMPinProblem(try await scene.pins.confirm(enrolment), "mpin.unauthorized")
            }
            #expect(try await scene.follow(link).status == 200)
            #expect(try await scene.types(enrolment) == ["MPinRegistrationStarted", "MPinIdentityVerified"])
            let read = try await scene.client.events(scene.company, "type=MPinIdentityVerified")
            #expect(read.map { $0["data"]?["method"]?.text } == ["email"])
            try await scene.expectNothingAppended("a second time") {
                for method in ["POST", "GET"] {
                    let page = try await scene.follow(link, method)
                    #expect(page.status == 200 && !String(decoding: page.body, as: UTF8.self).contains("<form"))
                }
            }
            let holder = try await scene.pins.confirmed(enrolment)
            #expect(try await scene.pins.prove(holder).status == 200)
            #expect(try await scene.follow(link).status == 200, "also when the registration is complete")
        }
    }

    @Test func `verifies once if it is followed at the same time`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let (enrolment, link) = try await scene.mailed("raced@mail.example", mailbox)
            let replies = try await concurrently(8) { _ in try await scene.follow(link) }
            #expect(replies.allSatisfy { $0.status == 200 }, "\(replies)")
            #expect(try await scene.types(enrolment) == ["MPinRegistrationStarted", "MPinIdentityVerified"])
        }
    }

    @Test func `is refused with another identity, company, key or time`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            _ = try await scene.client.found("other.example")
            let (enrolment, link) = try await scene.mailed("alice@mail.example", mailbox)
            let (foreign, other) = try await scene.mailed(
                "alice@mail.example", mailbox, by: scene.pins.of("other.example"))
            let (second, own) = try await scene.mailed("alice@mail.example", mailbox)
            #expect(Set([link.key, other.key, own.key]).count == 3)
            func changed(_ change: (inout MailedLink) -> Void) -> MailedLink {
                var changed = link
                change(&changed)
                return changed
            }
            for (what, forged) in [
                ("another identity", changed { $0.identityId = second.identityId }),
                ("another identity's key", changed { $0.key = own.key }),
                ("an identity of another company", changed { $0.identityId = foreign.identityId }),
                ("a key of another company", changed { $0.key = other.key }),
                ("another company", changed { $0.company = "other.example" }),
                ("no company", changed { $0.company = "nobody.example" }),
                ("a key backwards", changed { $0.key = String($0.key.reversed()) }),
                ("half a key", changed { $0.key = String($0.key.prefix(32)) }),
                ("a later time", changed { $0.expires = String((Int($0.expires) ?? 0) + 3_600) }),
                ("an earlier time", changed { $0.expires = String((Int($0.expires) ?? 0) - 1) }),
                ("no time", changed { $0.expires = "x" }),
            ] { try await scene.expectRefused(forged, "mpin.unknown", what) }
            for pins in [scene.pins, scene.pins.of("other.example")] {
                for (what, key) in [("other", other.key), ("own", own.key), ("regOTT", enrolment.regOTT)] {
                    try await scene.expectRefusal("mpin.unknown", what) {
                        try await pins.call("POST", "rps/user/\(enrolment.mpinId)", ["activateKey": .string(key)])
                    }
                }
            }
            #expect(try await scene.follow(link).status == 200)
            #expect(try await scene.world.count("MPinIdentityVerified") == 1)
        }
    }

    @Test func `expires with the registration, and a restart sends another`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let (enrolment, first) = try await scene.mailed("late@mail.example", mailbox)
            try await scene.expectRefusal("request.rate_limited", "a restart too soon") {
                try await scene.pins.restart(enrolment)
            }
            scene.clock.pass(.seconds(1_800))
            #expect(try await scene.pins.restart(enrolment).status == 200)
            let second = try await scene.mailedLink(to: enrolment, in: mailbox)
            #expect(second != first && second.identityId == first.identityId)
            #expect(try await scene.follow(first, "GET").status == 200, "the first is valid as long as it says")
            scene.clock.pass(.seconds(1_801))
            try await scene.expectRefused(first, "mpin.request_expired", "the first link")
            #expect(try await scene.follow(second, "GET").status == 200)
            scene.clock.pass(.seconds(1_800))
            try await scene.expectRefused(second, "mpin.request_expired", "the second link")
            try await scene.expectRefusal("mpin.request_expired", "its code") {
                try await scene.activate(enrolment, second.key)
            }
            #expect(try await scene.pins.restart(enrolment).status == 200)
            let third = try await scene.mailedLink(to: enrolment, in: mailbox)
            #expect(try await scene.follow(third).status == 200)
            #expect(try await scene.types(enrolment).count { $0 == "MPinIdentityVerified" } == 1)
        }
    }

    @Test func `is nothing for an identity that has ended, or where the policy is off`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let (enrolment, link) = try await scene.mailed("gone@mail.example", mailbox)
            try await scene.change(["enabled": false])
            try await scene.expectRefused(link, "mpin.disabled", "no policy")
            try await scene.change(["enabled": true])
            #expect(try await scene.follow(link, "GET").status == 200)
            expectOutcome(try await scene.revoke(enrolment), "done")
            try await scene.expectRefused(link, "mpin.ended", "a revoked identity")
        }
    }

    @Test func `has a code that an app may send in its place, once`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let (enrolment, link) = try await scene.mailed("coded@mail.example", mailbox)
            let body: JSONValue = ["activateKey": .string(link.key)]
            let path = "rps/user/\(enrolment.mpinId)"
            let refused = try await scene.expectNothingAppended("a code that no app sends") {
                try await scene.pins.call("POST", path, body, by: .nobody)
            }
            #expect([401, 403].contains(refused.status), "\(refused)")
            #expect(try await scene.activate(enrolment, link.key).status == 200)
            #expect(try await scene.types(enrolment) == ["MPinRegistrationStarted", "MPinIdentityVerified"])
            let again = try await scene.expectNothingAppended("a second time") {
                try await scene.activate(enrolment, link.key)
            }
            #expect(again.status == 200)
            #expect(try await scene.follow(link).status == 200, "the link says that it is done")
            let holder = try await scene.pins.confirmed(enrolment)
            #expect(try await scene.pins.prove(holder).status == 200)
        }
    }
}
