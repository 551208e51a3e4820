import Canonical
import EventCoding
import Foundation
@testable import Identity
import Keys
import Ledger
import Postgres
import Testing
import TestSupport
@testable import IdentityService

@Suite(.enabled(if: TestServer.isAvailable, Comment(rawValue: TestServer.hint)))
struct MailOutboxTests {
    @Test func `a mail is sent once, and its link verifies the address`() async throws {
        try await MailScene.with { scene in
            let user = try await scene.user("zoe@mail.example"), mail = try await scene.queue(user)
            let transport = FakeTransport(), worker = try scene.worker(transport)
            #expect(try await worker.round() == 1)
            #expect(try await worker.round() == 0)
            let sent = try #require(transport.sent.first)
            #expect(transport.sent.count == 1 && sent.recipient == "zoe@mail.example")
            #expect(sent.header("Message-ID") == ["<\(mail.event.mailID)@id.example>"])
            #expect(try await scene.ends(mail) == ["sent 1"])
            #expect(try await scene.waiting() == 0)
            let body = sent.text.replacingOccurrences(of: "=\r\n", with: "").replacingOccurrences(of: "=3D", with: "=")
            let link = try #require(
                body.firstMatch(
                    of: /https:\/\/id.example\/verify-email\/([0-9a-f-]+)\?expires=(\d+)&key=([0-9a-f]{64})/))
            func confirm(_ key: String, _ isDecision: Bool) async throws -> ConfirmEmail.Answer {
                try await scene.context.run(
                    ConfirmEmail(
                        user: String(link.1), expires: String(link.2), key: key, isDecision: isDecision),
                    Call(requestId: "r", time: scene.now))
            }
            let key = String(link.3), forged = String(key.reversed())
            #expect(try await confirm(forged, true) == .invalid)
            #expect(try await confirm(key, false) == .pending())
            #expect(try await scene.context.userWithAddress(user).isEmailVerified == false)
            for _ in 0..<2 { #expect(try await confirm(key, true) == .verified) }
            let events = try await scene.context.reader.streams([.user(user)])[.user(user), default: []]
            #expect(events.map(\.type) == ["CredentialsSet", "EmailVerified"])
            // The welcome, once.
            let waiting = try await scene.context.pool.query(
                "SELECT kind FROM tenure.mail_outbox WHERE kind = 'welcome'", in: [.directory(of: user)])
            #expect(waiting.count == 1)
            scene.advance(VerifyMyEmail.lifetime)
            #expect(try await confirm(key, true) == .expired)
        }
    }

    @Test(arguments: [
        "recipient_id = gen_random_uuid()", "expires_at = expires_at + interval '1 year'", "locale = 'de'",
        "mac = decode('00', 'hex')", "mac = ''",
    ])
    func `a row that somebody changed sends no mail`(change: String) async throws {
        try await MailScene.with { scene in
            let mail = try await scene.queue(try await scene.user("zoe@mail.example"))
            _ = try await scene.context.pool.query(
                "UPDATE tenure.mail_outbox SET \(unsafeSQL: change)", in: [mail.stream.ledger])
            let transport = FakeTransport(), worker = try scene.worker(transport)
            #expect(try await worker.round() == 0)
            #expect(transport.sent.isEmpty)
            #expect(scene.context.rows.counts.rows(of: MailRow.table.coded) == 1)
        }
    }

    @Test func `a mail that was sent is not sent again when its row is put back`() async throws {
        try await MailScene.with { scene in
            let mail = try await scene.queue(try await scene.user("zoe@mail.example"))
            let transport = FakeTransport(), worker = try scene.worker(transport)
            #expect(try await worker.round() == 1)
            _ = try await scene.context.pool.query(
                mail.insertion(scene.context.ring), in: [mail.stream.ledger])
            #expect(try await worker.round() == 1)
            #expect(transport.sent.count == 1)
            #expect(try await scene.ends(mail) == ["sent 1"])
            #expect(try await scene.waiting() == 0)
        }
    }

    @Test func `a row without its event is deleted and counted, and sends no mail`() async throws {
        try await MailScene.with { scene in
            let user = try await scene.user("zoe@mail.example"), real = try await scene.queue(user)
            // With the right code, as somebody who has the keys could write it.
            let forged = scene.context.verification(of: user, at: scene.now)
            _ = try await scene.pool.query(forged.insertion(scene.context.ring), in: [forged.stream.ledger])
            let transport = FakeTransport(), counts = MailCounts()
            let worker = try scene.worker(transport, counts: counts)
            #expect(try await worker.round() == 2)
            #expect(transport.sent.map(\.id) == [real.event.mailID.uuid])
            #expect(try await scene.waiting() == 0)
            #expect(scene.context.rows.counts.rows(of: MailRow.table.coded) == 1)
            let metrics = await counts.metrics(scene.readerPool, at: scene.now)
            #expect(metrics.contains("tenure_mails_total{outcome=\"unrecorded\"} 1\n"))
            #expect(metrics.contains("tenure_mails_total{outcome=\"sent\"} 1\n"))
            #expect(try await scene.context.reader.streams([forged.stream])[forged.stream, default: []].isEmpty)
        }
    }

    @Test func `the metrics say how long the oldest mail has waited, tried or not`() async throws {
        try await MailScene.with { scene in
            let counts = MailCounts()
            func age() async throws -> Int {
                let text = await counts.metrics(scene.readerPool, at: scene.now)
                return try #require(
                    text.firstMatch(of: /\ntenure_mails_oldest_age_seconds (\d+)\n/).flatMap { Int($0.1) })
            }
            #expect(try await age() == 0)
            _ = try await scene.queue(try await scene.user("a@mail.example"))
            scene.advance(.seconds(100))
            #expect(try await age() == 100)
            let transport = FakeTransport(.undelivered("down")), worker = try scene.worker(transport, counts: counts)
            #expect(try await worker.round() == 1)
            // The first one is due only later than this one.
            _ = try await scene.queue(try await scene.user("b@mail.example"))
            scene.advance(.seconds(5))
            #expect(try await age() == 105)
            scene.advance(.seconds(60))
            #expect(try await worker.round() == 2)
            #expect(try await age() == 0)
        }
    }

    @Test func `the operator lets a mail be sent now, and drops others`() async throws {
        try await MailScene.with { scene in
            let first = try await scene.queue(try await scene.user("a@mail.example"))
            let second = try await scene.queue(try await scene.user("b@mail.example"))
            let transport = FakeTransport(.temporarilyRefused(451), .temporarilyRefused(451))
            let worker = try scene.worker(transport), commands = OperatorUseCases(scene.context)
            #expect(try await worker.round() == 2)
            #expect(try await worker.round() == 0)
            let mails = try await WaitingMail.all(scene.readerPool, limit: 10)
            #expect(Set(mails.map(\.id)) == [first.event.mailID.uuid, second.event.mailID.uuid])
            #expect(mails.allSatisfy { $0.attempts == 1 && $0.nextTry == scene.now.adding(.seconds(10)) })
            let retried = try #require(mails.first { $0.id == first.event.mailID.uuid })
            let dropped = try #require(mails.first { $0.id == second.event.mailID.uuid })
            #expect(try await commands.retry(retried) == .done)
            #expect(try await commands.drop(dropped) == .done)
            #expect(try await scene.ends(second) == ["failed 1 dropped"])
            #expect(try await worker.round() == 1)
            #expect(try await scene.ends(first) == ["sent 2"])
            for mail in mails {
                #expect(try await commands.retry(mail) == .gone)
                #expect(try await commands.drop(mail) == .gone)
            }
            #expect(try await scene.waiting() == 0)
        }
    }

    @Test func `the operator changes no mail that a process is sending, and drops a row without its event`()
        async throws
    {
        try await MailScene.with { scene in
            let user = try await scene.user("zoe@mail.example"), mail = try await scene.queue(user)
            let commands = OperatorUseCases(scene.context)
            _ = try await scene.worker(FakeTransport(), crashing: true).round()
            let leased = try #require(try await WaitingMail.all(scene.readerPool, limit: 1).first)
            #expect(leased.isBeingSent(at: scene.now))
            #expect(try await commands.retry(leased) == .beingSent)
            #expect(try await commands.drop(leased) == .beingSent)
            scene.advance(MailOutboxWorker.lease)
            #expect(try await commands.drop(leased) == .done)
            #expect(try await scene.ends(mail) == ["failed 1 dropped"])

            let forged = scene.context.verification(of: user, at: scene.now)
            _ = try await scene.pool.query(forged.insertion(scene.context.ring), in: [forged.stream.ledger])
            let row = try #require(
                try await WaitingMail.all(scene.readerPool, id: forged.event.mailID.uuid, limit: 1).first)
            #expect(try await commands.drop(row) == .done)
            #expect(try await scene.waiting() == 0)
            #expect(try await scene.context.reader.streams([forged.stream])[forged.stream, default: []].isEmpty)
        }
    }

    @Test func `a temporary refusal waits double each time`() async throws {
        try await MailScene.with { scene in
            let mail = try await scene.queue(try await scene.user("zoe@mail.example"))
            let transport = FakeTransport(.temporarilyRefused(451), .undelivered("cut"))
            let worker = try scene.worker(transport)
            #expect(try await worker.round() == 1)
            scene.advance(.seconds(9))
            #expect(try await worker.round() == 0)
            scene.advance(.seconds(1))
            #expect(try await worker.round() == 1)
            scene.advance(.seconds(19))
            #expect(try await worker.round() == 0)
            scene.advance(.seconds(1))
            #expect(try await worker.round() == 1)
            #expect(try await scene.ends(mail) == ["sent 3"])
            #expect(Set(transport.sent.flatMap { $0.header("Message-ID") }).count == 1)
        }
    }

    @Test func `a row says whether a mail server may know of its mail, for good`() async throws {
        try await MailScene.with { scene in
            let user = try await scene.user("zoe@mail.example")
            func progress(_ mail: QueuedMail) async throws -> MailRow.Progress? {
                try await MailRow.progress(
                    of: mail.event.mailID.uuid, in: mail.stream.ledger.uuid, scene.context, at: scene.now)
            }
            for told in [MailOutcome.temporarilyRefused(451), .undelivered("cut")] {
                let mail = try await scene.queue(user)
                let worker = try scene.worker(FakeTransport(.unreached("a"), .unreached("b"), told, .unreached("c")))
                #expect(try await progress(mail) == .fresh)
                for expected in [MailRow.Progress.held, .held, nil, nil] {
                    #expect(try await worker.round() == 1)
                    #expect(try await progress(mail) == expected)
                    scene.advance(.seconds(80))
                }
                #expect(try await worker.round() == 1)
                #expect(try await scene.ends(mail) == ["sent 5"])
            }
            // A worker that dies may have sent the mail.
            let mail = try await scene.queue(user)
            _ = try await scene.worker(FakeTransport(), crashing: true).round()
            #expect(try await progress(mail) == .fresh)
            scene.advance(MailOutboxWorker.lease)
            #expect(try await progress(mail) == nil)
            #expect(try await scene.worker(FakeTransport(.unreached("d"))).round() == 1)
            #expect(try await progress(mail) == nil)
        }
    }

    @Test func `the backlog has the number of mails and the time of the oldest`() async throws {
        try await MailScene.with { scene in
            #expect(try await MailBacklog.read(scene.readerPool) == MailBacklog(count: 0, oldest: nil))
            let user = try await scene.user("zoe@mail.example"), first = scene.now
            _ = try await scene.queue(user)
            scene.advance(.seconds(60))
            _ = try await scene.queue(user)
            #expect(try await MailBacklog.read(scene.readerPool) == MailBacklog(count: 2, oldest: first))
        }
    }

    @Test func `a mail that nobody needs any more is no failure`() async throws {
        try await MailScene.with { scene in
            let user = try await scene.user("zoe@mail.example"), mail = try await scene.queue(user)
            try await scene.verify(user)
            let counts = MailCounts()
            #expect(try await scene.worker(FakeTransport(), counts: counts).round() == 1)
            #expect(try await scene.ends(mail) == ["failed 0 not_needed"])
            let metrics = await counts.metrics(scene.readerPool, at: scene.now)
            #expect(metrics.contains("tenure_mails_total{outcome=\"not_needed\"} 1\n"))
            #expect(metrics.contains("tenure_mails_total{outcome=\"failed\"} 0\n"))
        }
    }

    @Test func `a permanent refusal ends the mail with the reply code`() async throws {
        try await MailScene.with { scene in
            let mail = try await scene.queue(try await scene.user("zoe@mail.example"))
            _ = try await scene.worker(FakeTransport(.permanentlyRefused(550))).round()
            #expect(try await scene.ends(mail) == ["failed 1 smtp_550"])
            #expect(try await scene.waiting() == 0)
        }
    }

    @Test func `a mail that nobody takes fails when it expires`() async throws {
        try await MailScene.with { scene in
            let mail = try await scene.queue(try await scene.user("zoe@mail.example"))
            let transport = FakeTransport(.undelivered("no server"))
            let worker = try scene.worker(transport)
            #expect(try await worker.round() == 1)
            scene.advance(VerifyMyEmail.lifetime)
            #expect(try await worker.round() == 1)
            #expect(try await scene.ends(mail) == ["failed 1 expired"])
            #expect(transport.sent.count == 1)
        }
    }

    @Test func `a crash after sending leaves the mail to another worker, with the same id`() async throws {
        try await MailScene.with { scene in
            let mail = try await scene.queue(try await scene.user("zoe@mail.example"))
            let first = FakeTransport(), second = FakeTransport()
            _ = try await scene.worker(first, crashing: true).round()
            let other = try scene.worker(second)
            #expect(try await other.round() == 0)
            #expect(first.sent.count == 1 && second.sent.isEmpty)
            scene.advance(MailOutboxWorker.lease)
            #expect(try await other.round() == 1)
            #expect(first.sent[0].header("Message-ID") == second.sent[0].header("Message-ID"))
            #expect(try await scene.ends(mail) == ["sent 2"])
        }
    }

    @Test func `two workers at once send each mail once`() async throws {
        try await MailScene.with { scene in
            var mails: [QueuedMail] = []
            for number in 0..<8 { mails.append(try await scene.queue(try await scene.user("a\(number)@mail.example"))) }
            let transport = FakeTransport()
            let workers = [try scene.worker(transport), try scene.worker(transport)]
            try await withThrowingTaskGroup(of: Void.self) { group in
                for worker in workers { group.addTask { _ = try await worker.round() } }
                try await group.waitForAll()
            }
            #expect(Set(transport.sent.map(\.id)).count == 8 && transport.sent.count == 8)
            for mail in mails { #expect(try await scene.ends(mail) == ["sent 1"]) }
        }
    }

    @Test(arguments: [
        "zoe@mail.example\r\nBcc: eve@mail.example", "zoe<eve@mail.example>", "zoe eve@mail.example",
        "zoë@mail.example", "zoe@eve@mail.example",
    ])
    func `an address that could change header or envelope gets no mail`(_ address: String) async throws {
        try await MailScene.with { scene in
            let mail = try await scene.queue(try await scene.user(address)), transport = FakeTransport()
            _ = try await scene.worker(transport).round()
            #expect(transport.sent.isEmpty)
            #expect(try await scene.ends(mail) == ["failed 0 address_invalid"])
        }
    }

    @Test func `an account has three notices of a kind in a day, of openings any number`() async throws {
        try await MailScene.with { scene in
            let tenant = TenantID(UUID()), employee = EmployeeID(UUID())
            func isSpent(
                _ kind: MailKind = .deviceAdded, _ employee: EmployeeID? = nil, later: Duration = .zero,
                counting: Bool = false
            ) async throws -> Bool {
                let budget = NoticeBudget(
                    kind, about: employee ?? EmployeeID(UUID()), in: tenant, at: scene.now.adding(later),
                    scene.context.ring)
                if counting { _ = try await scene.pool.query(budget.counting, in: [LedgerID(tenant.uuid)]) }
                return try await budget.isSpent(scene.pool)
            }
            var spent: [Bool] = []
            for _ in 0..<4 { spent.append(try await isSpent(.deviceAdded, employee, counting: true)) }
            #expect(spent == [false, false, true, true])
            #expect(try await isSpent(.adminAppointed, employee) == false)
            #expect(try await isSpent() == false)
            #expect(try await isSpent(.deviceAdded, employee, later: .seconds(86_400)) == false)
            for kind in MailKind.allCases {
                let isOpening = [
                    .credentialsChanged, .recoveryOpened, .returnRequested, .returnOpened, .returnReminder,
                ].contains(kind)
                #expect(!NoticeBudget.limits(kind) || !isOpening, "\(kind)")
            }
            #expect(NoticeBudget.limits(.deviceAdded) && NoticeBudget.limits(.adminAppointed))
        }
    }

    @Test func `an address has five mails, an app three of them, and one comes back every twelve minutes`() async throws
    {
        try await MailScene.with { scene in
            let app = UUID()
            var waits: [Int?] = []
            for charged in [app, app, app, app, UUID(), nil, nil] { waits.append(try await scene.charge(charged)) }
            #expect(waits == [nil, nil, nil, 720, nil, nil, 720])
            scene.advance(.seconds(720))
            let later = [try await scene.charge(nil), try await scene.charge(nil)]
            #expect(later == [nil, 720])
        }
    }

    @Test func `an address gets at most five invitations in a week by companies that nobody vouches for`()
        async throws
    {
        try await MailScene.with { scene in
            let budget = MailBudget(invitationsTo: Array("zoe@mail.example".utf8), ring: scene.context.ring)
            var sent = 0
            for _ in 0...(7 * 24) {
                if (try? await scene.context.charge(budget, at: scene.now)) != nil { sent += 1 }
                scene.advance(.seconds(3_600))
            }
            #expect(sent == 5)
        }
    }

    @Test func `a mail is in the language that its reader chose, whoever caused it`() async throws {
        try await MailScene.with { scene in
            let user = try await scene.user("zoe@mail.example")
            try await scene.choose(.french, user)
            let mail = try await scene.queue(user, ["de"]), transport = FakeTransport()
            _ = try await scene.worker(transport).round()
            #expect(try await scene.ends(mail) == ["sent 1"])
            let text = String(decoding: try #require(transport.sent.first).content, as: UTF8.self)
            #expect(text.contains("Content-Language: fr") && text.contains("<html lang=3D\"fr\">"))
            // So does the page behind the link.
            #expect(text.replacing("=\r\n", with: "").contains("&language=3Dfr"))
        }
    }
}
