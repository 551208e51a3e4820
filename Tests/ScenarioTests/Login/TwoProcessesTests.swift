import Canonical
import Testing

/// The limit under fire from two processes of the operating system; `Scenario11ExactLimitTests` has the rest of it.
@Suite(.onServer, .serialized)
struct `Two processes of the service` {
    /// Begins `count` logins of a person from devices of their own, by turns at these clients.
    private func flows(_ count: Int, of person: Person, _ clients: [Client]) async throws -> [Flow] {
        try await concurrently(count) { number in
            let device = Device()
            let client = clients[number % clients.count]
            return try await patiently {
                let started = try await client.post("/v1/logins", person.login(device))
                guard let handle = started["flow"]?.text, let challenge = started.challenge else { return nil }
                let flow = Flow(client: client, kind: .logins, handle: handle, challenge: challenge)
                return try await flow.prove(device).outcome == "validatePassphrase" ? flow : nil
            }
        }
    }

    /// The code that a wrong passphrase got. A service that is busy has charged nothing, so the caller comes again.
    private func guess(_ flow: Flow, _ number: Int) async throws -> String {
        try await patiently {
            let reply = try await flow.step("passphrase", ["passphrase": .string("wrong passphrase \(number)")])
            guard let code = reply.code, code != "service.busy", code != "request.rate_limited" else { return nil }
            return code
        }
    }

    private func patiently<Value>(_ attempt: () async throws -> Value?) async throws -> Value {
        for _ in 0..<120 {
            if let value = try await attempt() { return value }
            try await Task.sleep(for: .milliseconds(Int.random(in: 200...800)))
        }
        throw Flow.Unexpected(description: "the service stayed busy")
    }

    @Test func `use exactly the limit together, and the known device logs in at both`() async throws {
        try await inTurn { world in
            let owner = try await world.client.found("processes.example")
            try await ServiceProcess.with(2, in: world) { processes in
                #expect(Set(processes.map(\.identifier)).count == 2, "two processes of the operating system")
                let clients = processes.map(\.client)
                let flows = try await flows(100, of: owner.person, clients)
                let codes = try await concurrently(100) { number in try await guess(flows[number], number) }
                #expect(codes.count { $0 == "passphrase.incorrect" } == 10)
                #expect(codes.count { $0 == "credentials.locked" } == 90)
                #expect(try await world.count("AttemptCharged") == 10)
                for client in clients {
                    expectOutcome(try await client.logIn(owner.person, owner.device), "success")
                }
            }
        }
    }

    @Test func `use at most the limit if one is killed midway`() async throws {
        try await inTurn { world in
            let owner = try await world.client.found("killed.example")
            try await ServiceProcess.with(2, in: world) { processes in
                let clients = processes.map(\.client)
                let flows = try await flows(24, of: owner.person, clients)
                // What the dying process was asked is charged or not; an answer that was given was charged.
                let codes = try await concurrently(24) { number -> String? in
                    if number == 12 { processes[1].kill() }
                    return try? await guess(flows[number], number)
                }
                let answered = codes.count { $0 == "passphrase.incorrect" }
                let charged = try await world.count("AttemptCharged")
                #expect(answered <= charged && charged <= 10)

                let rest = try await self.flows(30, of: owner.person, [clients[0]])
                let later = try await concurrently(30) { number in try await guess(rest[number], number) }
                #expect(later.count { $0 == "passphrase.incorrect" } == 10 - charged)
                #expect(try await world.count("AttemptCharged") == 10)
            }
        }
    }
}

@Suite(.onServer)
struct `Two instances of the service` {
    @Test func `serve one flow, one session and one idempotency key together`() async throws {
        try await inTurn { world in
            let first = try world.client
            try await world.withSecondInstance { url in
                let second = try Client(url, world.app)
                let person = Person("f", at: "instances.example")
                let device = Device()
                let flow = try await Flow.register(person, device, first)
                let asked = try await flow.at(second).prove(device)
                expectOutcome(asked, "setCredentials")
                let reply = try await flow.complete(person, asked, key: "both")
                let again = try await flow.at(second).complete(person, asked, key: "both")
                #expect(again.body == reply.body)
                let member = try Member(person, device, reply)
                #expect(try await second.get("/v1/sessions", by: member.session).status == 200)
                let closed = try await second.send(
                    second.request("DELETE", "/v1/sessions/current", by: member.session))
                #expect(closed.status == 204)
                try expectProblem(try await first.get("/v1/sessions", by: member.session), "session.invalid")
                let read = try await second.get(second.path("instances.example"), at: member.position)
                #expect(read.status == 200 && read["employees"]?.number == 1)
            }
        }
    }
}
