import Canonical
import Testing

/// What a stranger with an app's secret learns from the questions that are shown for a name.
@Suite(.onServer)
struct `The questions that are shown` {
    /// What can be told from one reply beside ids.
    private struct Seen: Equatable {
        var members: Set<[String]>
        var versions: Set<Int64?>
        var count: Int
        var areListed: Bool
        var idSizes: Set<Int>
    }

    private func shown(_ person: Person, _ client: Client, language: String? = nil) async throws -> [JSONValue] {
        let device = Device()
        let flow = try await Flow.logIn(person, device, client)
        var request = flow.request("key", try flow.proof(device))
        if let language { request = request.with("Accept-Language", language) }
        return try await client.send(request)["questions"]?.items ?? []
    }

    private func list(_ client: Client, locale: String) async throws -> [Int64: String] {
        let reply = try await client.get("/v1/questions?locale=\(locale)", by: .nobody)
        #expect(reply.status == 200 && reply["version"]?.number == 1 && reply["locale"]?.text == locale)
        var texts: [Int64: String] = [:]
        for item in reply["items"]?.items ?? [] {
            if let number = item["number"]?.number { texts[number] = item["question"]?.text }
        }
        #expect(texts.count == 48)
        return texts
    }

    private func seen(_ questions: [JSONValue], in list: [Int64: String]) -> Seen {
        Seen(
            members: Set(questions.map { $0.members.keys.sorted() }),
            versions: Set(questions.map { $0["version"]?.number }),
            count: Set(questions.map { $0["number"]?.number }).count,
            areListed: questions.allSatisfy { item in
                item["number"]?.number.flatMap { list[$0] } == item["question"]?.text && item["question"] != nil
            },
            idSizes: Set(questions.map { $0["questionId"]?.text?.utf8.count ?? 0 }))
    }

    /// Names that nobody has and whose decoys ask questions.
    private func strangers(_ company: String, _ count: Int, _ client: Client) async throws -> [Person] {
        var found: [Person] = []
        for number in 0..<200 where found.count < count {
            let person = Person("stranger-\(number)", at: company)
            if try await !shown(person, client).isEmpty { found.append(person) }
        }
        return found
    }

    @Test func `come from the published list for known and unknown employees`() async throws {
        try await inTurn { world in
            let client = try world.client
            let company = "membership.example"
            // Chosen by text, by number, by a text in another language, and in blind mode.
            let byText = Person.withQuestions("by-text", at: company)
            _ = try await client.found(company, by: byText)
            var german = Person.withQuestions("by-german-text", at: company)
            let texts = try await list(client, locale: "de")
            for (place, number) in [3, 9, 27, 1, 48].enumerated() {
                german.questions[place].question = try #require(texts[Int64(number)])
            }
            expectOutcome(try await client.register(german, Device()), "authorizationPending")
            let blind = Person.withQuestions("blind", at: company)
            expectOutcome(try await client.registerBlind(blind, Device()), "authorizationPending")

            let strangers = try await strangers(company, 6, client)
            #expect(strangers.count == 6)
            let elsewhere = try await self.strangers("no-company.example", 2, client)
            for locale in ["en", "de", "fr"] {
                let list = try await list(client, locale: locale)
                let expected = Seen(
                    members: [["number", "question", "questionId", "version"]], versions: [1], count: 5,
                    areListed: true, idSizes: [22])
                for person in [byText, german, blind] + strangers + elsewhere {
                    let questions = try await shown(person, client, language: locale)
                    #expect(seen(questions, in: list) == expected, "\(person.id) in \(locale)")
                }
            }
        }
    }

    @Test func `reveal an existing employee by an own text, which an app must be allowed`() async throws {
        var options = WorldOptions()
        options.customQuestions = true
        try await inTurn(options) { world in
            let client = try world.client
            let person = Person.withQuestions("own", at: "own-texts.example").withOwnQuestions()
            _ = try await client.found("own-texts.example", by: person)
            let seen = seen(try await shown(person, client), in: try await list(client, locale: "en"))
            #expect(!seen.areListed && seen.versions == [nil])
        }
    }

    @Test func `of a decoy stay the same in every language`() async throws {
        try await inTurn { world in
            let client = try world.client
            let stranger = try #require(try await strangers("stable.example", 1, client).first)
            func numbers(_ language: String?) async throws -> [Int64?] {
                try await shown(stranger, client, language: language).map { $0["number"]?.number }
            }
            let first = try await numbers(nil)
            for language in ["de", "fr-CA, en;q=0.5", "it", "*;q=x", ""] {
                #expect(try await numbers(language) == first, "\(language)")
            }
        }
    }
}
