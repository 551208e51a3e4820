import Canonical
import Foundation
@testable import Identity
import IdentityService
import TestSupport
import Testing

/// An employee with several devices.
@Suite(.onServer, .sharedWorld)
struct `The devices of an employee` {
    /// A further device of a member: presented, authorized by the app or, of an admin, by the member's device, and logged in.
    private func addDevice(to member: Member, isAdmin: Bool = false, _ client: Client) async throws -> Member {
        let device = Device()
        expectOutcome(try await client.logIn(member.person, device), "authorizationPending")
        let path = client.path(member.person, "/keys/\(device.fingerprint)/authorization")
        expectOutcome(
            isAdmin ? try await client.signed(by: member, "POST", path) : try await client.post(path), "done")
        return try Member(member.person, device, try await client.logIn(member.person, device))
    }

    private func revoke(
        _ device: Device, by member: Member, _ client: Client, reason: String = "lost"
    ) async throws -> HTTPReply {
        try await client.signed(
            by: member, "POST", "/v1/devices/\(device.fingerprint)/revocation", ["reason": .string(reason)])
    }

    private func devices(_ member: Member, _ client: Client) async throws -> [JSONValue] {
        try #require(try await client.get("/v1/devices", by: member.session)["items"]?.items)
    }

    @Test func `an employee sees each key with its state and who authorized it`() async throws {
        let client = try sharedWorld().client
        let company = "devices.example"
        let founder = try await client.found(company)
        let first = try await client.join(Person("second", at: company))
        let waiting = Device()
        expectOutcome(try await client.logIn(first.person, waiting), "authorizationPending")
        let signed = Device()
        expectOutcome(try await client.logIn(first.person, signed), "authorizationPending")
        expectOutcome(
            try await client.signed(
                by: founder, "POST", client.path(first.person, "/keys/\(signed.fingerprint)/authorization")), "done")

        let seen = try await devices(first, client)
        #expect(
            seen.map { $0["fingerprint"]?.text } == [first.device, waiting, signed].map(\.fingerprint))
        #expect(seen.map { $0["state"]?.text } == ["authorized", "pending", "authorized"])
        #expect(seen.map { $0["isCurrent"] } == [.bool(true), .bool(false), .bool(false)])
        #expect(seen.map { $0["authorizedBy"]?["kind"]?.text } == ["app", nil, "employee"])
        #expect(seen[2]["authorizedBy"]?["companyEmployeeId"]?.text == "founder")
        #expect(seen[0]["lastUsedAt"] != nil && seen[1]["lastUsedAt"] == nil && seen[2]["lastUsedAt"] == nil)
        #expect(seen[1]["authorizedAt"] == nil && seen[2]["authorizedAt"] != nil)
        // The founder sees the founder's alone.
        let founders = try await devices(founder, client)
        #expect(founders.map { $0["authorizedBy"]?["kind"]?.text } == ["founding"])
        try expectProblem(try await client.get("/v1/devices"), "session.invalid")
    }

    @Test func `a revoked device loses its sessions at once and cannot return`() async throws {
        let client = try sharedWorld().client
        let company = "lost-phone.example"
        _ = try await client.found(company)
        let laptop = try await client.join(Person("second", at: company))
        let phone = try await addDevice(to: laptop, client)
        // The session alone is not enough, and neither is the key of another device's session.
        let path = "/v1/devices/\(phone.device.fingerprint)/revocation"
        let asked = try await client.post(path, ["reason": "lost"], by: laptop.session)
        expectOutcome(asked, "signatureRequired")
        let foreign = try Device().sign(base64: asked["statement"]?.text)
        let statement = try #require(asked["statement"])
        try expectProblem(
            try await client.post(
                path, ["reason": "lost", "statement": statement, "signature": .string(foreign)], by: laptop.session),
            "authorization.not_permitted")
        #expect(try await client.get("/v1/sessions", by: phone.session).status == 200)

        let done = try await revoke(phone.device, by: laptop, client)
        expectOutcome(done, "done")
        #expect(done["position"] != nil)
        try expectProblem(try await client.get("/v1/sessions", by: phone.session), "session.invalid")
        try expectProblem(
            try await client.post("/v1/sessions/refresh", ["refreshToken": .string(phone.refreshToken)], by: nil),
            "session.invalid")
        #expect(try await client.get("/v1/sessions", by: laptop.session)["items"]?.items.count == 1)
        try expectProblem(try await client.logIn(phone.person, phone.device), "authorization.not_permitted")
        try expectProblem(
            try await client.authorize(phone.device, of: phone.person), "authorization.unknown_key")
        let seen = try await devices(laptop, client)
        #expect(seen.last?["state"]?.text == "revoked" && seen.last?["endedAt"] != nil)
        let again = try await revoke(phone.device, by: laptop, client)
        expectOutcome(again, "done")
        #expect(again["position"] == nil, "twice is the same as once")
    }

    @Test func `the last device can be revoked, except the security admin's, and an admin helps afterwards`()
        async throws
    {
        let client = try sharedWorld().client
        let company = "last-device.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        expectOutcome(try await revoke(member.device, by: member, client), "done")
        try expectProblem(try await client.get("/v1/devices", by: member.session), "session.invalid")
        // The next device waits like any other.
        let next = Device()
        expectOutcome(try await client.logIn(member.person, next), "authorizationPending")
        expectOutcome(
            try await client.signed(
                by: founder, "POST", client.path(member.person, "/keys/\(next.fingerprint)/authorization")), "done")
        let back = try Member(member.person, next, try await client.logIn(member.person, next))

        // Lost with the device: an admin revokes its key, and lets the next one in.
        expectOutcome(
            try await client.signed(
                by: founder, "POST", client.path(member.person, "/keys/\(next.fingerprint)/revocation"),
                ["reason": "lost"]), "done")
        try expectProblem(try await client.get("/v1/devices", by: back.session), "session.invalid")

        try expectProblem(try await revoke(founder.device, by: founder, client), "authorization.not_permitted")
        let second = try await addDevice(to: founder, isAdmin: true, client)
        expectOutcome(try await revoke(founder.device, by: second, client), "done")
        try expectProblem(try await revoke(second.device, by: second, client), "authorization.not_permitted")
    }

    @Test func `another person's device is neither listed nor revoked`() async throws {
        let client = try sharedWorld().client
        let one = try await client.found("own-one.example"), other = try await client.found("own-two.example")
        let colleague = try await client.join(Person("second", at: "own-one.example"))
        for device in [other.device, colleague.device, Device()] {
            try expectProblem(try await revoke(device, by: one, client), "authorization.unknown_key")
        }
        for fingerprint in ["", "zz", String(repeating: "0", count: 63), "%00"] {
            let reply = try await client.post(
                "/v1/devices/\(fingerprint)/revocation", ["reason": "lost"], by: one.session)
            #expect([400, 404].contains(reply.status), "\(reply)")
        }
        try expectProblem(
            try await client.post(
                "/v1/devices/\(one.device.fingerprint)/revocation", ["reason": "not a code"], by: one.session),
            "request.invalid")
        #expect(try await client.get("/v1/devices", by: colleague.session).status == 200)
        #expect(try await client.get("/v1/devices", by: other.session).status == 200)
    }

    /// Each signs with a key that is in force when asked: one wins, and the other's is not in force any more.
    @Test(arguments: 1...5)
    func `two devices of a security admin that revoke each other leave one`(round: Int) async throws {
        let client = try sharedWorld().client
        let first = try await client.found("duel-\(round).example")
        let second = try await addDevice(to: first, isAdmin: true, client)
        async let one = revoke(second.device, by: first, client)
        async let two = revoke(first.device, by: second, client)
        let replies = try await [one, two]
        #expect(replies.count { $0.outcome == "done" } == 1, "\(replies)")
        let winner = replies[0].outcome == "done" ? first : second
        #expect(try await devices(winner, client).count { $0["state"]?.text == "authorized" } == 1)
    }

    @Test func `at most ten keys are pending, and the eleventh is refused only after a valid proof`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "waiting-keys.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person.withQuestions("second", at: company))
        var waiting: [Device] = []
        for _ in 0..<Employee.pendingLimit {
            let device = Device()
            expectOutcome(try await client.logIn(member.person, device), "authorizationPending")
            waiting.append(device)
        }
        let eleventh = Device()
        // Before the answers nothing is told: start and key are as for everybody.
        let flow = try await Flow.logIn(member.person, eleventh, client)
        let asked = try await flow.prove(eleventh)
        expectOutcome(asked, "validateAnswers")
        let wrong = member.person.answers(to: asked["questions"]?.items ?? []) { _, _ in "something else" }
        try expectProblem(try await flow.step("answers", wrong), "answers.incorrect")
        try expectProblem(try await client.logIn(member.person, eleventh), "authorization.not_permitted")
        try await client.settle(company)
        let listed = try await client.get(client.path(company, "/authorizations"), by: founder.session)
        #expect(listed["items"]?.items.count == Employee.pendingLimit)
        // Keys that are in force are not concerned, and neither is one that waits already.
        expectOutcome(try await client.logIn(member.person, member.device), "success")
        expectOutcome(try await client.logIn(member.person, waiting[0]), "authorizationPending")
        expectOutcome(
            try await client.post(
                client.path(member.person, "/keys/\(waiting[3].fingerprint)/refusal"), ["reason": "unknown"]), "done")
        expectOutcome(try await client.logIn(member.person, eleventh), "authorizationPending")
    }
}
