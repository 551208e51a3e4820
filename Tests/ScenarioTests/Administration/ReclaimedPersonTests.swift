import Canonical
import Testing

@Suite(.onServer)
struct `A reclaimed e-mail of a user with a second account in the tenant` {
    @Test func `ends that account too, even if it never claimed the address for the tenant`() async throws {
        try await inTurn { world in
            let (client, admin, owner) = try await company("both.example", world)
            let second = try await client.join(owner.person.also("second", at: "both.example"))
            expectOutcome(try await reclaim(owner.person, client, by: admin), "done")
            for member in [owner, second] {
                try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
                try expectProblem(try await client.logIn(member.person, member.device), "employee.inactive")
            }
        }
    }

    @Test func `ends an account that is registered concurrently`() async throws {
        try await inTurn { world in
            for round in 0..<12 {
                let name = "together-\(round).example"
                let (client, admin, owner) = try await company(name, world)
                var person = owner.person.also("second", at: name)
                person.isCompanyOwnedEmail = true
                let device = Device()
                let flow = try await Flow.register(person, device, client)
                let completion = try flow.completion(person, try await flow.prove(device))
                async let registered = client.send(completion)
                try await Task.sleep(for: .milliseconds(Int.random(in: 10...70)))
                let reclaimed = try await reclaim(owner.person, client, by: admin)
                expectOutcome(reclaimed, "done")
                let reply = try await registered
                if reply.status != 200 {
                    // The reclaim came first, so the registration found another owner of the address.
                    #expect((400..<500).contains(reply.status), "round \(round): \(reply)")
                    continue
                }
                let authorized = try await client.authorize(device, of: person)
                #expect(authorized.status != 200, "round \(round): \(authorized)")
                // The account was provisional: its id is free again, and the name is nobody's.
                let login = try await client.logIn(person, device)
                #expect(["passphrase.incorrect", "answers.incorrect"].contains(login.code ?? ""), "\(login)")
            }
        }
    }

    private func company(
        _ name: String, _ world: TenureWorld
    ) async throws -> (client: Client, admin: Member, owner: Member) {
        let client = try world.client
        let admin = try await client.found(name)
        try await world.confirmDomain(of: name)
        var person = Person("owner", at: name, email: "owner@\(name)")
        person.isCompanyOwnedEmail = true
        return (client, admin, try await client.join(person))
    }

    private func reclaim(_ person: Person, _ client: Client, by admin: Member) async throws -> HTTPReply {
        try await client.signed(
            by: admin, "POST", client.path(person.company, "/reclaimed-emails"),
            ["email": .string(person.email), "reason": "has left"])
    }
}

@Suite(.onServer)
struct `Scenario 14: a reclaim while the owner logs in` {
    @Test func `is serialized fifty times, and no session of the owner starts afterwards`() async throws {
        try await inTurn { world in
            let client = try world.client
            let company = "race.example"
            let admin = try await client.found(company)
            try await world.confirmDomain(of: company)
            // Who came too late starts earlier in the next round, so the race stays close on any machine.
            var head = 20
            var wins = (login: 0, reclaim: 0)
            for round in 0..<50 {
                var person = Person("owner-\(round)", at: company, email: "owner-\(round)@race.example")
                person.isCompanyOwnedEmail = true
                let owner = try await client.join(person)
                let flow = try await Flow.logIn(person, owner.device, client)
                let asked = try await flow.prove(owner.device)
                let body: [String: JSONValue] = ["email": .string(person.email), "reason": "left"]
                let delays = (login: Int.random(in: 0...20), reclaim: Int.random(in: 0...20) + head)
                async let login = delayed(delays.login) { try await flow.complete(owner.person, asked) }
                async let reclaim = delayed(delays.reclaim) {
                    try await client.signed(by: admin, "POST", client.path(company, "/reclaimed-emails"), body)
                }
                let (loggedIn, reclaimed) = (try await login, try await reclaim)
                expectOutcome(reclaimed, "done")
                head = loggedIn.status == 200 ? head - head / 4 - 1 : head + head / 4 + 1
                head = max(0, head)
                if loggedIn.status == 200 {
                    wins.login += 1
                    let member = try Member(person, owner.device, loggedIn)
                    try expectProblem(try await client.get("/v1/sessions", by: member.session), "session.invalid")
                } else {
                    wins.reclaim += 1
                    #expect(["employee.inactive", "service.busy"].contains(loggedIn.code), "\(loggedIn)")
                }
                let events = try await client.events(company, "employee=\(person.id)", by: admin.session)
                let opened = events.filter { $0["type"]?.text == "SessionOpened" }.compactMap { $0["position"]?.number }
                let reclaims = events.filter { $0["type"]?.text == "EmailReclaimed" }
                #expect(reclaims.count == 1)
                let end = try #require(reclaims.first?["position"]?.number)
                #expect(opened.allSatisfy { $0 < end }, "round \(round): \(opened) before \(end)")
                #expect(opened.count == (loggedIn.status == 200 ? 2 : 1))
            }
            #expect(wins.login > 0 && wins.reclaim > 0, "both orders: \(wins)")
        }
    }

    private func delayed(
        _ milliseconds: Int, _ body: @Sendable () async throws -> HTTPReply
    ) async throws -> HTTPReply {
        try await Task.sleep(for: .milliseconds(milliseconds))
        return try await body()
    }
}
