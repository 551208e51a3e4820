import Canonical
import Foundation
import IdentityService
import Testing

@Suite(.onServer)
struct `The mail of a registration` {
    @Test func `goes to an address only, and no user id changes its header`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            for userId in [
                "@mail.example", "alice@", "a@b@mail.example", "<alice@mail.example>",
                "alice@mail.example, eve@mail.example", "alice eve@mail.example", "\"alice\"@mail.example",
                "älice@mail.example", "alice@mäil_.example", "alice@-mail.example", "alice@mail..example",
                "alice@mail.example\r\nBcc: eve@mail.example", "alice\nBcc:eve@mail.example", "alice\r@mail.example",
                "alice@mail.example\u{0}", "alice@mail.example\u{2028}Bcc: eve@mail.example",
                "alice@mail.example%0d%0aBcc:eve@mail.example", String(repeating: "a", count: 250) + "@b.example",
            ] {
                try await scene.expectRefusal("request.invalid", userId) { try await scene.pins.start(userId) }
            }
            // Names that are no addresses wait for a code, a decision or a link.
            for userId in ["E-1001", "a name", "e-1@mpin.example.dummy-email"] {
                #expect(try await scene.pins.started(userId).isActive == false, "\(userId)")
            }
            #expect(try await scene.world.count("MailQueued") == 0)
            #expect(mailbox.copies.isEmpty)
        }
    }

    @Test func `has the user id as its only recipient, and no text of the caller in its header`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let name = "Phone =?utf-8?B?QmNj?= <b>Bcc: eve@mail.example</b>", data = "Subject: evil"
            for userId in ["alice@mail.example", "al.ice+x!#$%&'*/=?^_`{|}~-@mail.example"] {
                let more: [String: JSONValue] = ["deviceName": .string(name), "userData": .string(data)]
                let enrolment = try await scene.pins.started(userId, more)
                let link = try await scene.mailedLink(to: enrolment, in: mailbox)
                let copy = try #require(mailbox.copies.last)
                #expect(copy.link == link && copy.mail.recipient == userId && copy.mail.sender == "tenure@id.example")
                #expect(copy.header("To") == ["<\(userId)>"] && copy.header("From") == ["\"Tenure\""])
                #expect(copy.text.contains("From: \"Tenure\"\r\n <tenure@id.example>\r\n"))
                #expect(copy.header("Message-ID") == ["<\(copy.mail.id.uuidString.lowercased())@id.example>"])
                for field in ["Bcc", "Cc", "Reply-To", "Resent-To"] { #expect(copy.header(field).isEmpty) }
                #expect(copy.header("Subject").count == 1)
                #expect(mail(copy.mail.content, hasNo: [name, data, "Bcc", enrolment.regOTT, enrolment.mpinId]))
            }
            // A name with a line end is refused before anything is written.
            try await scene.expectRefusal("request.invalid") {
                try await scene.pins.start("bob@mail.example", ["deviceName": "Phone\r\nBcc: eve@mail.example"])
            }
            #expect(mailbox.copies.count == 2)
        }
    }

    @Test func `goes to the A-labels of an address`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let enrolment = try await scene.pins.started("Alice@Straße.example")
            _ = try await scene.mailedLink(to: enrolment, in: mailbox)
            let copy = try #require(mailbox.copies.last)
            #expect(copy.mail.recipient == "Alice@xn--strae-oqa.example")
            #expect(copy.header("To") == ["<Alice@xn--strae-oqa.example>"])
        }
    }

    private func mail(_ content: [UInt8], hasNo texts: [String]) -> Bool {
        let text = String(decoding: content, as: UTF8.self).replacingOccurrences(of: "=\r\n", with: "")
        return content.allSatisfy { $0 < 0x80 } && texts.allSatisfy { !text.contains($0) }
    }

    @Test func `is refused where none can be sent`() async throws {
        try await withMPin(policy: [:]) { scene in
            try await scene.expectRefusal("mail.unavailable") { try await scene.pins.start("alice@mail.example") }
            #expect(try await scene.world.count("MPinRegistrationStarted") == 0)
            // A code takes the place of the mail.
            let code = try await scene.issueCode(for: "alice@mail.example")
            let enrolment = try await scene.pins.started("alice@mail.example", ["activateCode": .string(code)])
            #expect(enrolment.isActive)
            #expect(try await scene.world.count("MailQueued") == 0)
        }
    }

    @Test func `is sent five times to one address, and three times by one app`() async throws {
        let mailbox = Mailbox()
        try await withMPin(policy: [:], mailbox: mailbox) { scene in
            let app = try await scene.world.makeApp(name: "second")
            try await scene.world.linkApp(app, to: scene.company)
            let second = scene.pins.by(app)
            for userId in ["many@mail.example", "MANY@mail.example", "many@MAIL.example"] {
                #expect(try await scene.pins.start(userId).status == 200, "\(userId)")
            }
            try await scene.expectLimited("an app's fourth", scene.pins, mailbox)
            for _ in 4...5 { #expect(try await second.start("many@mail.example").status == 200) }
            for pins in [second, scene.pins] { try await scene.expectLimited("the sixth", pins, mailbox) }
            // Another company's mails to the address count too, because the reader is the same.
            _ = try await scene.client.found("other.example")
            try await scene.expectLimited("another company", scene.pins.of("other.example"), mailbox)
            #expect(try await scene.pins.start("few@mail.example").status == 200, "another address")
            try await scene.mailsSettle()
            #expect(mailbox.copies.count == 6)
            scene.clock.pass(.seconds(721))
            #expect(try await second.start("many@mail.example").status == 200, "one comes back")
            try await scene.expectLimited("the next", second, mailbox)
        }
    }
}

extension MPinScene {
    /// Expects that a start for the address of the test is refused, and that nothing is sent.
    fileprivate func expectLimited(_ what: String, _ pins: MPinScenarioClient, _ mailbox: Mailbox) async throws {
        try await mailsSettle()
        let before = mailbox.copies.count
        try await expectRefusal("request.rate_limited", what) { try await pins.start("many@mail.example") }
        #expect(mailbox.copies.count == before, "\(what)")
    }
}
