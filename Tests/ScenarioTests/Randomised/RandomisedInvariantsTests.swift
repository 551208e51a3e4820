import Canonical
import Postgres
import Testing

/// The looks that a randomised run ends with notice what they are there for.
@Suite(.onServer)
struct `What must hold after a randomised run` {
    @Test(arguments: [
        "DELETE FROM tenure.event WHERE position = 3",
        "UPDATE tenure.ledger SET size = size + 1 WHERE size > 5",
        "UPDATE tenure.employees SET is_approved = NOT is_approved",
        "DELETE FROM tenure.first_security_admins",
        "DELETE FROM tenure.event WHERE type = 'EmployeeRegistered' AND position > 1",
    ])
    func `is missed when somebody breaks it`(damage: String) async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.found("broken.example")
            let member = try await client.join(Person("second", at: "broken.example"))
            let crowd = Crowd([])
            await crowd.use(client)
            for one in [founder, member] {
                await crowd.acknowledged(
                    Crowd.Account(person: one.person, device: one.device, position: 1))
            }
            let invariants = RandomisedInvariants(world: world, crowd: crowd, said: "on purpose")
            try await invariants.check()
            try await world.superuser { connection in try await connection.executeScript(damage) }
            await withKnownIssue { try await invariants.check() }
        }
    }
}
