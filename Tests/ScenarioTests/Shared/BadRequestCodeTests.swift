import Canonical
import ErrorCodes
import Testing

@Suite(.onServer, .sharedWorld)
struct `Codes of status 400` {
    private let device = Device()

    /// A registration with some members changed or, where the value is nil, left out.
    private func start(_ changes: [String: JSONValue?], logIn: Bool = false) async throws -> HTTPReply {
        let person = Person("e", at: "bad-requests.example")
        var members = (logIn ? person.login(device) : person.registration(device)).members
        for (name, value) in changes { members[name] = value }
        return try await sharedWorld().client.post(logIn ? "/v1/logins" : "/v1/registrations", .object(members))
    }

    @Test(arguments: [false, true])
    func `are returned for a missing company name or employee id`(logIn: Bool) async throws {
        for absent in [nil, "", "  ", "\t"] as [JSONValue?] {
            try expectProblem(
                try await start(["companyName": absent], logIn: logIn), "company.name_missing", goesOn: false)
            try expectProblem(
                try await start(["companyEmployeeId": absent], logIn: logIn), "employee.id_missing", goesOn: false)
        }
    }

    @Test(arguments: [false, true])
    func `are returned for a malformed device key`(logIn: Bool) async throws {
        var offCurve = device.point
        offCurve[40] ^= 1
        var compressed = Array(device.point.prefix(33))
        compressed[0] = 2
        let wrong: [JSONValue?] = [
            nil, "", "AAAA", "not base64!", .string(Base64.encode(offCurve)), .string(Base64.encode(compressed)),
            .string(Base64.encode(Array(device.point.dropFirst()))), .string(Base64URL.encode(device.point)),
            .string(Base64.encode([0])), .string(Base64.encode(Array(repeating: 4, count: 65))),
        ]
        for key in wrong {
            try expectProblem(try await start(["employeePublicKey": key], logIn: logIn), "employee.key_invalid")
        }
    }

    @Test func `are returned for a missing or malformed e-mail`() async throws {
        for absent in [nil, "", " "] as [JSONValue?] {
            try expectProblem(try await start(["email": absent]), "email.missing")
        }
        for wrong in ["nonsense", "@", "a@", "@b", "a@b@c", "two words@example.org"] {
            try expectProblem(try await start(["email": .string(wrong)]), "email.invalid")
        }
    }

    @Test func `are returned for a proof by another key`() async throws {
        let client = try sharedWorld().client
        let person = Person("e", at: "proofs.example")
        let flow = try await Flow.register(person, device, client)
        try expectProblem(try await flow.prove(Device()), "employee.key_invalid")
        let other = try await Flow.register(person, device, client)
        let swapped: JSONValue = ["keyProof": .string(try device.sign(base64: other.challenge))]
        try expectProblem(try await flow.step("key", swapped), "employee.key_invalid")
        for wrong in ["", "AAAA", "?"] {
            try expectProblem(try await flow.step("key", ["keyProof": .string(wrong)]), "employee.key_invalid")
        }
        try expectProblem(try await flow.step("key", [:]), "employee.key_invalid")
    }

    @Test func `are returned for missing or incomplete credentials`() async throws {
        let client = try sharedWorld().client
        let person = Person("e", at: "set-ups.example")
        let flow = try await Flow.register(person, device, client)
        _ = try await flow.prove(device)
        try expectProblem(
            try await flow.step("credentials", ["passphrase": "long enough"]),
            "credentials.five_questions_required")
        var members = person.credentials.members
        members["securityQuestions"] = .array(
            person.questions.map { ["question": .string($0.question)] })
        try expectProblem(try await flow.step("credentials", .object(members)), "credentials.incomplete")
    }

    @Test func `are returned for missing answers and a missing passphrase`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("missing.example", by: .withQuestions("f", at: "missing.example"))
        let questions = try await Flow.logIn(founder.person, founder.device, client)
        _ = try await questions.prove(founder.device)
        for body in [[:], ["answers": []]] as [JSONValue] {
            try expectProblem(try await questions.step("answers", body), "answers.at_least_three_required")
        }
        let other = try await client.found("phrases.example")
        let phrase = try await Flow.logIn(other.person, other.device, client)
        _ = try await phrase.prove(other.device)
        for body in [[:], ["passphrase": ""]] as [JSONValue] {
            try expectProblem(try await phrase.step("passphrase", body), "passphrase.missing")
        }
    }

    @Test func `are returned with the place for every other fault`() async throws {
        for (name, value) in [("companyName", 1), ("isCompanyOwnedEmail", "yes"), ("surprise", 1)]
            as [(String, JSONValue)]
        {
            let reply = try await start([name: value])
            try expectProblem(reply, "request.invalid")
            #expect(reply["errors"]?.items.first?["pointer"]?.text == "/" + name)
        }
        for name in ["company\u{0378}name", String(repeating: "n", count: 5_000)] {
            try expectProblem(try await start(["companyName": .string(name)]), "request.invalid")
        }
    }
}

@Suite(.onServer, .sharedWorld)
struct `The description that the service gives of itself` {
    @Test func `lists every code of the contract and no other`() async throws {
        let reply = try await sharedWorld().client.send(HTTPRequest("GET", "/openapi.yaml"))
        #expect(reply.status == 200)
        let text = String(decoding: reply.body, as: UTF8.self)
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        let listed = lines.filter { $0.hasPrefix("- ") }.map { String($0.dropFirst(2)) }
        let codes = listed.filter { $0.wholeMatch(of: /[a-z]+\.[a-z_]+/) != nil }
        #expect(Set(codes) == Set(ErrorCode.all.map(\.rawValue)))
        #expect(codes.count == ErrorCode.all.count)
    }
}
