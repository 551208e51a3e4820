import Canonical
import Credentials
import IdentityService
import Testing

/// Known, unknown and cancelled employees, before and after they are locked.
@Suite(.onServer, .sharedWorld { $0.settings.budgets.unknownLimit = 2 })
struct `A challenged caller` {
    /// Everything a reply shows but ids, times and random bytes.
    private struct Look: Equatable {
        var status: Int
        var headers: [String]
        var members: [String]
        var bytes: Int
        var code: String?
        var detail: String?
        var waitDigits: Int?

        init(_ reply: HTTPReply) throws {
            status = reply.status
            headers = reply.headers.keys.sorted()
            members = try reply.json.members.keys.sorted()
            // The texts of questions are as long as they are in the list, and so is what JSON escapes in them.
            bytes = reply["questions"] == nil ? reply.body.count : 0
            code = reply.code ?? reply.outcome
            detail = reply["detail"]?.text
            waitDigits = reply.headers["retry-after"]?.count
        }
    }

    /// All replies of one wrong attempt.
    private func attempt(_ person: Person, isBlind: Bool, _ client: Client) async throws -> [Look] {
        let device = Device()
        var replies = [try await client.post("/v1/logins", person.login(device))]
        let flow = try await BlindFlow.start(.logins, person, device, client)
        replies.append(flow.asked)
        if isBlind {
            let context = try flow.context
            let opening = try BlindOpening(
                context: context,
                answers: try SuppliedAnswers(
                    context.questionIds.map { (questionId: $0, answer: "wrong") }, questionIds: context.questionIds))
            let first = try opening.first()
            replies.append(try await flow.evaluate([(first.slot, first.element)]))
            if replies[2].status == 200 {
                replies.append(try await flow.evaluate(try opening.remaining().map { ($0.slot, $0.element) }))
                let wrong = Base64.encode([UInt8](repeating: 1, count: 64))
                replies.append(try await flow.flow.step("proof", ["userSignature": .string(wrong)]))
            }
        } else {
            let shown = flow.asked["questions"]?.items ?? []
            replies.append(try await flow.flow.step("answers", person.answers(to: shown) { _, _ in "wrong" }))
        }
        return try replies.map(Look.init)
    }

    /// An id of the same length that nobody has and whose decoy asks for answers.
    private func stranger(at company: String, _ client: Client) async throws -> Person {
        for number in 100..<200 {
            let person = Person.withQuestions("emp-\(number)", at: company)
            let flow = try await BlindFlow.start(.logins, person, Device(), client)
            if flow.asked.outcome == "validateAnswers" { return person }
        }
        throw Flow.Unexpected(description: "no decoy asks for answers")
    }

    @Test(arguments: [false, true])
    func `gets the same response for a known, unknown, cancelled or locked employee`(isBlind: Bool) async throws {
        let client = try sharedWorld().client
        let company = isBlind ? "alike-blind.example" : "alike-plain.example"
        let founder = try await client.found(company)
        var people: [Person] = []
        var devices: [Device] = []
        for id in ["emp-001", "emp-002"] {
            let device = Device()
            let person = Person.withQuestions(id, at: company)
            let pending =
                isBlind ? try await client.registerBlind(person, device) : try await client.register(person, device)
            expectOutcome(pending, "authorizationPending")
            #expect(try await client.authorize(device, of: person).status == 200)
            people.append(person)
            devices.append(device)
        }
        let cancelled = people[1], key = devices[1]
        #expect(try await client.signed(by: founder, "POST", client.path(cancelled, "/cancellation")).status == 200)
        people.append(try await stranger(at: company, client))

        for round in 0..<3 {
            var looks: [[Look]] = []
            for person in people { looks.append(try await attempt(person, isBlind: isBlind, client)) }
            #expect(looks[0].last?.code == (round < 2 ? "answers.incorrect" : "credentials.locked"))
            #expect(looks[1] == looks[0], "a cancelled employee, round \(round)")
            #expect(looks[2] == looks[0], "an unknown employee, round \(round)")
        }
        // Only a right challenge tells, and it takes a device that strangers cannot lock out.
        let told =
            isBlind ? try await client.logInBlind(cancelled, key) : try await client.logIn(cancelled, key)
        try expectProblem(told, "employee.inactive")
    }
}

@Suite(.onServer, .sharedWorld)
struct `The policy of a tenant` {
    @Test func `is not revealed to an unlinked app by a log-in`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "blind-unlinked.example"
        let admin = try await client.found(company)
        try await client.change(policy: ["blindOnly": true], of: company, by: admin)
        let stranger = client.by(try await world.makeApp(name: "not linked to the blind"))
        let device = Device()
        for name in [company, "blind-nowhere.example"] {
            let person = Person("somebody", at: name)
            let flow = try await Flow.logIn(person, device, stranger)
            let reply = try await flow.complete(person, try await flow.prove(device))
            #expect(["answers.incorrect", "passphrase.incorrect"].contains(reply.code ?? ""), "\(reply)")
        }
        try expectProblem(try await client.logIn(admin.person, admin.device), "policy.blind_only")
    }

    @Test func `is not revealed to an unlinked app by any step`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "no-questions-unlinked.example"
        let admin = try await client.found(company)
        try await client.change(policy: ["questionsWithPassphrase": false], of: company, by: admin)
        let stranger = client.by(try await world.makeApp(name: "not linked to the silent"))
        for place in [company, "no-questions-nowhere.example"] {
            // One of sixteen invented names goes by a credential that has both, and shows its questions.
            var hasBoth = false
            for number in 0..<500 where !hasBoth {
                let flow = try await BlindFlow.start(.logins, Person("name \(number)", at: place), Device(), stranger)
                hasBoth = try flow.context.flags.contains(.questionsWithPassphrase)
                if hasBoth { #expect(flow.asked["questions"]?.items.count == 5, "\(place): \(flow.asked)") }
            }
            #expect(hasBoth)
        }
    }

    @Test func `is not revealed to two unlinked apps that compare responses`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "compared.example"
        let founder = try await client.found(company)
        let unlinked = [
            client.by(try await world.makeApp(name: "first onlooker")),
            client.by(try await world.makeApp(name: "second onlooker")),
        ]
        for person in [founder.person, Person("nobody", at: company), Person("nobody", at: "nowhere.example")] {
            var credentials: Set<[UInt8]> = []
            for app in [client] + unlinked {
                let context = try await BlindFlow.start(.logins, person, Device(), app).context
                credentials.insert(context.credentialId.bytes)
            }
            #expect(credentials.count == 3)
        }
    }
}
