import Canonical
import Credentials
import Testing

/// The scenarios of registration and login, with answers and passphrase that stay with the client.
@Suite(.onServer, .sharedWorld)
struct `In blind mode` {
    @Test func `scenario 1: the first employee becomes the security admin of a new tenant`() async throws {
        let client = try sharedWorld().client
        let founder = Person("username@bayunsystems.com", at: "blind-one.example")
        let device = Device()
        let reply = try await client.registerBlind(founder, device)
        let member = try Member(founder, device, reply)
        #expect(reply["employee"]?["role"]?.text == "securityAdmin")
        let employee = try await client.get(client.path(founder), by: member.session, at: member.position)
        #expect(employee["keys"]?.items.map { $0["state"]?.text } == ["authorized"])
        let login = try await client.logInBlind(founder, device)
        expectOutcome(login, "success")
        let events = try await client.events(founder.company, by: member.session)
        let validated = try #require(events.first { $0["type"]?.text == "PassphraseValidated" })
        #expect(validated["data"]?["mode"]?.text == "blind")
        #expect(validated["position"]?.number ?? 0 <= login["position"]?.number ?? 0)
    }

    @Test func `scenario 2: the second employee's key is pending, is authorized and logs in`() async throws {
        let client = try sharedWorld().client
        _ = try await client.foundBlind("blind-two.example")
        let second = Person.withQuestions("second", at: "blind-two.example")
        let device = Device()
        expectOutcome(try await client.registerBlind(second, device), "authorizationPending")
        expectOutcome(try await client.logInBlind(second, device), "authorizationPending")
        expectOutcome(try await client.authorize(device, of: second), "done")
        let success = try await client.logInBlind(second, device)
        expectOutcome(success, "success")
        #expect(success["employee"]?["role"]?.text == "employee")
        let types = try await client.events("blind-two.example").compactMap { $0["type"]?.text }
        #expect(types.count { $0 == "AnswersValidated" } == 2)
    }

    @Test func `scenario 3: a contractor registers in a second tenant with the answers of the first`() async throws {
        let client = try sharedWorld().client
        for company in ["blind-first.example", "blind-second.example"] { _ = try await client.found(company) }
        let contractor = Person.withQuestions("username@customdomain.com", at: "blind-first.example")
        expectOutcome(try await client.registerBlind(contractor, Device()), "authorizationPending")
        let elsewhere = contractor.also("username@customdomain.com", at: "blind-second.example")
        let device = Device()
        let flow = try await BlindFlow.start(.registrations, elsewhere, device, client)
        expectOutcome(flow.asked, "validateAnswers")
        let wrong = try await flow.open(try flow.opening(answers: elsewhere) { _, _ in "not at all" })
        #expect(wrong == nil)
        expectOutcome(try #require(try await flow.complete(elsewhere)), "authorizationPending")
        expectOutcome(try await client.authorize(device, of: elsewhere), "done")
        // The credential is the same one in both modes.
        expectOutcome(try await client.logIn(elsewhere, device), "success")
        expectOutcome(try await client.logInBlind(elsewhere, device), "success")
    }

    @Test func `scenario 6: a new device is authorized while the known one continues`() async throws {
        let client = try sharedWorld().client
        let member = try await client.foundBlind("blind-devices.example")
        let tablet = Device()
        let pending = try await client.logInBlind(member.person, tablet)
        expectOutcome(pending, "authorizationPending")
        #expect(pending["fingerprint"]?.text == tablet.fingerprint)
        expectOutcome(try await client.logInBlind(member.person, member.device), "success")
        let path = client.path(member.person, "/keys/\(tablet.fingerprint)/authorization")
        expectOutcome(try await client.signed(by: member, "POST", path), "done")
        expectOutcome(try await client.logInBlind(member.person, tablet), "success")
    }

    @Test(arguments: [([3, 4], true), ([0, 4], true), ([2, 3, 4], false), ([0, 1, 2, 3, 4], false)])
    func `scenario 7: three right answers pass and two do not`(wrong: [Int], passes: Bool) async throws {
        let client = try sharedWorld().client
        let company = "blind-answers-\(wrong.map(String.init).joined()).example"
        let founder = try await client.foundBlind(company, by: .withQuestions("f", at: company))
        let flow = try await BlindFlow.start(.logins, founder.person, Device(), client)
        let opening = try flow.opening(answers: founder.person) { place, answer in
            wrong.contains(place) ? "wrong \(place)" : "  \(answer.uppercased())\t"
        }
        let key = try await flow.open(opening)
        #expect((key != nil) == passes)
        if let key {
            expectOutcome(try await flow.flow.step("proof", try flow.proof(by: key)), "authorizationPending")
        }
        #expect(try await sharedWorld().charges(of: try flow.context.credentialId) == 1)
    }

    @Test func `scenario 8: a passphrase is requested, and questions if the user allowed both`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.foundBlind("blind-phrase.example")
        let flow = try await BlindFlow.start(.logins, founder.person, founder.device, client)
        expectOutcome(flow.asked, "validatePassphrase")
        #expect(flow.asked["questions"] == nil)
        #expect(try await flow.open(try flow.opening(passphrase: "Correct horse")) == nil)
        expectOutcome(try #require(try await flow.complete(founder.person)), "success")

        var both = Person("both", at: "blind-both.example")
        both.questionsWithPassphrase = true
        let member = try await client.foundBlind("blind-both.example", by: both)
        let second = try await BlindFlow.start(.logins, both, member.device, client)
        expectOutcome(second.asked, "validatePassphrase")
        let key = try #require(try await second.open(try second.opening(answers: both)))
        expectOutcome(try await second.flow.step("proof", try second.proof(by: key)), "success")
    }

    @Test func `scenario 9: a set-up needs five different non-empty questions`() async throws {
        let client = try sharedWorld().client
        let person = Person("f", at: "blind-five.example")
        let flow = try await BlindFlow.start(.registrations, person, Device(), client)
        let body = try await flow.newCredentials(person)
        func with(_ change: (inout [JSONValue]) -> Void) -> JSONValue {
            var members = body.members
            var questions = members["questions"]?.items ?? []
            change(&questions)
            members["questions"] = .array(questions)
            return .object(members)
        }
        let empty: JSONValue = ["question": " ", "salt": .string(Base64.encode(Array(repeating: 1, count: 32)))]
        for (wrong, code) in [
            (with { $0.removeLast() }, "credentials.five_questions_required"),
            (with { $0.append(empty) }, "credentials.five_questions_required"),
            (with { $0[2] = empty }, "credentials.incomplete"),
            (with { $0[4] = $0[0] }, "credentials.five_questions_required"),
            (with { $0.swapAt(0, 1) }, "request.invalid"),
        ] { try expectProblem(try await flow.flow.step("proof", wrong), code) }
        // What the service cannot see the client refuses before anything is sent.
        var blank = person
        blank.questions[2].answer = " \t"
        #expect(throws: CredentialsError.self) { try flow.setUp(blank, plan: try flow.plan()) }
        expectOutcome(try await flow.flow.step("proof", body), "success")
    }

    @Test func `scenario 10: an abandoned registration restarts at the same step and blocks nothing`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let person = Person("lost", at: "blind-abandoned.example")
        var plans: [SetUpPlan] = []
        for _ in 0..<3 {
            let flow = try await BlindFlow.start(.registrations, person, Device(), client)
            expectOutcome(flow.asked, "setCredentials")
            _ = try await flow.make(person, plan: try flow.plan())
            plans.append(try flow.plan())
        }
        #expect(Set(plans.map(\.oprfAnswers)).count == 3, "a seed belongs to one flow")
        let member = try await client.foundBlind(person.company, by: person)
        expectOutcome(try await client.logInBlind(person, member.device), "success")
    }
}
