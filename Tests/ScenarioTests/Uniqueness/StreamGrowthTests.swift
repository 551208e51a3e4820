import Postgres
import Testing

@Suite(.onServer)
struct `Logins` {
    @Test func `never grow a stream that they read`() async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.found("growth.example")
            let member = try await client.join(Person("second", at: "growth.example"))
            let before = try await world.versions(of: ["employee", "tenant", "user", "app"])
            #expect(before.count >= 5)
            for _ in 0..<15 {
                for somebody in [founder, member] {
                    expectOutcome(try await client.logIn(somebody.person, somebody.device), "success")
                }
            }
            #expect(try await world.versions(of: ["employee", "tenant", "user", "app"]) == before)
            let others = try await world.superuser { connection in
                // The checkpoints have a stream that grows with time; no login reads it.
                let rows = try await connection.query(
                    """
                    SELECT max(version) FROM tenure.event
                    WHERE kind NOT IN ('employee', 'tenant', 'user', 'app') AND type <> 'CheckpointSealed'
                    """)
                return try rows.first?.decode(Int32.self) ?? 0
            }
            #expect(others <= 3, "a stream of its own for each flow, session and attempt")
        }
    }
}
