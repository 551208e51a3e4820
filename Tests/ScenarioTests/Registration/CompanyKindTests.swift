import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 3: a contractor` {
    @Test func `registers in a tenant of another domain, and in a second tenant with the answers of the first`()
        async throws
    {
        let client = try sharedWorld().client
        _ = try await client.found("bayunsystems.com")
        _ = try await client.found("second-client.example")
        let contractor = Person.withQuestions(
            "username@customdomain.com", at: "bayunsystems.com", email: "username@customdomain.com")
        let device = Device()
        expectOutcome(try await client.register(contractor, device), "authorizationPending")

        let elsewhere = contractor.also("username@customdomain.com", at: "second-client.example")
        let second = Device()
        let flow = try await Flow.register(elsewhere, second, client)
        let asked = try await flow.prove(second)
        expectOutcome(asked, "validateAnswers")
        let shown = asked["questions"]?.items.compactMap { $0["question"]?.text } ?? []
        #expect(Set(shown) == Set(contractor.questions.map(\.question)))
        try expectProblem(
            try await flow.step("credentials", contractor.credentials), "flow.wrong_step")
        expectOutcome(try await flow.complete(elsewhere, asked), "authorizationPending")

        for (person, device) in [(contractor, device), (elsewhere, second)] {
            expectOutcome(try await client.authorize(device, of: person), "done")
            expectOutcome(try await client.logIn(person, device), "success")
        }
    }

    @Test func `is refused in the second tenant with wrong answers, and may try again in the same flow`() async throws {
        let client = try sharedWorld().client
        _ = try await client.found("first.example")
        _ = try await client.found("other.example")
        let person = Person.withQuestions("temp", at: "first.example")
        _ = try await client.register(person, Device())
        let elsewhere = person.also("temp", at: "other.example")
        let device = Device()
        let flow = try await Flow.register(elsewhere, device, client)
        let asked = try await flow.prove(device)
        let shown = asked["questions"]?.items ?? []
        let wrong = try await flow.step("answers", elsewhere.answers(to: shown) { _, _ in "not at all" })
        try expectProblem(wrong, "answers.incorrect", goesOn: true)
        expectOutcome(try await flow.complete(elsewhere, asked), "authorizationPending")
    }
}

@Suite(.onServer, .sharedWorld)
struct `Scenario 4: a consumer tenant` {
    @Test func `has many employees with addresses of their own, and lists them in pages`() async throws {
        let client = try sharedWorld().client
        let company = "gmail.com"
        _ = try await client.found(company, by: Person("zero@gmail.com", at: company, email: "zero@gmail.com"))
        let ids = (1...24).map { "consumer\($0)@gmail.com" }
        let replies = try await concurrently(ids.count) { number in
            try await client.register(Person(ids[number], at: company, email: ids[number]), Device())
        }
        #expect(replies.allSatisfy { $0.outcome == "authorizationPending" }, "\(replies)")
        let last = replies.compactMap { $0["position"]?.number }.max()

        var listed: [JSONValue] = []
        var path = client.path(company, "/employees?limit=10")
        for page in 0..<3 {
            let reply = try await client.get(path, at: last)
            listed += reply["items"]?.items ?? []
            guard page < 2 else {
                #expect(reply["next"] == nil && reply.headers["link"] == nil)
                break
            }
            let next = try #require(reply["next"]?.number)
            let link = try #require(reply.headers["link"])
            #expect(link.contains("rel=\"next\"") && link.contains("after=\(next)"))
            path = client.path(company, "/employees?limit=10&after=\(next)")
        }
        #expect(listed.count == 25)
        #expect(Set(listed.compactMap { $0["companyEmployeeId"]?.text }) == Set(ids + ["zero@gmail.com"]))
        #expect(listed.first?["companyEmployeeId"]?.text == "zero@gmail.com", "oldest first")
        #expect(listed.allSatisfy { $0["isCompanyOwnedEmail"]?.flag == false && $0["keys"] == nil })
        let company25 = try await client.get(client.path(company), at: last)
        #expect(company25["employees"]?.number == 25)
    }
}

@Suite(.onServer, .sharedWorld)
struct `Scenario 5: a tenant named by a phone number` {
    @Test func `has employees named by extensions, with addresses built by the app`() async throws {
        let client = try sharedWorld().client
        let company = "+1 (555) 010-9999"
        let first = Person("101", at: company, email: "101@+1 (555) 010-9999.dummy-email")
        let founder = try await client.found(company, by: first)
        let member = try await client.join(Person("102", at: company, email: "102@+1 (555) 010-9999.dummy-email"))
        let read = try await client.get(client.path(member.person), by: founder.session)
        #expect(read["companyName"]?.text == company)
        #expect(read["companyEmployeeId"]?.text == "102")
        #expect(read["email"]?.text == "102@+1 (555) 010-9999.dummy-email")
    }

    @Test(arguments: ["a/b", "käse gmbh", "会社", "100%", "..-", "tenant:42?x=1#y"])
    func `may have any name`(company: String) async throws {
        let client = try sharedWorld().client
        let founder = try await client.found(company, by: Person("id/1 ü", at: company))
        let read = try await client.get(client.path(founder.person), by: founder.session)
        #expect(read.status == 200, "\(read)")
        #expect(read["companyName"]?.text == company && read["companyEmployeeId"]?.text == "id/1 ü")
    }

    @Test func `is found by another spelling and shown as first entered`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("Spelled  Company")
        var spelled = founder.person
        spelled.company = " spelled COMPANY "
        spelled.id = "FOUNDER"
        let reply = try await client.logIn(spelled, founder.device)
        expectOutcome(reply, "success")
        #expect(reply["employee"]?["companyName"]?.text == "Spelled  Company")
        #expect(reply["employee"]?["companyEmployeeId"]?.text == "founder")
        try expectProblem(
            try await client.register(Person("Founder ", at: "SPELLED company"), Device()),
            "employee.already_registered")
    }
}
