import Canonical
import Foundation
import IdentityService
import Postgres
import Testing

@Suite(.onServer)
struct `An erasure beside other calls of the same person` {
    @Test func `leaves no account that was registered at the same time`() async throws {
        try await inTurn { world in
            let client = try world.client
            _ = try await client.found("race.example")
            _ = try await client.found("race-too.example")
            var registered = 0
            for round in 0..<12 {
                let first = try await client.join(Person("first-\(round)", at: "race.example"))
                let person = first.person.also("second-\(round)", at: "race-too.example")
                let device = Device()
                let flow = try await Flow.register(person, device, client)
                let completion = try flow.completion(person, try await flow.prove(device))
                let plan = try await world.erasing { try await $0.plan(email: person.email) }
                async let reply = client.send(completion)
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...60)))
                _ = try await world.erasing { try await $0.run(plan) }
                if try await reply.status == 200 { registered += 1 }
                try await expectNobody(plan.people[0].id, world)
            }
            // Whoever came first is erased, whoever came last is refused; how often each is for the scheduler.
            #expect((0...12).contains(registered))
        }
    }

    @Test func `opens no session that outlives it`() async throws {
        try await inTurn { world in
            let client = try world.client
            _ = try await client.found("session-race.example")
            for round in 0..<8 {
                let member = try await client.join(Person("m-\(round)", at: "session-race.example"))
                async let login = client.logIn(member.person, member.device)
                try await Task.sleep(for: .milliseconds(Int.random(in: 0...120)))
                let erased = try await world.erase(member.person)
                let reply = try await login
                if reply.outcome == "success" {
                    let session = try Member(member.person, member.device, reply).session
                    try expectProblem(try await client.get("/v1/sessions", by: session), "session.invalid")
                } else {
                    #expect(reply.status < 500, "\(reply)")
                }
                let ids = erased.map(\.id)
                let sessions = try await world.superuser { connection in
                    try await connection.query(
                        "SELECT session_id FROM tenure.session WHERE employee_id = ANY (\(ids))")
                }
                #expect(sessions.isEmpty)
            }
        }
    }

    /// The user has no key, and neither has any employee that was ever registered for the user.
    private func expectNobody(_ user: UUID, _ world: TenureWorld) async throws {
        try await world.superuser { connection in
            let text = user.uuidString.lowercased()
            let left = try await connection.query(
                """
                SELECT p.key_id FROM tenure.person_key AS p
                WHERE p.key_id = \(user) OR p.key_id IN (
                    SELECT e.stream_id FROM tenure.event AS e WHERE e.type = 'EmployeeRegistered'
                        AND convert_from(e.entry, 'UTF8')::json -> 'data' ->> 'userId' = \(text))
                """)
            #expect(left.isEmpty)
            let members = try await connection.query("SELECT kind FROM tenure.claim WHERE owner = \(user)")
            #expect(members.isEmpty)
        }
    }
}
