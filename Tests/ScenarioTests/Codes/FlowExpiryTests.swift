import Postgres
import Testing

@Suite(.onServer)
struct `A flow that is too old` {
    @Test(arguments: ["key", "passphrase"])
    func `is told so at every step, and a new one starts`(step: String) async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.found("old.example")
            let flow = try await Flow.logIn(founder.person, founder.device, client)
            let asked = step == "key" ? nil : try await flow.prove(founder.device)
            // Ten minutes pass for every flow of this world.
            try await world.superuser { connection in
                try await connection.executeScript("UPDATE tenure.flow SET expires_at = now() - interval '1 second'")
            }
            let late: HTTPReply
            if let asked {
                late = try await flow.complete(founder.person, asked)
            } else {
                late = try await flow.prove(founder.device)
            }
            try expectProblem(late, "flow.expired", goesOn: false)
            expectOutcome(try await client.logIn(founder.person, founder.device), "success")
        }
    }
}
