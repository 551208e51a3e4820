import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `The published list of questions` {
    private func get(_ query: String, language: String? = nil) async throws -> HTTPReply {
        let client = try sharedWorld().client
        let request = HTTPRequest("GET", "/v1/questions\(query)")
        return try await client.send(language.map { request.with("Accept-Language", $0) } ?? request)
    }

    @Test func `is public, numbered and cacheable`() async throws {
        let reply = try await get("")
        #expect(reply.status == 200 && reply["version"]?.number == 1)
        #expect(reply["locales"]?.items.map(\.text) == ["en", "de", "fr"])
        #expect(reply["items"]?.items.compactMap { $0["number"]?.number } == (1...48).map { Int64($0) })
        #expect(reply.headers["cache-control"]?.hasPrefix("public, max-age=") == true)
        #expect(reply.headers["vary"] == "Accept-Language" && reply.headers["content-language"] == "en")
    }

    @Test(
        arguments: [
            ("?locale=de", nil, "de"), ("?locale=fr-CH", "de", "fr"), ("?locale=it", "de", "en"), ("", "de", "de"),
            ("", "it, fr;q=0.4, de;q=0.8", "de"), ("", "de;q=0, fr", "fr"), ("", "de;q=2, ;;, fr;q=0.1", "fr"),
            ("", "*", "en"),
        ] as [(String, String?, String)])
    func `is served in the requested language`(query: String, language: String?, locale: String) async throws {
        let reply = try await get(query, language: language)
        #expect(reply["locale"]?.text == locale && reply.headers["content-language"] == locale)
    }

    @Test func `refuses parameters that it does not know`() async throws {
        try expectProblem(try await get("?version=1"), "request.invalid")
        try expectProblem(try await get("?locale=de&locale=en"), "request.invalid")
    }

    @Test func `replays a step's response byte for byte, whatever language the repeated request prefers`() async throws
    {
        let client = try sharedWorld().client
        let founder = try await client.found("repeated.example", by: .withQuestions("f", at: "repeated.example"))
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let request = flow.request("key", try flow.proof(founder.device), key: "once")
        let english = try await client.send(request),
            german = try await client.send(request.with("Accept-Language", "de"))
        #expect((english["questions"]?.items ?? []).count == 5)
        #expect(english.body == german.body)
    }
}

@Suite(.onServer, .sharedWorld)
struct `A set-up's choice of questions` {
    private func start(_ person: Person, _ client: Client? = nil) async throws -> Flow {
        let device = Device()
        let flow = try await Flow.register(person, device, try client ?? sharedWorld().client)
        expectOutcome(try await flow.prove(device), "setCredentials")
        return flow
    }

    private func body(_ person: Person, _ change: (Int) -> [String: JSONValue]?) -> JSONValue {
        var members = person.credentials.members
        members["securityQuestions"] = .array(
            (members["securityQuestions"]?.items ?? []).enumerated().map { place, item in
                guard let named = change(place) else { return item }
                return .object(named.merging(["answer": item["answer"] ?? .null]) { first, _ in first })
            })
        return .object(members)
    }

    private func pointers(_ reply: HTTPReply) -> [String?] {
        (reply["errors"]?.items ?? []).map { $0["pointer"]?.text }
    }

    @Test func `is made by number, with or without the version, or by text`() async throws {
        let person = Person("f", at: "numbers.example")
        let flow = try await start(person)
        // Numbers that the drawn texts may have are chosen once only.
        let set = body(person) { ["number": .integer(Int64($0 + 1)), "version": .integer(1)] }
        expectOutcome(try await flow.step("credentials", set), "success")
        let other = Person("f", at: "bare-numbers.example")
        expectOutcome(
            try await start(other).step("credentials", body(other) { ["number": .integer(Int64(48 - $0))] }), "success")
    }

    @Test func `is refused with its place for an unknown number`() async throws {
        let person = Person("f", at: "wrong-numbers.example")
        let flow = try await start(person)
        for (number, version) in [(0, 1), (49, 1), (-1, 1), (1, 2), (1, 0), (1_000_000, 1)] as [(Int64, Int64)] {
            let reply = try await flow.step(
                "credentials",
                body(person) { $0 == 2 ? ["number": .integer(number), "version": .integer(version)] : nil })
            try expectProblem(reply, "request.invalid")
            #expect(pointers(reply) == ["/securityQuestions/2/number"])
        }
        for members in [
            ["number": 1, "question": "What was the name of your first pet?"], ["version": 1], ["number": "1"],
        ] as [[String: JSONValue]] {
            try expectProblem(
                try await flow.step("credentials", body(person) { $0 == 0 ? members : nil }), "request.invalid")
        }
        expectOutcome(try await flow.step("credentials", person.credentials), "success")
    }

    @Test func `needs an app's setting for own texts, in direct mode`() async throws {
        let world = try sharedWorld()
        var person = Person("f", at: "own-direct.example")
        let flow = try await start(person)
        person.questions[1].question = "Q1"
        person.questions[4].question = "Which harbour did you sail from?"
        let refused = try await flow.step("credentials", person.credentials)
        try expectProblem(refused, "credentials.custom_question")
        #expect(pointers(refused) == ["/securityQuestions/1/question", "/securityQuestions/4/question"])

        let allowed = try await world.client.by(world.makeApp(name: "own texts, direct", customQuestions: true))
        let device = Device()
        let open = try await Flow.register(person, device, allowed)
        let asked = try await open.prove(device)
        #expect(asked["rules"]?["customQuestionsAllowed"]?.flag == true)
        expectOutcome(try await open.step("credentials", person.credentials), "success")
    }

    @Test func `needs an app's setting for own texts, in blind mode`() async throws {
        let world = try sharedWorld()
        var person = Person("f", at: "own-blind.example")
        person.questions[3].question = "Which harbour did you sail from?"
        let refused = try await world.client.registerBlind(person, Device())
        try expectProblem(refused, "credentials.custom_question")
        #expect(pointers(refused) == ["/questions/3/question"])
        let allowed = try await world.client.by(world.makeApp(name: "own texts, blind", customQuestions: true))
        expectOutcome(try await allowed.registerBlind(person, Device()), "success")
    }

    @Test func `is refused with every place if answers or passphrase are easy to guess`() async throws {
        let person = Person("f", at: "weak.example")
        let flow = try await start(person)
        var weak = person
        weak.questions[0] = ("In what city were you born?", "Stadt")
        weak.questions[1] = ("What was the name of your first pet?", " ReX ")
        weak.questions[3] = ("What was your first job?", weak.questions[2].answer.uppercased())
        weak.questions[2].question = "Where did you learn to swim?"
        weak.questions[4].question = "What was the name of your first boss?"
        weak.passphrase = "Password1"
        let refused = try await flow.step("credentials", weak.credentials)
        try expectProblem(refused, "credentials.too_weak")
        #expect(
            pointers(refused) == [
                "/securityQuestions/0/answer", "/securityQuestions/1/answer", "/securityQuestions/3/answer",
                "/passphrase",
            ])
        expectOutcome(try await flow.step("credentials", person.credentials), "success")
    }

    @Test func `is checked in a change too, before the attempt is charged`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("weak-change.example")
        var weak = founder.person
        weak.passphrase = "12345678"
        let refused = try await client.change(founder.person, to: weak, founder.device)
        try expectProblem(refused, "credentials.too_weak")
        #expect(pointers(refused) == ["/credentials/passphrase"])
        var own = founder.person
        own.questions[0].question = "Which harbour did you sail from?"
        let other = try await client.change(founder.person, to: own, founder.device)
        try expectProblem(other, "credentials.custom_question")
        #expect(pointers(other) == ["/credentials/securityQuestions/0/question"])
    }
}
