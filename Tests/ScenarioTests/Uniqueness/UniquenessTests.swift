import Testing

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

    @Test func `makes one user of one e-mail, whatever the companies`() async throws {
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
