import Canonical
import Testing

@Suite(.onServer)
struct `Scenario 14: a reclaim while the owner logs in` {
    @Test func `is one legal order fifty times, and no session of the owner starts after it`() async throws {
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
                let body: JSONValue = ["email": .string(person.email), "reason": "left"]
                let delays = (login: Int.random(in: 0...20), reclaim: Int.random(in: 0...20) + head)
                async let login = delayed(delays.login) { try await flow.complete(owner.person, asked) }
                async let reclaim = delayed(delays.reclaim) {
                    try await client.post(client.path(company, "/reclaimed-emails"), body, by: admin.session)
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
