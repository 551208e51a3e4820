import Canonical
import Foundation
import Testing

@Suite(.onServer)
struct `The link of an identity to an account` {
    @Test func `is made by the employee's own device, for their address or employee id`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("e-1001")
            let creating = try await scene.unauthorized()
            for userId in [member.person.email, "E-1001"] {
                let enrolment = try await creating.started(userId)
                #expect(!enrolment.isActive)
                let reply = try await scene.link(enrolment, by: member)
                expectOutcome(reply, "done")
                #expect(reply["employee"]?["companyEmployeeId"]?.text == "e-1001" && reply["position"]?.number != nil)
                #expect(
                    try await scene.types(enrolment) == [
                        "MPinRegistrationStarted", "MPinLinked", "MPinIdentityVerified",
                    ])
                let holder = try await creating.confirmed(enrolment)
                let proved = try await scene.pins.prove(holder)
                #expect(proved["employee"]?["companyEmployeeId"]?.text == "e-1001", "\(proved)")
                #expect(proved["employee"]?["role"]?.text == "employee")
                // A second time is the same link.
                let again = try await scene.expectNothingAppended { try await scene.link(enrolment, by: member) }
                #expect(again.status == 200 || again.status == 409, "\(again)")
            }
            let verified = try await scene.client.events(scene.company, "type=MPinIdentityVerified")
            #expect(verified.allSatisfy { $0["data"]?["method"]?.text == "device" })
        }
    }

    @Test func `is not made by a token, a secret or anybody else's signature`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("owner"), thief = try await scene.employee("thief")
            let enrolment = try await scene.unauthorized().started(member.person.email)
            let path = scene.path(enrolment, "/link")
            try await scene.expectNothingAppended("links without the device's signature") {
                let asked = try await scene.client.post(path, enrolment.linking(), by: member.session)
                expectOutcome(asked, "signatureRequired")
                let statement = try bytes(base64: asked["statement"]?.text)
                let text = String(decoding: statement, as: UTF8.self)
                #expect(text.hasPrefix("tenure/v1/mpin-link\n") && !text.contains(member.person.email))
                for caller in [Caller.app(scene.client.app), .nobody] {
                    expectRefused(try await scene.client.post(path, enrolment.linking(), by: caller))
                }
                // A token that was stolen, with the thief's own device; and the owner's statement with it.
                for signature in [try thief.device.sign(statement), try Device().sign(statement), "", "AAAA"] {
                    let body = enrolment.linking([
                        "statement": asked["statement"] ?? .null, "signature": .string(signature),
                    ])
                    for caller in [member.session, thief.session] {
                        expectRefused(try await scene.client.post(path, body, by: caller))
                    }
                }
                for other in [thief, scene.founder] {
                    let reply = try await scene.link(enrolment, by: other)
                    #expect([400, 403, 404].contains(reply.status), "another's user id: \(reply)")
                }
            }
            expectOutcome(try await scene.link(enrolment, by: member), "done")
        }
    }

    @Test func `is not made by a device key that waits or is revoked`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("owner")
            let enrolment = try await scene.unauthorized().started(member.person.email)
            let waiting = Device()
            expectOutcome(try await scene.client.logIn(member.person, waiting), "authorizationPending")
            var disguised = member
            disguised.device = waiting
            try await scene.expectNothingAppended("a pending key") {
                expectRefused(try await scene.link(enrolment, by: disguised))
            }
            let asked = try await scene.client.post(
                scene.path(enrolment, "/link"), enrolment.linking(), by: member.session)
            let path = scene.client.path(member.person, "/keys/\(member.device.fingerprint)/revocation")
            expectOutcome(try await scene.client.post(path, ["reason": "lost"]), "done")
            let signed: [String: JSONValue] = [
                "statement": asked["statement"] ?? .null,
                "signature": .string(try member.device.sign(base64: asked["statement"]?.text)),
            ]
            try await scene.expectNothingAppended("a revoked key") {
                expectRefused(
                    try await scene.client.post(
                        scene.path(enrolment, "/link"), enrolment.linking(signed), by: member.session))
            }
        }
    }

    @Test func `is not made by a replayed or expired statement`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("owner")
            let creating = try await scene.unauthorized()
            let first = try await creating.started(member.person.email)
            let second = try await creating.started(member.person.email)
            let asked = try await scene.client.post(scene.path(first, "/link"), first.linking(), by: member.session)
            let signed: [String: JSONValue] = [
                "statement": asked["statement"] ?? .null,
                "signature": .string(try member.device.sign(base64: asked["statement"]?.text)),
            ]
            expectOutcome(
                try await scene.client.post(scene.path(first, "/link"), first.linking(signed), by: member.session),
                "done")
            try await scene.expectNothingAppended("a statement about another identity") {
                for rest in ["/link", "/verification", "/revocation"] {
                    var members = signed
                    if rest == "/link" { members["regOTT"] = .string(second.regOTT) }
                    if rest == "/revocation" { members["reason"] = "lost" }
                    expectRefused(
                        try await scene.client.post(scene.path(second, rest), .object(members), by: member.session))
                }
                let again = try await scene.client.post(
                    scene.path(first, "/link"), first.linking(signed), by: member.session)
                #expect((200..<500).contains(again.status) && again["position"] == nil, "\(again)")
            }
            let late = try await scene.client.post(scene.path(second, "/link"), second.linking(), by: member.session)
            let old: [String: JSONValue] = [
                "statement": late["statement"] ?? .null,
                "signature": .string(try member.device.sign(base64: late["statement"]?.text)),
            ]
            scene.clock.pass(.seconds(3_000))
            try await scene.expectNothingAppended("an expired statement") {
                expectRefused(
                    try await scene.client.post(scene.path(second, "/link"), second.linking(old), by: member.session))
            }
        }
    }

    @Test func `belongs to one device, and comes before the client key`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("owner")
            let tablet = Device()
            expectOutcome(try await scene.client.logIn(member.person, tablet), "authorizationPending")
            expectOutcome(try await scene.client.authorize(tablet, of: member.person), "done")
            let other = try Member(member.person, tablet, try await scene.client.logIn(member.person, tablet))
            let linked = try await scene.linkedHolder(of: member).enrolment
            try await scene.expectNothingAppended("another device") {
                expectMPinProblem(try await scene.link(linked, by: other), "mpin.wrong_state")
            }
            // Whoever has a client key already need not be the device that signs.
            let enrolment = try await scene.pins.started(member.person.email)
            _ = try await scene.pins.confirmed(enrolment)
            try await scene.expectNothingAppended("a key was issued") {
                expectMPinProblem(try await scene.link(enrolment, by: member), "mpin.wrong_state")
            }
        }
    }

    @Test func `is not made for an identity that somebody else started`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("owner")
            let enrolment = try await scene.unauthorized().started(member.person.email)
            try await scene.expectNothingAppended("a link without the registration's token") {
                for token in ["", String(repeating: "0", count: 32), String(enrolment.regOTT.dropLast())] {
                    let body: JSONValue = ["regOTT": .string(token)]
                    let reply = try await scene.client.post(scene.path(enrolment, "/link"), body, by: member.session)
                    expectMPinProblem(reply, "mpin.unknown")
                }
                let reply = try await scene.client.post(scene.path(enrolment, "/link"), [:], by: member.session)
                expectMPinProblem(reply, "request.invalid")
            }
        }
    }

    @Test func `is not made across companies`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("owner")
            let other = try await scene.client.found("other.example")
            let there = try await scene.client.join(member.person.also("owner", at: "other.example"))
            let enrolment = try await scene.unauthorized().started(member.person.email)
            try await scene.expectNothingAppended("an account elsewhere") {
                for caller in [there, other] {
                    expectRefused(try await scene.link(enrolment, by: caller))
                    let crossed = scene.client.path("other.example", "/mpin/identities/\(enrolment.identityId)/link")
                    expectRefused(
                        try await scene.client.signed(
                            by: caller, "POST", crossed, ["regOTT": .string(enrolment.regOTT)]))
                }
            }
        }
    }
}
