import Canonical
import Credentials
import Foundation
import Testing

@Suite(.onServer, .sharedWorld)
struct `An invitation` {
    private func invite(
        _ id: String, _ company: String, _ client: Client, by admin: Member, _ more: [String: JSONValue] = [:]
    ) async throws -> HTTPReply {
        let salt = Base64.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) })
        let body: [String: JSONValue] = ["companyEmployeeId": .string(id), "subjectSalt": .string(salt)]
        return try await client.signed(
            by: admin, "POST", client.path(company, "/invitations"), body.merging(more) { $1 })
    }

    private func token(_ reply: HTTPReply) throws -> String {
        try #require(reply["invitation"]?.text, "\(reply)")
    }

    /// Starts a registration with an invitation.
    private func start(_ person: Person, _ device: Device, _ invitation: String?, _ client: Client) async throws
        -> HTTPReply
    {
        var body = person.registration(device).members
        if let invitation { body["invitation"] = .string(invitation) }
        return try await client.post("/v1/registrations", .object(body))
    }

    /// A whole registration with an invitation.
    private func register(_ person: Person, _ device: Device, _ invitation: String, _ client: Client) async throws
        -> HTTPReply
    {
        let started = try await start(person, device, invitation, client)
        guard started.status == 201 else { return started }
        let flow = Flow(
            client: client, kind: .registrations, handle: try #require(started["flow"]?.text),
            challenge: try #require(started.challenge))
        let asked = try await flow.prove(device)
        return asked.status == 200 ? try await flow.complete(person, asked) : asked
    }

    private func company(_ name: String, mode: String? = "invited") async throws -> (Client, Member) {
        let client = try sharedWorld().client
        let admin = try await client.found(name)
        if let mode { try await client.change(policy: ["registrationMode": .string(mode)], of: name, by: admin) }
        return (client, admin)
    }

    @Test func `is required where only invited people register, for every name`() async throws {
        let name = "closed.example"
        let (client, admin) = try await company(name)
        let known = admin.person, unknown = Person("unknown", at: name)
        let wrong = Base64URL.encode([UInt8](repeating: 7, count: 16))
        for person in [known, unknown] {
            try expectProblem(
                try await start(person, Device(), nil, client), "registration.invitation_required")
            for guess in [wrong, "", "x", String(repeating: "A", count: 500)] {
                try expectProblem(try await start(person, Device(), guess, client), "invitation.invalid")
            }
        }
    }

    @Test func `lets one person register once and authorizes no device`() async throws {
        let name = "once.example"
        let (client, admin) = try await company(name)
        let invitation = try token(try await invite("zoe", name, client, by: admin))
        #expect(invitation.utf8.count == 22)
        let zoe = Person("zoe", at: name), device = Device()
        try expectProblem(try await start(Person("bob", at: name), Device(), invitation, client), "invitation.invalid")
        expectOutcome(try await register(zoe, device, invitation, client), "authorizationPending")
        try expectProblem(try await start(zoe, Device(), invitation, client), "invitation.invalid")
        expectOutcome(try await client.authorize(device, of: zoe), "done")
        expectOutcome(try await client.logIn(zoe, device), "success")
        let types = try await client.events(name).compactMap { $0["type"]?.text }
        #expect(types.filter { $0.hasPrefix("Invitation") } == ["InvitationIssued", "InvitationUsed"])
        // An id that belongs to somebody is not for inviting.
        try expectProblem(try await invite("zoe", name, client, by: admin), "employee.already_registered")
    }

    @Test func `for one address is refused for another`() async throws {
        let name = "address.example"
        let (client, admin) = try await company(name)
        let invitation = try token(
            try await invite("zoe", name, client, by: admin, ["email": "Zoe@mail.example"]))
        let other = Person("zoe", at: name, email: "eve@mail.example")
        try expectProblem(try await start(other, Device(), invitation, client), "invitation.invalid")
        let zoe = Person("zoe", at: name, email: "zoe@mail.example")
        expectOutcome(try await register(zoe, Device(), invitation, client), "authorizationPending")
    }

    @Test func `outranks a squatter and frees the squatter's address`() async throws {
        let name = "outranks.example"
        let (client, admin) = try await company(name, mode: nil)
        let squatter = Person("1001", at: name, email: "zoe@outranked.example")
        expectOutcome(try await client.register(squatter, Device()), "authorizationPending")
        let invitation = try token(try await invite("1001", name, client, by: admin))
        let zoe = Person("1001", at: name), device = Device()
        expectOutcome(try await register(zoe, device, invitation, client), "authorizationPending")
        let released = try await client.events(name).filter { $0["type"]?.text == "EmployeeIdReleased" }
        #expect(released.map { $0["data"]?["reason"]?.text } == ["invited"])
        expectOutcome(try await client.authorize(device, of: zoe), "done")
        expectOutcome(try await client.logIn(zoe, device), "success")
        let other = Person("1002", at: name, email: squatter.email)
        expectOutcome(try await client.register(other, Device()), "authorizationPending")
    }

    @Test func `is listed while it is open and can be revoked`() async throws {
        let name = "listed.example"
        let (client, admin) = try await company(name)
        let issued = try await invite("zoe", name, client, by: admin, ["email": "zoe@mail.example"])
        let invitation = try token(issued)
        let id = try #require(issued["issued"]?["invitationId"]?.text)
        let listed = try await client.get(client.path(name, "/invitations"), by: admin.session)
        #expect(listed["items"]?.items.map { $0["invitationId"]?.text } == [id])
        #expect(listed["items"]?.items.first?["companyEmployeeId"]?.text == "zoe")
        #expect(!String(decoding: listed.body, as: UTF8.self).contains(invitation))

        let path = client.path(name, "/invitations/\(id.uppercased())")
        expectOutcome(try await client.signed(by: admin, "DELETE", path), "done")
        let again = try await client.signed(by: admin, "DELETE", path)
        #expect(again.outcome == "done" && again["position"] == nil, "\(again)")
        try expectProblem(
            try await start(Person("zoe", at: name, email: "zoe@mail.example"), Device(), invitation, client),
            "invitation.invalid")
        let empty = try await client.get(client.path(name, "/invitations"), by: admin.session)
        #expect(empty["items"]?.items.isEmpty == true)
        try expectProblem(
            try await client.signed(
                by: admin, "DELETE", client.path(name, "/invitations/\(UUID().uuidString.lowercased())")),
            "invitation.invalid")
    }

    @Test func `can be issued only by admins and apps with ADMINISTRATION`() async throws {
        let name = "issuers.example"
        let (client, admin) = try await company(name, mode: nil)
        let employee = try await client.join(Person("plain", at: name))
        let path = client.path(name, "/invitations")
        try expectProblem(
            try await invite("x", name, client, by: employee), "authorization.not_permitted")
        // The link of the founding app does not have the role.
        try expectProblem(try await client.post(path, ["companyEmployeeId": "x"]), "app.role_missing")
        try expectProblem(try await client.get(path), "app.role_missing")
        // A signature over other names is worth nothing.
        let body: [String: JSONValue] = [
            "companyEmployeeId": "x", "subjectSalt": .string(Base64.encode([UInt8](repeating: 1, count: 32))),
        ]
        let asked = try await client.post(path, .object(body), by: admin.session)
        expectOutcome(asked, "signatureRequired")
        var other = body
        other["companyEmployeeId"] = "y"
        other["statement"] = asked["statement"]
        other["signature"] = .string(try admin.device.sign(base64: asked["statement"]?.text))
        try expectProblem(try await client.post(path, .object(other), by: admin.session), "request.stale")
        try expectProblem(
            try await client.post(path, ["companyEmployeeId": "x"], by: admin.session), "request.invalid")
    }

    @Test func `ends permanently with its issuer's role`() async throws {
        let name = "issuer.example"
        let (client, founder) = try await company(name)
        let hired = try token(try await invite("clerk", name, client, by: founder))
        let clerk = Person("clerk", at: name), device = Device()
        expectOutcome(try await register(clerk, device, hired, client), "authorizationPending")
        let key = client.path(clerk, "/keys/\(device.fingerprint)/authorization")
        expectOutcome(try await client.signed(by: founder, "POST", key), "done")
        let admin = try Member(clerk, device, try await client.logIn(clerk, device))
        let appointed = try await client.signed(by: founder, "POST", client.path(clerk, "/role"), ["role": "admin"])
        expectOutcome(appointed, "done")
        let invitation = try token(try await invite("zoe", name, client, by: admin))
        let zoe = Person("zoe", at: name)
        let role = client.path(clerk, "/role")
        expectOutcome(try await client.signed(by: founder, "POST", role, ["role": "employee"]), "done")
        try expectProblem(try await start(zoe, Device(), invitation, client), "invitation.invalid")
        expectOutcome(try await client.signed(by: founder, "POST", role, ["role": "admin"]), "done")
        try expectProblem(try await start(zoe, Device(), invitation, client), "invitation.invalid")
    }

    @Test func `is stored as a digest, and its names under their own key`() async throws {
        let world = try sharedWorld()
        let name = "digest.example"
        let (client, admin) = try await company(name)
        let id = "needle-\(Person.word())"
        let invitation = try token(try await invite(id, name, client, by: admin))
        let bytes = try #require(Base64URL.decode(invitation))
        let dump = try await world.dump().bytes
        for secret in [Data(invitation.utf8), Data(bytes), Data(id.utf8)] { #expect(dump.range(of: secret) == nil) }
    }
}
