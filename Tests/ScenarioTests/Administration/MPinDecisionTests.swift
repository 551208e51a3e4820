import Canonical
import Foundation
import Testing

@Suite(.onServer)
struct `The revocation of an identity` {
    @Test func `is an app's with AUTHORIZATION, an admin's or the linked device's`() async throws {
        try await withMPin { scene in
            let member = try await scene.employee("member"), other = try await scene.employee("other")
            let limited = try await scene.unauthorized()
            let free = try await scene.pins.register("free")
            let linked = [
                try await scene.linkedHolder(of: member), try await scene.linkedHolder(of: member),
                try await scene.linkedHolder(of: member),
            ]
            let body: [String: JSONValue] = ["reason": "lost"]
            for enrolment in linked.map(\.enrolment) + [free.enrolment] {
                let path = scene.path(enrolment, "/revocation")
                try await scene.expectNothingAppended("revocations without authority") {
                    expectRefused(try await scene.client.signed(by: other, "POST", path, body))
                    expectRefused(try await limited.client.post(path, .object(body)))
                    expectRefused(try await scene.client.post(path, .object(body), by: .nobody))
                    expectOutcome(
                        try await scene.client.post(path, .object(body), by: scene.founder.session),
                        "signatureRequired")
                }
            }
            expectOutcome(try await scene.revoke(free.enrolment), "done")
            expectOutcome(try await scene.revoke(linked[0].enrolment), "done")
            for (holder, by) in [(linked[1], scene.founder), (linked[2], member)] {
                let path = scene.path(holder.enrolment, "/revocation")
                expectOutcome(try await scene.client.signed(by: by, "POST", path, body), "done")
            }
            for holder in linked + [free] {
                try await scene.expectRefusal("mpin.ended") { try await scene.pins.prove(holder) }
                try await scene.expectRefusal("mpin.ended") { try await scene.pins.confirm(holder.enrolment) }
                #expect(try await scene.types(holder.enrolment).last == "MPinRevoked")
            }
        }
    }

    @Test func `of an admin's identity is the security admin's or their own, never an app's`() async throws {
        try await withMPin { scene in
            let attack = try await admins(scene)
            let (admin, colleague) = (attack[0], attack[1])
            let first = try await scene.linkedHolder(of: admin), second = try await scene.linkedHolder(of: admin)
            let top = try await scene.linkedHolder(of: scene.founder)
            let body: [String: JSONValue] = ["reason": "lost"]
            for enrolment in [first.enrolment, second.enrolment, top.enrolment] {
                try await scene.expectNothingAppended("an admin's identity") {
                    expectRefused(try await scene.revoke(enrolment))
                    expectRefused(
                        try await scene.client.signed(
                            by: colleague, "POST", scene.path(enrolment, "/revocation"), body))
                }
            }
            try await scene.expectNothingAppended("the security admin's identity") {
                expectRefused(
                    try await scene.client.signed(
                        by: admin, "POST", scene.path(top.enrolment, "/revocation"), body))
            }
            for (holder, by) in [(first, scene.founder), (second, admin), (top, scene.founder)] {
                let path = scene.path(holder.enrolment, "/revocation")
                expectOutcome(try await scene.client.signed(by: by, "POST", path, body), "done")
            }
        }
    }

    @Test func `needs a reason, happens once, and does not undo a block`() async throws {
        try await withMPin { scene in
            let holder = try await scene.pins.register("once")
            let path = scene.path(holder.enrolment, "/revocation")
            try await scene.expectNothingAppended("no reason") {
                for body in [
                    [:], ["reason": ""], ["reason": "Lost"], ["reason": "a b"], ["reason": 1],
                    ["reason": .string(String(repeating: "x", count: 65))], ["reason": "lost", "x": 1],
                ] as [JSONValue] {
                    expectMPinProblem(try await scene.client.post(path, body), "request.invalid")
                }
            }
            expectOutcome(try await scene.revoke(holder.enrolment), "done")
            let again = try await scene.expectNothingAppended { try await scene.revoke(holder.enrolment) }
            expectOutcome(again, "done")
            #expect(again["position"] == nil)
            let raced = try await scene.pins.register("raced").enrolment
            let replies = try await concurrently(6) { _ in try await scene.revoke(raced) }
            #expect(replies.allSatisfy { $0.status == 200 }, "\(replies)")
            #expect(try await scene.types(raced).count { $0 == "MPinRevoked" } == 1)
            let blocked = try await scene.holder(in: .blocked)
            try await scene.expectRefusal("mpin.blocked") { try await scene.revoke(blocked.enrolment) }
        }
    }

    @Test func `does not cross companies`() async throws {
        try await withMPin { scene in
            let stranger = try await scene.client.found("other.example")
            let holder = try await scene.pins.register("mine")
            let crossed = scene.client.path(
                "other.example", "/mpin/identities/\(holder.enrolment.identityId)/revocation")
            try await scene.expectNothingAppended("another company") {
                expectRefused(try await scene.client.post(crossed, ["reason": "lost"]))
                expectRefused(try await scene.client.signed(by: stranger, "POST", crossed, ["reason": "lost"]))
                expectRefused(
                    try await scene.client.signed(
                        by: stranger, "POST", scene.path(holder.enrolment, "/revocation"), ["reason": "lost"]))
            }
            #expect(try await scene.pins.prove(holder).status == 200)
        }
    }

    /// Two admins whose keys the security admin signed for.
    private func admins(_ scene: MPinScene) async throws -> [Member] {
        var admins: [Member] = []
        for id in ["admin-1", "admin-2"] {
            let person = Person(id, at: scene.company), device = Device()
            expectOutcome(try await scene.client.register(person, device), "authorizationPending")
            let key = scene.client.path(person, "/keys/\(device.fingerprint)/authorization")
            expectOutcome(try await scene.client.signed(by: scene.founder, "POST", key), "done")
            expectOutcome(
                try await scene.client.signed(
                    by: scene.founder, "POST", scene.client.path(person, "/role"), ["role": "admin"]), "done")
            admins.append(try Member(person, device, try await scene.client.logIn(person, device)))
        }
        return admins
    }
}

@Suite(.onServer)
struct `The M-Pin policy of a company` {
    @Test func `has the documented defaults and changes member by member`() async throws {
        try await withMPin(policy: [:]) { scene in
            let path = scene.client.path(scene.company, "/mpin/policy")
            let read = { try await scene.client.get(path, by: scene.founder.session) }
            let first = try await read()
            #expect(first["enabled"]?.flag == true && first["verification"]?.text == "email")
            #expect(first["maximumFailures"]?.number == 3 && first["opensSessions"]?.flag == false)
            try await scene.change(["maximumFailures": 5])
            try await scene.change(["verification": "application", "opensSessions": true])
            let second = try await read()
            #expect(second["enabled"]?.flag == true && second["verification"]?.text == "application")
            #expect(second["maximumFailures"]?.number == 5 && second["opensSessions"]?.flag == true)
            let events = try await scene.client.events(scene.company, "type=MPinPolicyChanged")
            #expect(events.count == 2 && events.last?["data"]?["maximumFailures"]?.number == 5)
        }
    }

    @Test func `is changed by the security admin's signature only`() async throws {
        try await withMPin { scene in
            let path = scene.client.path(scene.company, "/mpin/policy")
            let member = try await scene.employee("member")
            let body: [String: JSONValue] = ["opensSessions": true]
            let asked = try await scene.client.send(
                scene.client.request("PATCH", path, .object(body), by: scene.founder.session))
            expectOutcome(asked, "signatureRequired")
            try await scene.expectNothingAppended("policies without authority") {
                for caller in [Caller.app(scene.client.app), .nobody, member.session] {
                    expectRefused(
                        try await scene.client.send(scene.client.request("PATCH", path, .object(body), by: caller)))
                }
                expectRefused(try await scene.client.signed(by: member, "PATCH", path, body))
                // The signature is for what was asked, and for this policy only.
                for other in [["maximumFailures": 5], ["opensSessions": true, "maximumFailures": 5]]
                    as [[String: JSONValue]]
                {
                    var swapped = other
                    swapped["statement"] = asked["statement"]
                    swapped["signature"] = .string(
                        try scene.founder.device.sign(base64: asked["statement"]?.text))
                    let request = scene.client.request("PATCH", path, .object(swapped), by: scene.founder.session)
                    expectRefused(try await scene.client.send(request))
                    let tenant = scene.client.path(scene.company, "/policy")
                    expectRefused(
                        try await scene.client.send(
                            scene.client.request("PATCH", tenant, .object(swapped), by: scene.founder.session)))
                }
                for invalid in [
                    [:], ["maximumFailures": 0], ["maximumFailures": 6], ["maximumFailures": "3"],
                    ["verification": "sms"], ["enabled": 1], ["unlimited": true], ["enabled": .null],
                ] as [[String: JSONValue]] {
                    let reply = try await scene.client.signed(by: scene.founder, "PATCH", path, invalid)
                    expectMPinProblem(reply, "request.invalid", "\(invalid)")
                }
            }
            try await scene.change(["opensSessions": true])
            var replayed = body
            replayed["statement"] = asked["statement"]
            replayed["signature"] = .string(try scene.founder.device.sign(base64: asked["statement"]?.text))
            try await scene.change(["opensSessions": false])
            try await scene.expectNothingAppended("an old statement") {
                let request = scene.client.request("PATCH", path, .object(replayed), by: scene.founder.session)
                expectRefused(try await scene.client.send(request))
            }
            for caller in [Caller.app(scene.client.app), .nobody, member.session] {
                #expect(try await scene.client.get(path, by: caller).status >= 400)
            }
        }
    }
}
