import Canonical
import Foundation
import IdentityService
import Testing

/// What a caller reads in a refusal: one test for each sentence that says what is wrong and what to do.
@Suite(.onServer, .sharedWorld)
struct `The message of a refusal` {
    /// Expects a refusal that names one fault: its place, and words of the sentence about it.
    private func expect(
        _ reply: HTTPReply, _ code: String, at place: String, _ words: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        try expectProblem(reply, code, sourceLocation: sourceLocation)
        let fault = try #require(reply["errors"]?.items.first, "\(reply)", sourceLocation: sourceLocation)
        let named = ["pointer", "parameter", "header"].compactMap { fault[$0]?.text }.first
        #expect(named == place, "\(reply)", sourceLocation: sourceLocation)
        #expect(fault["detail"]?.text?.contains(words) == true, "\(reply)", sourceLocation: sourceLocation)
    }

    // MARK: Entries

    @Test(arguments: ["AAAAAAAAAAAAAAAAAAAAAA", "AAA", "?"])
    func `names the answer whose question was not asked`(id: String) async throws {
        let client = try sharedWorld().client
        let company = "unasked-\(id.utf8.count).example"
        let owner = try await client.found(company, by: .withQuestions("f", at: company))
        let flow = try await Flow.logIn(owner.person, owner.device, client)
        let questions = try await flow.prove(owner.device)["questions"]?.items ?? []
        var items = owner.person.answers(to: questions)["answers"]?.items ?? []
        try #require(items.count > 2)
        items[1] = ["questionId": .string(id), "answer": "something"]
        try expect(
            try await flow.step("answers", ["answers": .array(items)]), "request.invalid", at: "/answers/1/questionId",
            "was not asked")
    }

    @Test func `names the answer or the passphrase of new credentials that is refused`() async throws {
        let client = try sharedWorld().client, device = Device()
        let person = Person("new", at: "entries.example")
        let flow = try await Flow.register(person, device, client)
        _ = try await flow.prove(device)
        func refused(_ change: (inout Person) -> Void) async throws -> HTTPReply {
            var changed = person
            change(&changed)
            return try await flow.step("credentials", changed.credentials)
        }
        try expect(
            try await refused { $0.questions[2].answer = " " }, "credentials.incomplete",
            at: "/securityQuestions/2/answer", "is empty")
        try expect(
            try await refused { $0.questions[4].answer = String(repeating: "a", count: 257) }, "request.invalid",
            at: "/securityQuestions/4/answer", "longer than 256 bytes")
        try expect(
            try await refused { $0.questions[0].answer = "a\u{7}b" }, "request.invalid",
            at: "/securityQuestions/0/answer", "control character")
        // Words of another encoding, decoded by somebody before they were sent.
        try expect(
            try await refused { $0.questions[0].answer = "\u{FFFD}\u{FFFD}\u{FFFD} two" }, "request.invalid",
            at: "/securityQuestions/0/answer", "U+FFFD")
        try expect(
            try await refused { $0.questions[3].question = $0.questions[1].question },
            "credentials.five_questions_required", at: "/securityQuestions/3/question", "same as an earlier one")
        try expect(
            try await refused { $0.passphrase = "short" }, "credentials.incomplete", at: "/passphrase",
            "fewer than 8 characters")
        try expect(
            try await refused { $0.passphrase = "a long\tpassphrase" }, "request.invalid", at: "/passphrase",
            "control character")
    }

    // MARK: Keys and signatures

    @Test func `says in which form a device key was sent`() async throws {
        let client = try sharedWorld().client, device = Device()
        let header = "3059301306072a8648ce3d020106082a8648ce3d030107034200"
        var compressed = Array(device.point.prefix(33))
        compressed[0] = 2
        var offCurve = device.point
        offCurve[40] ^= 1
        let cases: [([UInt8], String)] = [
            ((Hex.decode(header) ?? []) + device.point, "send its last 65 bytes"),
            (compressed, "compressed point of 33 bytes"),
            (Array(device.point.dropFirst()), "64 bytes were sent"),
            (offCurve, "not an uncompressed point on P-256"),
        ]
        for (key, words) in cases {
            var body = Person("e", at: "key-forms.example").login(device).members
            body["employeePublicKey"] = .string(Base64.encode(key))
            try expect(
                try await client.post("/v1/logins", .object(body)), "employee.key_invalid", at: "/employeePublicKey",
                words)
        }
    }

    @Test func `says that a signature is over the base64 text of the challenge`() async throws {
        let client = try sharedWorld().client, device = Device()
        let flow = try await Flow.register(Person("e", at: "base64.example"), device, client)
        let overText = try device.sign(Array(flow.challenge.utf8))
        try expect(
            try await flow.step("key", ["keyProof": .string(overText)]), "employee.key_invalid", at: "/keyProof",
            "decode the challenge")
        try expect(
            try await flow.prove(Device()), "employee.key_invalid", at: "/keyProof", "not one of employeePublicKey")
        #expect(try await flow.prove(device).status == 200, "the flow goes on")
    }

    @Test func `says what is wrong with a signed statement`() async throws {
        let client = try sharedWorld().client
        let owner = try await client.found("statements.example")
        let path = client.path("statements.example", "/policy"), body: [String: JSONValue] = ["approval": "admin"]
        let asked = try await client.send(client.request("PATCH", path, .object(body), by: owner.session))
        let text = try #require(asked["statement"]?.text)
        func answer(_ statement: String, _ signature: String) async throws -> HTTPReply {
            var signed = body
            signed["statement"] = .string(statement)
            signed["signature"] = .string(signature)
            return try await client.send(client.request("PATCH", path, .object(signed), by: owner.session))
        }
        let code = "authorization.not_permitted"
        try expect(
            try await answer(text, owner.device.sign(Array(text.utf8))), code, at: "/signature",
            "over the base64 text")
        try expect(
            try await answer(text, Device().sign(base64: text)), code, at: "/signature", "not one of the device key")
        let other = Base64.encode(Array("tenure/v1/role\n{}".utf8))
        try expect(
            try await answer(other, owner.device.sign(base64: other)), code, at: "/statement", "fetch a new one")
    }

    // MARK: Rights

    @Test func `asks for the fingerprint if an app vouched for the key of a new admin`() async throws {
        let client = try sharedWorld().client
        let owner = try await client.found("vouched.example")
        let second = try await client.join(Person("second", at: "vouched.example"))
        let reply = try await client.post(client.path(second.person, "/role"), ["role": "admin"], by: owner.session)
        try expect(reply, "authorization.unknown_key", at: "", "send it in fingerprints")
        #expect(reply["detail"]?.text?.contains("if one was sent") == true)
    }

    @Test func `speaks of the security admin only if the refusal is about that one`() async throws {
        let client = try sharedWorld().client
        let owner = try await client.found("rights.example")
        let second = try await client.join(Person("second", at: "rights.example"))
        let events = try await client.get(client.path("rights.example", "/events"), by: second.session)
        try expect(events, "authorization.not_permitted", at: "", "only an admin may do this")
        #expect(!"\(events)".contains("successor"), "\(events)")
        let dismissed = try await client.post(
            client.path(owner.person, "/role"), ["role": "employee"], by: owner.session)
        try expect(dismissed, "authorization.not_permitted", at: "", "name a successor first")
    }

    // MARK: Tokens

    @Test func `says what kind of token was sent`() async throws {
        let world = try sharedWorld(), client = try world.client
        let member = try await client.found("token-words.example")
        let uri = "https://api.token-words.example"
        try await world.instance.commands.addResource(
            appId: try #require(UUID(uuidString: world.app.appId)), resource: uri)
        let issued = try await client.post("/v1/me/tokens", ["resource": .string(uri)], by: member.session)
        let resource = try #require(issued["accessToken"]?.text, "\(issued)")
        func read(_ token: String) async throws -> HTTPReply { try await client.get("/v1/me", by: .session(token)) }
        func refresh(_ token: String) async throws -> HTTPReply {
            try await client.post("/v1/sessions/refresh", ["refreshToken": .string(token)], by: .nobody)
        }
        let code = "session.invalid"
        try expect(try await read(resource), code, at: "Authorization", "is for a resource")
        try expect(try await read(member.refreshToken), code, at: "Authorization", "a refresh token was sent")
        try expect(try await read("nonsense"), code, at: "Authorization", "not an access token of this service")
        let party = try await RelyingParty.make(world, of: ["token-words.example"])
        let tokens = try await party.tokens(cookie: try await party.cookie(of: member))
        try expect(try await read(tokens.access), code, at: "Authorization", "an access token of an OpenID client")
        try expect(try await read(tokens.id), code, at: "Authorization", "an ID token was sent")
        let atUserInfo = try await party.userInfo(member.accessToken)
        #expect(atUserInfo["error_description"]?.text?.contains("access token of the API") == true, "\(atUserInfo)")
        try expect(try await refresh(member.accessToken), code, at: "/refreshToken", "an access token was sent")
        try expect(try await refresh("nonsense"), code, at: "/refreshToken", "not a refresh token")
        let first = try await refresh(member.refreshToken)
        let next = try #require(first["refreshToken"]?.text, "\(first)")
        try expect(try await read(member.accessToken), code, at: "Authorization", "not valid, replaced, or")
        let reused = try await refresh(member.refreshToken)
        try expectProblem(reused, "session.reused")
        #expect(reused["title"]?.text?.contains("used before") == true)
        try expect(try await refresh(next), code, at: "/refreshToken", "has ended")
    }

    // MARK: Lists

    @Test func `names the type that no event has`() async throws {
        let client = try sharedWorld().client
        _ = try await client.found("types.example")
        try expect(
            try await client.get(client.path("types.example", "/events?type=Nothing")), "request.invalid", at: "type",
            "no event has this type")
        try expect(
            try await client.get(client.path("types.example", "/events?type=sessionopened")), "request.invalid",
            at: "type", "write SessionOpened")
        #expect(try await client.get(client.path("types.example", "/events?type=SessionOpened")).status == 200)
    }
}
