import Canonical
import Foundation
import Transfers
import Testing

@Suite(.enabled(if: MailPeer.hasPython, Comment(rawValue: MailPeer.hint)))
struct `Sending to a mail server` {
    private func message(to recipient: String) -> SMTPMessage {
        let text = "From: <tenure@id.example>\r\nMessage-ID: <1@id.example>\r\n\r\n.dot\r\nlast\r\n"
        return SMTPMessage(sender: "tenure@id.example", recipient: recipient, content: Array(text.utf8))
    }

    private func server(
        _ peer: MailPeer, _ security: SMTPServer.Security, authority: String? = nil, login: SMTPServer.Login? = nil,
        patience: Duration = .seconds(20)
    ) throws -> SMTPSender {
        let file = authority.map { peer.directory.appendingPathComponent("\($0).pem").path }
        return SMTPSender(
            server: try SMTPServer(
                host: "127.0.0.1", port: peer.port, security: security, login: login, authorityFile: file,
                greeting: "id.example", patience: patience))
    }

    private func isUndelivered(_ outcome: SMTPOutcome) -> Bool {
        if case .undelivered = outcome { true } else { false }
    }

    private func isUnreached(_ outcome: SMTPOutcome) -> Bool {
        if case .unreached = outcome { true } else { false }
    }

    @Test func `tells acceptance, refusals and cuts apart`() async throws {
        let peer = try await MailPeer.python("plain")
        defer { peer.stop() }
        let sender = try server(peer, .none)
        #expect(await sender.send(message(to: "zoe@mail.example")) == .accepted)
        #expect(await sender.send(message(to: "refused@mail.example")) == .permanentlyRefused(550))
        #expect(await sender.send(message(to: "later@mail.example")) == .temporarilyRefused(451))
        #expect(await sender.send(message(to: "toolarge@mail.example")) == .permanentlyRefused(552))
        // After DATA it is not known whether the server has the mail.
        #expect(isUndelivered(await sender.send(message(to: "cut@mail.example"))))
        let received = try peer.received()
        #expect(received.count == 3)
        #expect(received.first?["content"]?.text?.hasSuffix("\r\n\r\n.dot\r\nlast\r\n") == true)
        #expect(received.first?["sender"]?.text == "tenure@id.example")
    }

    @Test func `ends in time with a server that says nothing`() async throws {
        let peer = try await MailPeer.python("plain")
        defer { peer.stop() }
        let started = ContinuousClock.now
        let sender = try server(peer, .none, patience: .seconds(2))
        #expect(isUndelivered(await sender.send(message(to: "stall@mail.example"))))
        #expect(ContinuousClock.now - started < .seconds(20))
    }

    @Test func `sends nothing without STARTTLS`() async throws {
        let peer = try await MailPeer.python("plain")
        defer { peer.stop() }
        let sender = try server(peer, .startTLS, authority: "right")
        #expect(isUnreached(await sender.send(message(to: "zoe@mail.example"))))
        #expect(await sender.check() == .noSTARTTLS)
        #expect(try peer.received().isEmpty)
    }

    @Test func `sends nothing to a foreign certificate`() async throws {
        let peer = try await MailPeer.python("starttls")
        defer { peer.stop() }
        let foreign = try server(peer, .startTLS, authority: "foreign")
        #expect(isUnreached(await foreign.send(message(to: "zoe@mail.example"))))
        #expect(await foreign.check() == .certificate)
        let sender = try server(peer, .startTLS, authority: "right")
        #expect(await sender.check() == nil)
        #expect(try peer.received().isEmpty)
        #expect(await sender.send(message(to: "zoe@mail.example")) == .accepted)
        #expect(try peer.received().first?["encrypted"] == .bool(true))
    }

    @Test func `logs in, and a refused log-in ends no mail for good`() async throws {
        let peer = try await MailPeer.python("login")
        defer { peer.stop() }
        let right = SMTPServer.Login(user: "tenure", password: "secret")
        let sender = try server(peer, .startTLS, authority: "right", login: right)
        #expect(await sender.check() == nil)
        #expect(await sender.send(message(to: "zoe@mail.example")) == .accepted)
        for login in [nil, SMTPServer.Login(user: "tenure", password: "wrong")] {
            let sender = try server(peer, .startTLS, authority: "right", login: login, patience: .seconds(20))
            #expect(isUnreached(await sender.send(message(to: "zoe@mail.example"))))
            // Whether a server wants a log-in shows at the first mail.
            #expect(await sender.check() == (login == nil ? nil : .loginRefused(535)))
        }
        #expect(try peer.received().count == 1)
        #expect(!"\(right)".contains("secret"))
    }

    @Test(arguments: [("away", SMTPFault.refused(554)), ("busy", .refused(421)), ("silent", .silent)])
    func `a server that takes nobody is told from one that refuses a mail`(
        _ mode: String, _ fault: SMTPFault
    ) async throws {
        let peer = try await MailPeer.python(mode)
        defer { peer.stop() }
        let sender = try server(peer, .none, patience: .seconds(2))
        #expect(await sender.check() == fault)
        #expect(isUnreached(await sender.send(message(to: "zoe@mail.example"))))
    }

    @Test func `a check sends no mail`() async throws {
        let peer = try await MailPeer.python("plain")
        defer { peer.stop() }
        let sender = try server(peer, .none)
        #expect(await sender.check() == nil)
        #expect(try peer.received().isEmpty)
    }

    @Test(arguments: ["mail.example", "10.0.0.1", "127.0.0.1.mail.example", "localhost.mail.example"])
    func `sends in clear text on loopback only`(_ host: String) {
        #expect(throws: SMTPServerError.clearText) { try SMTPServer(host: host, port: 25, security: .none) }
    }
}

@Suite(.enabled(if: MailPeer.exim != nil, "exim4 is not installed: scripts/prerequisites test installs it"))
struct `Sending to exim4` {
    @Test func `delivers to a mailbox and reports an unknown one`() async throws {
        let peer = try await MailPeer.exim(try #require(MailPeer.exim))
        defer { peer.stop() }
        let sender = SMTPSender(
            server: try SMTPServer(host: "127.0.0.1", port: peer.port, security: .none, greeting: "id.example"))
        let text = "From: <tenure@id.example>\r\nMessage-ID: <1@id.example>\r\nSubject: Hello\r\n\r\n.dot\r\n"
        func send(to recipient: String) async -> SMTPOutcome {
            await sender.send(
                SMTPMessage(sender: "tenure@id.example", recipient: recipient, content: Array(text.utf8)))
        }
        #expect(await send(to: "zoe@local.example") == .accepted)
        #expect(await send(to: "nobody@local.example") == .permanentlyRefused(550))
        #expect(await send(to: "zoe@elsewhere.example") == .permanentlyRefused(550))
        for _ in 0..<500 {
            if try !peer.delivered().isEmpty { break }
            try await Task.sleep(for: .milliseconds(20))
        }
        let delivered = try peer.delivered()
        #expect(delivered.count == 1)
        #expect(delivered.first?.contains("Message-ID: <1@id.example>") == true)
        #expect(delivered.first?.hasSuffix("\n.dot\n") == true, "\(delivered)")
    }
}
