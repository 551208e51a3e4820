import Canonical
import Postgres
import Testing

/// A process that ends between two of its writes. A minute later another one takes its call over.
@Suite(.onServer, .serialized)
struct `A service that dies between two writes` {
    /// Sends a request to a process that dies while it waits for the second of two tables; `first` is written before.
    private func send(
        _ request: HTTPRequest, to process: ServiceProcess, _ world: TenureWorld, through first: String,
        upTo second: String
    ) async throws {
        try await world.holdingInTurn(first, second) { world in
            process.kill()
            try await world.endWriters(waitingFor: second)
        } meanwhile: {
            let reply = try? await process.client.send(request)
            #expect(reply == nil)
        }
        // As if the minute had passed that a call has to itself.
        try await world.superuser { connection in
            _ = try await connection.query(
                "UPDATE tenure.idempotency SET lease_until = now() - interval '1 second' WHERE state = 'running'")
        }
    }

    @Test func `refuses an unknown device's change again, although the log has the right secret`() async throws {
        try await inTurn { world in
            let founder = try await world.client.found("died-refusing.example")
            let stranger = Device()
            try await ServiceProcess.with(1, in: world) { processes in
                let flow = try await Flow.change(founder.person, stranger, processes[0].client)
                let asked = try await flow.prove(stranger)
                let request = try flow.change(from: founder.person, to: founder.person, asked, key: "refused")
                try await send(
                    request, to: processes[0], world, through: "tenure.event", upTo: "tenure.idempotency")
                let client = try await processes[0].replaced().client
                try expectProblem(try await client.send(request), "authorization.not_permitted")
                try expectProblem(try await client.send(request), "authorization.not_permitted")
            }
        }
    }

    @Test func `tells a registration that came to pass, although nobody countersigned its key`() async throws {
        try await inTurn { world in
            let company = "died-countersigning.example"
            let founder = try await world.client.found(company)
            try await world.client.change(policy: ["keyAuthorization": "automatic"], of: company, by: founder)
            let person = Person("second", at: company), device = Device()
            try await ServiceProcess.with(1, in: world) { processes in
                let flow = try await Flow.register(person, device, processes[0].client)
                let request = try flow.completion(person, try await flow.prove(device), key: "registered")
                // The session comes with the second append, which authorizes the key.
                try await send(request, to: processes[0], world, through: "tenure.event", upTo: "tenure.session")
                let client = try await processes[0].replaced().client
                let reply = try await client.send(request)
                expectOutcome(reply, "authorizationPending")
                #expect(try await client.send(request).body == reply.body)
                expectOutcome(try await client.authorize(device, of: person), "done")
                expectOutcome(try await client.logIn(person, device), "success")
            }
        }
    }
}
