import Canonical
import IdentityService
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
        "DELETE FROM tenure.event WHERE type = 'EmployeeErased'",
        "DELETE FROM tenure.person_key",
    ])
    func `is missed when somebody breaks it`(damage: String) async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.found("broken.example")
            let member = try await client.join(Person("second", at: "broken.example"))
            let leaver = try await client.join(Person("third", at: "broken.example"))
            let crowd = Crowd([])
            await crowd.use(client)
            for one in [founder, member, leaver] {
                await crowd.acknowledged(
                    Crowd.Account(person: one.person, device: one.device, position: one.position))
            }
            await crowd.erasing(try await world.erase(leaver.person).map(\.id), done: true)
            let invariants = RandomisedInvariants(world: world, crowd: crowd, said: "on purpose")
            try await invariants.check()
            try await world.superuser { connection in try await connection.executeScript(damage) }
            await withKnownIssue { try await invariants.check() }
        }
    }
}
