import Canonical
import FoundationEssentials
import Postgres
import Testing

/// A secret that is right opens a session for an employee of the user whose secret it is, and for no other.
@Suite(.onServer)
struct `An employee who turns out to be another user's` {
    /// Has the event that registered one employee name the user of another.
    private func swap(_ victim: String, to other: String, in world: TenureWorld) async throws {
        try await world.superuser { connection in
            let changed = try await connection.query(
                """
                UPDATE tenure.event SET entry = convert_to(replace(
                    convert_from(entry, 'UTF8'), '"userId":"' || \(victim), '"userId":"' || \(other)), 'UTF8')
                WHERE type = 'EmployeeRegistered' AND position(\(victim) IN convert_from(entry, 'UTF8')) > 0 RETURNING 1
                """)
            #expect(changed.count == 1)
        }
    }

    /// The ids of the users who registered, in that order.
    private func users(_ world: TenureWorld) async throws -> [String] {
        try await world.superuser { connection in
            try await connection.query(
                """
                SELECT convert_from(entry, 'UTF8')::jsonb #>> '{data,userId}' FROM tenure.event
                WHERE type = 'EmployeeRegistered' ORDER BY position
                """
            ).map { try $0.decode(String.self) }
        }
    }

    @Test(arguments: [false, true]) func `gets no session, whoever's secret was right`(isBlind: Bool) async throws {
        try await inTurn { world in
            let client = try world.client, company = "foreign-employee.example"
            _ = try await client.found(company)
            let member = try await client.join(Person("member", at: company))
            let opened = try await world.count("SessionOpened")
            let users = try await users(world)
            try #require(users.count == 2)
            let begun = try await BlindFlow.start(.logins, member.person, member.device, client)
            try await swap(users[1], to: users[0], in: world)
            if isBlind {
                try expectProblem(try #require(try await begun.complete(member.person)), "request.stale")
            } else {
                let phrase = try #require(member.person.passphrase)
                try expectProblem(
                    try await begun.flow.step("passphrase", ["passphrase": .string(phrase)]), "request.stale")
            }
            #expect(try await world.count("SessionOpened") == opened)
        }
    }
}
