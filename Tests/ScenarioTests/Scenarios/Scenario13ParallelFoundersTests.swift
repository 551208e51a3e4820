import Canonical
import Testing

@Suite(.onServer)
struct `Scenario 13: a hundred first registrations at once` {
    @Test func `make one security admin, and nobody meets an error that trying again does not cure`() async throws {
        try await inTurn { world in
            let first = try world.client
            try await world.withSecondInstance { url in
                let second = try Client(url, world.app)
                let company = "stampede.example"
                let replies = try await concurrently(100) { number in
                    let client = number.isMultiple(of: 2) ? first : second
                    let person = Person("employee-\(number)", at: company)
                    let device = Device()
                    var reply = try await client.register(person, device)
                    for _ in 0..<5 where reply.status >= 400 {
                        #expect([409, 429, 503].contains(reply.status), "\(reply)")
                        reply = try await client.register(person, device)
                    }
                    return reply
                }
                let admins = replies.filter { $0["employee"]?["role"]?.text == "securityAdmin" }
                #expect(admins.count == 1)
                #expect(replies.filter { $0.outcome == "success" }.count == 1)
                #expect(replies.filter { $0.outcome == "authorizationPending" }.count == 99)

                let last = replies.compactMap { $0["position"]?.number }.max()
                let read = try await first.get(first.path(company), at: last)
                #expect(read["employees"]?.number == 100)
                let admin = try await second.get(second.path(company, "/security-admin"), at: last)
                #expect(admin["employee"] == admins.first?["employee"])
                #expect(admin["position"]?.number == 1)
                let events = try await first.events(company, "type=EmployeeRegistered")
                #expect(events.count == 100)
                #expect(events.filter { $0["data"]?["companyName"] != nil }.count == 1)
            }
        }
    }
}
