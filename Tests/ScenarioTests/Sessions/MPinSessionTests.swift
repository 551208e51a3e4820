import Canonical
import Foundation
import Testing

/// A log-in up to the step in which the PIN may stand in for the answers.
private struct PINLogin {
    let flow: Flow
    let asked: HTTPReply

    init(_ member: Member, _ client: Client) async throws {
        flow = try await Flow.logIn(member.person, member.device, client)
        asked = try await flow.prove(member.device)
    }

    func finish(_ authOTT: String) async throws -> HTTPReply {
        try await flow.step("mpin", ["authOTT": .string(authOTT)])
    }
}

@Suite(.onServer)
struct `A log-in with a PIN` {
    /// Expects that a log-in opens no session and is no validation.
    private func expectNoSession(
        _ scene: MPinScene, _ what: String, _ code: String? = nil, recordsProof: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation, _ call: () async throws -> HTTPReply
    ) async throws {
        // A valid proof of somebody who may not log in is recorded, as in every log-in.
        let types = recordsProof ? ["SessionOpened"] : ["MPinValidated", "SessionOpened"]
        var before: [Int] = [], after: [Int] = []
        for type in types { before.append(try await scene.world.count(type)) }
        let reply = try await call()
        for type in types { after.append(try await scene.world.count(type)) }
        #expect((400..<500).contains(reply.status), "\(what): \(reply)", sourceLocation: sourceLocation)
        if let code { #expect(reply.code == code, "\(what): \(reply)", sourceLocation: sourceLocation) }
        #expect(reply["session"] == nil && before == after, "\(what): \(reply)", sourceLocation: sourceLocation)
    }

    @Test func `opens a session if the policy says so`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("member")
            let holder = try await scene.linkedHolder(of: member)
            try await expectNoSession(scene, "the policy does not allow it", "authorization.not_permitted") {
                let login = try await PINLogin(member, scene.client)
                return try await login.finish(try await scene.pins.authOTT(holder))
            }
            try await scene.change(["opensSessions": true])
            let before = try await scene.client.events(scene.company).count
            let login = try await PINLogin(member, scene.client)
            let authOTT = try await scene.pins.authOTT(holder)
            let reply = try await login.finish(authOTT)
            expectOutcome(reply, "success")
            #expect(reply["employee"]?["companyEmployeeId"]?.text == "member")
            let back = try Member(member.person, member.device, reply)
            #expect(try await scene.client.get("/v1/me", by: back.session).status == 200)
            let types = try await scene.client.events(scene.company).dropFirst(before).compactMap { $0["type"]?.text }
            let validated = try #require(types.firstIndex(of: "MPinValidated"), "\(types)")
            let opened = try #require(types.firstIndex(of: "SessionOpened"), "\(types)")
            #expect(validated < opened && types.firstIndex(of: "MPinAuthenticated") ?? .max < validated, "\(types)")
            #expect(!types.contains("AnswersValidated") && !types.contains("PassphraseValidated"), "\(types)")
            // The authOTT is used up: neither another flow nor the app gets anything for it.
            expectMPinProblem(try await scene.pins.authenticate(authOTT), "mpin.request_expired")
            try await expectNoSession(scene, "a used authOTT", "mpin.request_expired") {
                try await PINLogin(member, scene.client).finish(authOTT)
            }
        }
    }

    @Test func `needs an authOTT of a right proof of this device's own identity`() async throws {
        try await withMPin { scene in
            try await scene.change(["opensSessions": true])
            let member = try await scene.employee("member"), other = try await scene.employee("other")
            let own = try await scene.linkedHolder(of: member), others = try await scene.linkedHolder(of: other)
            let unlinked = try await scene.pins.register(member.person.email)
            let tablet = Device()
            expectOutcome(try await scene.client.logIn(member.person, tablet), "authorizationPending")
            expectOutcome(try await scene.client.authorize(tablet, of: member.person), "done")
            let onTablet = try Member(member.person, tablet, try await scene.client.logIn(member.person, tablet))

            for (what, holder, caller, pin) in [
                ("another employee's identity", others, member, others.pin),
                ("an identity that is not linked", unlinked, member, unlinked.pin),
                ("an identity of another device", own, onTablet, own.pin),
                ("a wrong proof", own, member, own.wrongPIN),
            ] {
                let authOTT = try await scene.pins.authOTT(holder, pin: pin)
                try await expectNoSession(scene, what) {
                    try await PINLogin(caller, scene.client).finish(authOTT)
                }
            }
            let redeemed = try await scene.pins.authOTT(own)
            #expect(try await scene.pins.authenticate(redeemed).status == 200)
            try await expectNoSession(scene, "an authOTT that the app redeemed", "mpin.request_expired") {
                try await PINLogin(member, scene.client).finish(redeemed)
            }
            let late = try await scene.pins.authOTT(own)
            scene.clock.pass(.seconds(61))
            try await expectNoSession(scene, "an expired authOTT", "mpin.request_expired") {
                try await PINLogin(member, scene.client).finish(late)
            }
            try await expectNoSession(scene, "an invented authOTT", "mpin.request_expired") {
                try await PINLogin(member, scene.client).finish(String(repeating: "A", count: 43))
            }
            let login = try await PINLogin(member, scene.client)
            expectOutcome(try await login.finish(try await scene.pins.authOTT(own)), "success")
        }
    }

    @Test func `needs the proof of the device key before, and takes nothing but the authOTT`() async throws {
        try await withMPin { scene in
            try await scene.change(["opensSessions": true])
            let member = try await scene.employee("member")
            let holder = try await scene.linkedHolder(of: member)
            let authOTT = try await scene.pins.authOTT(holder)
            let started = try await Flow.logIn(member.person, member.device, scene.client)
            try await expectNoSession(scene, "the key was not proved", "flow.wrong_step") {
                try await started.step("mpin", ["authOTT": .string(authOTT)])
            }
            let login = try await PINLogin(member, scene.client)
            for body in [
                [:], ["authOTT": 1], ["authOTT": .null], ["authOTT": .string(authOTT), "admin": true],
                ["authOTT": .string(authOTT), "signature": "AAAA"], ["mpinResponse": ["authOTT": .string(authOTT)]],
            ] as [JSONValue] {
                try await expectNoSession(scene, "malformed") {
                    let reply = try await login.flow.step("mpin", body)
                    try expectProblem(reply, "request.invalid")
                    return reply
                }
            }
            // None of these used the authOTT or the flow.
            expectOutcome(try await login.finish(authOTT), "success")
            try await expectNoSession(scene, "a flow that has ended") {
                try await login.finish(try await scene.pins.authOTT(holder))
            }
        }
    }

    @Test func `uses an authOTT once, whoever redeems it at the same time`() async throws {
        try await withMPin { scene in
            try await scene.change(["opensSessions": true])
            let member = try await scene.employee("member")
            let holder = try await scene.linkedHolder(of: member)
            for _ in 0..<3 {
                let authOTT = try await scene.pins.authOTT(holder)
                let logins = [try await PINLogin(member, scene.client), try await PINLogin(member, scene.client)]
                let replies = try await concurrently(6) { number in
                    number < 2
                        ? try await logins[number].finish(authOTT) : try await scene.pins.authenticate(authOTT)
                }
                #expect(replies.count { $0.status == 200 } == 1, "\(replies)")
            }
        }
    }

    @Test func `passes no other gate`() async throws {
        try await withMPin { scene in
            try await scene.change(["opensSessions": true])
            let member = try await scene.employee("member")
            let holder = try await scene.linkedHolder(of: member)
            let stranger = scene.client.by(try await scene.world.makeApp(name: "not linked"))
            let unlinked = try await scene.pins.authOTT(holder)
            try await expectNoSession(scene, "an app that is not linked") {
                try await PINLogin(member, stranger).finish(unlinked)
            }
            let linked = scene.client.by(try await scene.world.makeApp(name: "linked"))
            try await scene.world.linkApp(linked.app, to: scene.company)
            let secret = try await scene.world.issueSecret(for: linked.app, roles: ["CREATION"])
            try await expectNoSession(scene, "a secret without ACCESS") {
                let flow = try await Flow.logIn(member.person, member.device, scene.client)
                _ = try await flow.prove(member.device)
                return try await flow.at(linked.with(secret: secret)).step(
                    "mpin", ["authOTT": .string(try await scene.pins.authOTT(holder))])
            }
            let path = scene.client.path(member.person, "/keys/\(member.device.fingerprint)/revocation")
            let begun = try await PINLogin(member, scene.client)
            let before = try await scene.pins.authOTT(holder)
            expectOutcome(try await scene.client.post(path, ["reason": "lost"]), "done")
            try await expectNoSession(scene, "a device key that was revoked meanwhile", recordsProof: true) {
                try await begun.finish(before)
            }
            let leaver = try await scene.employee("leaver")
            let last = try await scene.linkedHolder(of: leaver)
            let login = try await PINLogin(leaver, scene.client)
            let authOTT = try await scene.pins.authOTT(last)
            expectOutcome(
                try await scene.client.signed(
                    by: scene.founder, "POST", scene.client.path(leaver.person, "/cancellation")), "done")
            try await expectNoSession(scene, "an employee who was cancelled meanwhile", recordsProof: true) {
                try await login.finish(authOTT)
            }
        }
    }

    @Test func `does not replace the answers of an unknown employee, whose flow looks the same`() async throws {
        try await withMPin { scene in
            try await scene.change(["opensSessions": true])
            let member = try await scene.employee("member")
            let holder = try await scene.linkedHolder(of: member)
            var nobody = member
            nobody.person = Person("nobody", at: scene.company)
            let authOTT = try await scene.pins.authOTT(holder)
            try await expectNoSession(scene, "a decoy") {
                try await PINLogin(nobody, scene.client).finish(authOTT)
            }
        }
    }
}
