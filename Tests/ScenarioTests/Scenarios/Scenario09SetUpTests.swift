import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 9: a set-up` {
    /// Starts a registration that is asked to set credentials.
    private func start(_ person: Person) async throws -> Flow {
        let device = Device()
        let flow = try await Flow.register(person, device, try sharedWorld().client)
        expectOutcome(try await flow.prove(device), "setCredentials")
        return flow
    }

    @Test func `needs five questions, neither more nor fewer nor one of them twice`() async throws {
        let person = Person("f", at: "five.example")
        let flow = try await start(person)
        var four = person
        four.questions.removeLast()
        var six = person
        six.questions.append(("A sixth?", "yes"))
        var none = person
        none.questions = []
        var twice = person
        twice.questions[4].question = twice.questions[0].question.uppercased()
        for wrong in [four, six, none, twice] {
            try expectProblem(
                try await flow.step("credentials", wrong.credentials), "credentials.five_questions_required")
        }
        expectOutcome(try await flow.step("credentials", person.credentials), "success")
    }

    @Test func `needs an answer to each question and a passphrase of eight characters, if any`() async throws {
        let person = Person("f", at: "incomplete.example")
        let flow = try await start(person)
        var empty = person
        empty.questions[2].answer = ""
        var blank = person
        blank.questions[2].answer = " \t\u{A0}"
        var mute = person
        mute.questions[0].question = "  "
        var short = person
        short.passphrase = "1234567"
        var combining = person
        combining.passphrase = "abcdefe\u{301}"
        for wrong in [empty, blank, mute, short, combining] {
            try expectProblem(try await flow.step("credentials", wrong.credentials), "credentials.incomplete")
        }
        expectOutcome(try await flow.step("credentials", person.credentials), "success")
    }

    @Test func `has limits of size, which are no reason to fail`() async throws {
        let person = Person("f", at: "sizes.example")
        let flow = try await start(person)
        var answer = person
        answer.questions[1].answer = String(repeating: "a", count: 257)
        var question = person
        question.questions[1].question = String(repeating: "q", count: 257)
        var phrase = person
        phrase.passphrase = String(repeating: "p", count: 1_025)
        // U+FDFA becomes 18 characters in compatibility form: 3 bytes here, 33 there.
        var growing = person
        growing.questions[1].answer = String(repeating: "\u{FDFA}", count: 80)
        for wrong in [answer, question, phrase, growing] {
            let reply = try await flow.step("credentials", wrong.credentials)
            #expect(reply.status == 400, "\(reply)")
            #expect(["request.invalid", "credentials.incomplete"].contains(reply.code))
        }
        var most = person
        most.questions[1] = (String(repeating: "q", count: 256), String(repeating: "a", count: 256))
        most.passphrase = String(repeating: "p", count: 1_024)
        expectOutcome(try await flow.step("credentials", most.credentials), "success")
    }
}
