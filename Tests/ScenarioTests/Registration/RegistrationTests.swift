import Canonical
import Foundation
import Testing

@Suite(.onServer, .sharedWorld)
struct `The start of a registration` {
    /// The members of the challenge's JSON.
    private func challenge(_ flow: Flow) throws -> [String: JSONValue] {
        let bytes = try #require(Base64.decode(flow.challenge))
        let tag = Array("tenure/v1/challenge\n".utf8)
        try #require(bytes.starts(with: tag))
        return try CanonicalJSON.parse(Array(bytes.dropFirst(tag.count))).members
    }

    @Test func `does not reveal whether the e-mail belongs to a user`() async throws {
        let client = try sharedWorld().client
        let known = try await client.found("start.example")
        let stranger = Person("nobody", at: "start.example")
        var seen: [Set<String>] = []
        for person in [known.person.also("second", at: "start-2.example"), stranger] {
            var credentials: Set<String> = []
            for _ in 0..<4 {
                let members = try challenge(try await Flow.register(person, Device(), client))
                credentials.insert(try #require(members["credential"]?.text))
            }
            // Neither the same id each time nor an id that a login of that user names.
            #expect(credentials.count == 4)
            seen.append(credentials)
        }
        let login = try challenge(try await Flow.logIn(known.person, known.device, client))
        let own = try #require(login["credential"]?.text)
        #expect(seen.allSatisfy { !$0.contains(own) })
    }

    @Test func `of a new user names the credential that is then set`() async throws {
        let client = try sharedWorld().client
        let person = Person("new", at: "start-new.example")
        let device = Device()
        let flow = try await Flow.register(person, device, client)
        let named = try #require(try challenge(flow)["credential"]?.text)
        expectOutcome(try await flow.complete(person, try await flow.prove(device)), "success")
        let login = try challenge(try await Flow.logIn(person, device, client))
        #expect(login["credential"]?.text == named)
    }
}

@Suite(.onServer, .sharedWorld)
struct `Scenario 10: an abandoned registration` {
    @Test func `restarts at the same step and blocks nothing`() async throws {
        let client = try sharedWorld().client
        let person = Person("lost", at: "abandoned.example")
        for _ in 0..<3 {
            let device = Device()
            let flow = try await Flow.register(person, device, client)
            expectOutcome(try await flow.prove(device), "setCredentials")
        }
        // Somebody else takes both the name and the address meanwhile.
        let other = Person("lost", at: "abandoned.example", email: person.email)
        expectOutcome(try await client.register(other, Device()), "success")
    }

    @Test func `that two flows continue succeeds in one and is refused in the other`() async throws {
        let client = try sharedWorld().client
        let person = Person("twice", at: "resumed.example")
        let device = Device()
        let first = try await Flow.register(person, device, client)
        let asked = try await first.prove(device)
        let second = try await Flow.register(person, device, client)
        let askedAgain = try await second.prove(device)
        expectOutcome(try await first.complete(person, asked), "success")
        let late = try await second.complete(person, askedAgain)
        try expectProblem(late, "employee.already_registered")
        expectOutcome(try await client.logIn(person, device), "success")
    }

    @Test func `leaves nothing in the log`() async throws {
        let world = try sharedWorld()
        let device = Device()
        let flow = try await Flow.register(Person("ghost", at: "nothing.example"), device, try world.client)
        expectOutcome(try await flow.prove(device), "setCredentials")
        let reply = try await world.client.get(try world.client.path("nothing.example"))
        #expect(reply.status == 404)
    }
}

@Suite(.onServer)
struct `Uniqueness under a hundred parallel registrations` {
    @Test func `gives an employee id to exactly one`() async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.found("one-id.example")
            let flows = try await concurrently(100) { number in
                let person = Person("Contested", at: number.isMultiple(of: 3) ? "ONE-ID.example" : "one-id.example")
                let device = Device()
                let flow = try await Flow.register(person, device, client)
                return try flow.completion(person, try await flow.prove(device))
            }
            let replies = try await concurrently(100) { try await client.send(flows[$0]) }
            #expect(replies.filter { $0.outcome == "authorizationPending" }.count == 1)
            let others = replies.filter { $0.outcome != "authorizationPending" }
            for reply in others { try expectProblem(reply, reply.code ?? "") }
            #expect(Set(others.map(\.code)).isSubset(of: ["employee.already_registered", "service.busy"]))
            #expect(
                try await client.events("one-id.example", "type=EmployeeRegistered", by: founder.session).count == 2)
            #expect(try await world.count("CredentialsSet") == 2, "who lost left no user behind")
        }
    }

    @Test func `creates one user for one e-mail across tenants`() async throws {
        try await inTurn { world in
            let client = try world.client
            let email = "contested@mail.example"
            let people = (0..<100).map { Person("me", at: "company-\($0).example", email: email) }
            let flows = try await concurrently(100) { number in
                let device = Device()
                let flow = try await Flow.register(people[number], device, client)
                return try flow.completion(people[number], try await flow.prove(device))
            }
            let replies = try await concurrently(100) { try await client.send(flows[$0]) }
            #expect(replies.filter { $0.outcome == "success" }.count == 1)
            #expect(try await world.count("CredentialsSet") == 1)
            #expect(try await world.count("EmployeeRegistered") == 1)
            let winner = try #require(replies.firstIndex { $0.outcome == "success" })
            for (number, reply) in replies.enumerated() where number != winner {
                #expect((400..<500).contains(reply.status) || reply.status == 503, "\(reply)")
            }
            // Who lost starts again and is asked for the credentials of the user who is there now.
            let loser = people[winner == 0 ? 1 : 0]
            try expectProblem(try await client.register(loser, Device()), "passphrase.incorrect", goesOn: true)
            let again = people[winner].also("me", at: loser.company)
            expectOutcome(try await client.register(again, Device()), "success")
        }
    }
}
