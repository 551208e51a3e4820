import Canonical
import Testing

/// A registration that says whether it is to join a company or to found one.
@Suite(.onServer, .sharedWorld)
struct `A registration with an intent` {
    @Test func `to join founds nothing when the name is mistyped`() async throws {
        let client = try sharedWorld().client
        _ = try await client.found("harbour-join.example")
        let person = Person("erik", at: "harbor-join.example")
        try expectProblem(try await start(person, "join", client), "company.unknown")
        #expect(try await client.get(client.path("harbor-join.example")).status == 404, "nothing was founded")

        let right = Person("erik", at: "harbour-join.example")
        expectOutcome(try await client.register(right, Device(), intent: "join"), "authorizationPending")
    }

    @Test func `to found joins nothing when the company exists`() async throws {
        let client = try sharedWorld().client
        let company = "harbour-found.example"
        let founder = Person("founder", at: company)
        expectOutcome(try await client.register(founder, Device(), intent: "found"), "success")
        try expectProblem(try await start(Person("erik", at: company), "found", client), "company.already_founded")
        #expect(try await client.events(company, "type=EmployeeRegistered").count == 1)
    }

    @Test func `to join tells an unlinked app nothing about which companies exist`() async throws {
        let world = try sharedWorld()
        let company = "hidden-join.example"
        _ = try await world.client.found(company)
        let other = try world.client.by(try await world.makeApp(name: company))
        let replies = [
            try await start(Person("erik", at: company), "join", other),
            try await start(Person("erik", at: "no-\(company)"), "join", other),
        ]
        for reply in replies { try expectProblem(reply, "company.unknown") }
    }

    @Test func `to found is refused alike to linked and unlinked apps`() async throws {
        let world = try sharedWorld()
        let company = "hidden-found.example"
        _ = try await world.client.found(company)
        let other = try world.client.by(try await world.makeApp(name: company))
        for client in [try world.client, other] {
            try expectProblem(try await start(Person("erik", at: company), "found", client), "company.already_founded")
        }
    }

    @Test(arguments: ["", "Join", "create", "JOIN"]) func `that is none is refused`(intent: String) async throws {
        let client = try sharedWorld().client
        let reply = try await start(Person("erik", at: "no-intent.example"), intent, client)
        try expectProblem(reply, "request.invalid")
        #expect(reply["errors"]?.items.first?["pointer"]?.text == "/intent")
    }

    @Test func `to found is told once the company was founded by somebody else meanwhile`() async throws {
        let client = try sharedWorld().client
        let company = "meanwhile.example"
        let person = Person("late", at: company), device = Device()
        let flow = try await Flow.register(person, device, client, intent: "found")
        let asked = try await flow.prove(device)
        _ = try await client.found(company)
        let refused = try await flow.complete(person, asked, key: "late-1")
        try expectProblem(refused, "company.already_founded")
        let repeated = try await flow.complete(person, asked, key: "late-1")
        try expectProblem(repeated, "company.already_founded")
        #expect(try await client.events(company, "type=EmployeeRegistered").count == 1)
        #expect(try await client.get(client.path(person)).status == 404)
    }

    /// Starts a registration with an intent.
    private func start(_ person: Person, _ intent: String, _ client: Client) async throws -> HTTPReply {
        try await client.post("/v1/registrations", person.registration(Device(), intent: intent))
    }
}

@Suite(.onServer)
struct `Founders of one company at once` {
    @Test func `are one founder and as many refusals as there are others`() async throws {
        try await inTurn { world in
            let first = try world.client
            try await world.withSecondInstance { url in
                let clients = [first, try Client(url, world.app)]
                for round in 0..<3 {
                    let company = "founders-\(round).example"
                    let replies = try await concurrently(8) { number in
                        // All but two have names of their own: those two also race for an employee id.
                        let person = Person("founder-\(max(number, 1))", at: company), device = Device()
                        return try await clients[number % 2].register(person, device, intent: "found")
                    }
                    let codes = replies.map { $0.outcome ?? $0.code ?? "" }.sorted()
                    #expect(codes.filter { $0 == "success" }.count == 1, "\(codes)")
                    #expect(codes.filter { $0 == "company.already_founded" }.count == 7, "\(codes)")
                    #expect(try await first.events(company, "type=EmployeeRegistered").count == 1)
                }
            }
        }
    }
}

extension Person {
    /// The body that starts a registration to join or to found.
    func registration(_ device: Device, intent: String) -> JSONValue {
        guard case .object(var members) = registration(device) else { return registration(device) }
        members["intent"] = .string(intent)
        return .object(members)
    }
}

extension Client {
    /// A whole registration with an intent; a start that is refused is the reply.
    func register(_ person: Person, _ device: Device, intent: String) async throws -> HTTPReply {
        let started = try await post("/v1/registrations", person.registration(device, intent: intent))
        guard started.status == 201 else { return started }
        let flow = try Flow(started, of: self)
        let asked = try await flow.prove(device)
        return asked.status == 200 ? try await flow.complete(person, asked) : asked
    }
}

extension Flow {
    /// The registration that a reply begins.
    init(_ started: HTTPReply, of client: Client) throws {
        self.init(
            client: client, kind: .registrations, handle: try #require(started["flow"]?.text),
            challenge: try #require(started.challenge))
    }

    /// Starts a registration with an intent.
    static func register(_ person: Person, _ device: Device, _ client: Client, intent: String) async throws -> Flow {
        try Flow(try await client.post("/v1/registrations", person.registration(device, intent: intent)), of: client)
    }
}
