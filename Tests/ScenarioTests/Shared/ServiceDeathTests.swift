import Canonical
import Credentials
import Postgres
import Testing

/// A process that ends between its write and its reply: what was written and what the repeated call is answered are one.
@Suite(.onServer, .serialized)
struct `A service that dies before its reply` {
    /// The steps of flows that write the flow's row and nothing else.
    enum Step: CaseIterable {
        case deviceProof, beginningOfAChange, wrongProof
    }

    /// Sends a request to a process that dies when its write has been sent to the database and has not been answered.
    private func send(_ request: HTTPRequest, to process: ServiceProcess, _ world: TenureWorld) async throws {
        let versions: @Sendable () async throws -> Int64 = {
            try await world.number("SELECT sum(version)::bigint FROM tenure.flow")
        }
        let before = try await versions()
        try await world.holding("tenure.flow") {
            async let lost = try? process.client.send(request)
            try await world.writersWait(for: "tenure.flow")
            process.kill()
            #expect(await lost == nil)
        }
        // The database does what it was sent, whether or not anybody hears of it.
        try await world.until { try await versions() > before }
    }

    private func request(
        _ step: Step, _ person: Person, _ device: Device, _ client: Client
    ) async throws -> HTTPRequest {
        let word = Person.word()
        if step == .deviceProof {
            let flow = try await Flow.change(person, device, client)
            return flow.request("key", try flow.proof(device), key: word)
        }
        let flow = try await BlindFlow.start(.changes, person, device, client)
        let opening = try flow.opening(passphrase: try #require(person.passphrase))
        let key = try #require(try await flow.open(opening))
        let wrong: JSONValue = ["userSignature": .string(Base64.encode([UInt8](repeating: 7, count: 64)))]
        return flow.flow.request("proof", step == .wrongProof ? wrong : try flow.proof(by: key), key: word)
    }

    @Test(arguments: Step.allCases)
    func `replays the response to the repeated call at once from another process`(step: Step) async throws {
        try await inTurn { world in
            let founder = try await world.client.found("died.example")
            try await ServiceProcess.with(1, in: world) { processes in
                let first = processes[0]
                let request = try await request(step, founder.person, founder.device, first.client)
                try await send(request, to: first, world)
                let second = try await first.replaced()
                let reply = try await second.client.send(request)
                switch step {
                case .deviceProof: expectOutcome(reply, "validatePassphrase")
                case .beginningOfAChange: expectOutcome(reply, "setCredentials")
                case .wrongProof: try expectProblem(reply, "passphrase.incorrect", goesOn: true)
                }
                let again = try await world.client.send(request)
                #expect(again.status == reply.status && again.challenge == reply.challenge, "at any instance")
            }
        }
    }

    @Test func `lets its change continue and refuses another body under its idempotency key`() async throws {
        try await inTurn { world in
            let founder = try await world.client.found("died-on.example")
            var new = founder.person
            new.passphrase = "another passphrase"
            try await ServiceProcess.with(1, in: world) { processes in
                let flow = try await BlindFlow.start(.changes, founder.person, founder.device, processes[0].client)
                let opening = try flow.opening(passphrase: try #require(founder.person.passphrase))
                let oldKey = try #require(try await flow.open(opening))
                let request = flow.flow.request("proof", try flow.proof(by: oldKey), key: "begin")
                try await send(request, to: processes[0], world)
                let client = try await processes[0].replaced().client
                let begun = try await client.send(request)
                expectOutcome(begun, "setCredentials")
                let other = flow.flow.at(client).request("proof", ["userSignature": "AAAA"], key: "begin")
                try expectProblem(try await client.send(other), "idempotency.conflict")
                let going = BlindFlow(flow: flow.flow.at(client), device: flow.device, asked: flow.asked)
                let body = try await going.changeBody(new, oldKey: oldKey, begun)
                expectOutcome(try await going.flow.step("proof", body), "success")
                expectOutcome(try await client.logIn(new, founder.device), "success")
                #expect(try await client.send(request).body == begun.body, "also when the flow has ended")
            }
        }
    }
}

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

    @Test func `refuses an unknown device's change again, even if the log records a right secret`() async throws {
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

    @Test func `reports a completed registration, even if its key was not countersigned`() async throws {
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
