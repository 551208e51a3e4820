import Testing

@Suite(.onServer, .sharedWorld)
struct `Scenario 10: an abandoned registration` {
    @Test func `starts again at the same step and blocks nothing`() async throws {
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

    @Test func `of which two go on ends well for one, and the other is told`() async throws {
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
