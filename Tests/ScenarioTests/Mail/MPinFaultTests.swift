import Canonical
import Foundation
import IdentityService
import Postgres
import Testing
import TestSupport

/// Registrations, mails and authentications whose service is cut off at each of its commits, before and after it.
@Suite(.onOneServer)
struct `A service that is cut off at every commit of M-Pin` {
    @Test(arguments: CommitFault.allCases)
    func `starts each registration once and sends no mail without its event`(fault: CommitFault) async throws {
        try await MPinFaultScene.with(fault) { faults in
            for (name, point) in [("charged", .charge), ("started", .event("MPinRegistrationStarted"))]
                as [(String, CommitPoint)]
            {
                let reply = try await faults.surviving(point) { try await $0.start("\(name)@mail.example") }
                let enrolment = try MPinEnrolment("\(name)@mail.example", reply)
                #expect(!enrolment.isActive)
            }
            let waiting = try await faults.started("taken@mail.example", survivingMail: .mailTaken)
            // The lease of the worker that was cut off ends.
            faults.scene.clock.pass(.seconds(121))
            _ = try await faults.scene.mailedLink(to: waiting, in: faults.mailbox)
            let sent = try await faults.started("sent@mail.example", survivingMail: .event("MailSent"))
            faults.scene.clock.pass(.seconds(121))
            _ = try await faults.scene.mailedLink(to: sent, in: faults.mailbox)
            let copies = faults.mailbox.copies.count { $0.link?.identityId == sent.identityId }
            // A mail is sent again only where nobody knows that it was sent.
            #expect(copies == (fault == .deathBefore ? 2 : 1) || fault == .cutBefore && copies == 2, "\(copies) copies")
            let restarted = try await faults.surviving(.event("MPinRegistrationRestarted")) {
                try await $0.restart(sent)
            }
            // A repeated restart comes too soon after the one that nobody heard of, which is said so.
            #expect([200, 429].contains(restarted.status), "\(restarted)")
            try await faults.expectSoundLog()
        }
    }

    @Test(arguments: CommitFault.allCases)
    func `verifies, registers and blocks once, and counts each proof once`(fault: CommitFault) async throws {
        try await MPinFaultScene.with(fault) { faults in
            let enrolment = try await faults.registration("zoe@mail.example")
            let confirmed = try await faults.surviving(.event("MPinClientKeyIssued")) {
                try await $0.confirm(enrolment)
            }
            let holder = try faults.pins.token(enrolment, confirmed, pin: "2741")
            let right = holder.pin, wrong = holder.wrongPIN
            var proofs: [HTTPReply] = []
            for (pin, point) in [
                (wrong, .serverKey), (wrong, .event("MPinAuthenticationFailed")), (right, .event("MPinRegistered")),
                (right, .event("MPinAuthenticated")), (right, .verdict), (wrong, .verdict),
                (right, .event("MPinFailuresCleared")),
            ] as [(String, CommitPoint)] {
                let reply = try await faults.prove(holder, pin: pin, at: point)
                #expect(reply.status == (pin == right ? 200 : 401), "\(point): \(reply)")
                proofs.append(reply)
            }
            let answer = try await faults.answer(holder, pin: right, at: .challenge)
            let proved = try await faults.calling { try await $0.pass2(answer) }
            proofs.append(try await faults.redeem(proved, at: .redemption))
            for point in [.verdict, .verdict, .event("MPinBlocked")] as [CommitPoint] {
                proofs.append(try await faults.prove(holder, pin: wrong, at: point))
            }
            expectMPinProblem(try #require(proofs.last), "mpin.blocked")
            try await faults.expect(enrolment, right: proofs.count { $0.status == 200 }, wrong: 6)
            #expect(proofs.count { $0.code == "mpin.wrong_pin" } == 5, "\(proofs)")
            try await faults.expectSoundLog()
        }
    }

    @Test(arguments: CommitFault.allCases)
    func `opens one session by a PIN`(fault: CommitFault) async throws {
        try await MPinFaultScene.with(fault) { faults in
            let scene = faults.scene, member = try await scene.employee("member")
            try await scene.change(["opensSessions": true])
            let started = try await faults.started(member.person.email)
            expectOutcome(try await scene.link(started, by: member), "done")
            let confirmed = try await faults.calling { try await $0.confirm(started) }
            let holder = try faults.pins.token(started, confirmed, pin: "2741")
            #expect(try await faults.prove(holder, pin: holder.pin, at: .event("MPinRegistered")).status == 200)
            let answer = try await faults.answer(holder, pin: holder.pin)
            let proved = try await faults.calling { try await $0.pass2(answer) }
            let flow = try await Flow.logIn(member.person, member.device, scene.client)
            _ = try await flow.prove(member.device)
            let body: JSONValue = ["authOTT": .string(try #require(proved["authOTT"]?.text))], key = Person.word()
            let reply = try await faults.surviving(.event("MPinValidated")) { pins in
                try await flow.at(pins.client).step("mpin", body, key: key)
            }
            expectOutcome(reply, "success")
            let again = try await faults.calling { try await flow.at($0.client).step("mpin", body, key: key) }
            #expect(again.body == reply.body)
            #expect(try await scene.world.count("MPinValidated") == 1)
            let redeemed = try await faults.redeem(proved)
            expectMPinProblem(redeemed, "mpin.request_expired")
            try await faults.expect(started, right: 2, wrong: 0, verifies: "MPinLinked")
            try await faults.expectSoundLog()
        }
    }
}

extension MPinFaultScene {
    /// A registration that is verified by the mailed link; following the link meets the fault.
    fileprivate func registration(_ userId: String) async throws -> MPinEnrolment {
        let enrolment = try await started(userId)
        let path = try await scene.mailedLink(to: enrolment, in: mailbox).path
        for point in [CommitPoint.event("MPinIdentityVerified"), nil] {
            let world = scene.world
            let call: @Sendable (MPinScenarioClient) async throws -> HTTPReply = { pins in
                try await world.press(path, at: pins.client)
            }
            let reply: HTTPReply
            if let point { reply = try await surviving(point, call) } else { reply = try await calling(call) }
            #expect(reply.status == 200, "\(reply)")
        }
        return enrolment
    }

    /// Expects that each step of an identity is in the log once, and that the proofs are counted as they were answered.
    fileprivate func expect(
        _ enrolment: MPinEnrolment, right: Int, wrong: Int, verifies: String? = nil,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let types = try await scene.types(enrolment)
        let once = ["MPinRegistrationStarted", "MPinIdentityVerified", "MPinClientKeyIssued", "MPinRegistered"]
        for type in once + [verifies].compactMap(\.self) {
            #expect(types.count { $0 == type } == 1, "\(type) in \(types)", sourceLocation: sourceLocation)
        }
        let isBlocked = types.contains("MPinBlocked")
        #expect(types.count { $0 == "MPinBlocked" } == (isBlocked ? 1 : 0), sourceLocation: sourceLocation)
        #expect(types.count { $0 == "MPinAuthenticationFailed" } == wrong, "\(types)", sourceLocation: sourceLocation)
        let recorded = try await scene.authentications(enrolment)
        #expect(recorded == right, "\(recorded) right proofs", sourceLocation: sourceLocation)
    }

    /// Expects of the whole log what must hold whatever was cut.
    fileprivate func expectSoundLog(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        // The lease of a worker that was cut off ends.
        scene.clock.pass(.seconds(121))
        try await scene.mailsSettle()
        let world = scene.world
        let doubled = try await world.number(
            """
            SELECT count(*) - count(DISTINCT convert_from(entry, 'UTF8')::json -> 'data' ->> 'mpinIdHash')
            FROM tenure.event WHERE type = 'MPinRegistrationStarted'
            """)
        #expect(doubled == 0, "M-Pin IDs that started twice", sourceLocation: sourceLocation)
        let odd = try await world.number(
            """
            SELECT count(*) FROM (
                SELECT array_agg(type ORDER BY version) AS types FROM tenure.event WHERE kind = 'mail'
                GROUP BY ledger_id, stream_id) AS mail
            WHERE types NOT IN (ARRAY['MailQueued', 'MailSent'], ARRAY['MailQueued', 'MailFailed'])
            """)
        #expect(odd == 0, "mails without a beginning or an end", sourceLocation: sourceLocation)
        let copies = mailbox.copies
        #expect(copies.allSatisfy { $0.isQueued }, "a mail without its event", sourceLocation: sourceLocation)
        let sent = try await world.count("MailSent")
        let mails = Dictionary(grouping: copies, by: \.mail.id)
        #expect(mails.count >= sent, "a mail that is sent was handed over", sourceLocation: sourceLocation)
        for (id, copies) in mails {
            let names = Set(copies.flatMap { $0.header("Message-ID") })
            #expect(names == ["<\(id.uuidString.lowercased())@id.example>"], sourceLocation: sourceLocation)
            #expect(Set(copies.map(\.mail.recipient)).count == 1, sourceLocation: sourceLocation)
            #expect(Set(copies.map(\.link?.path)).count == 1, sourceLocation: sourceLocation)
        }
        var request = VerifyRequest(key: try await world.logKey())
        request.now = world.options.settings.now
        let report = try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }
        #expect(report.violations == [], "\(report.violations)", sourceLocation: sourceLocation)
    }
}
