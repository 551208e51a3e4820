import Canonical
import IdentityService
import Postgres
import Testing
import TestSupport

@Suite(.onServer)
struct `Attempts from unknown devices` {
    @Test func `draw on the app's rate for unknown and existing names alike`() async throws {
        var options = WorldOptions()
        options.settings.unknownAttempts = RateLimit(perSecond: 0.001, burst: 4)
        try await inTurn(options) { world in
            let client = try world.client
            let owner = try await client.found("drawn.example")
            let hostile = client.by(try await world.makeApp(name: "hostile"))
            try await world.linkApp(hostile.app, to: "drawn.example")
            let invented = Person("invented", at: "drawn.example")
            for person in [invented, owner.person, invented, owner.person] {
                let reply = try await attempt(person, hostile)
                #expect(["answers.incorrect", "passphrase.incorrect"].contains(reply.code ?? ""), "\(reply)")
            }
            let charged = try await world.count("AttemptCharged")
            for person in [invented, owner.person] {
                try expectProblem(try await attempt(person, hostile), "request.rate_limited", goesOn: false)
            }
            // A refusal costs nothing, and neither another app nor the known device has a part in it.
            #expect(try await world.count("AttemptCharged") == charged)
            #expect(try await attempt(owner.person, client).code == "passphrase.incorrect")
            expectOutcome(try await client.logIn(owner.person, owner.device), "success")
            expectOutcome(try await hostile.logIn(owner.person, owner.device), "success")
        }
    }

    private func attempt(_ person: Person, _ client: Client) async throws -> HTTPReply {
        let device = Device()
        let flow = try await Flow.logIn(person, device, client)
        let asked = try await flow.prove(device)
        var wrong = person
        wrong.passphrase = "wrong passphrase"
        return try await flow.complete(wrong, asked)
    }
}

@Suite(.onServer)
struct `A known device that fails in a row` {
    private static let company = "row.example"

    @Test func `loses its sessions and has one attempt a day, unlike the other devices`() async throws {
        var options = WorldOptions()
        options.settings.budgets.knownFailuresInARow = 3
        try await inTurn(options) { world in
            let client = try world.client
            _ = try await client.found(Self.company)
            let owner = try await client.join(Person("owner", at: Self.company))
            let second = Device()
            expectOutcome(try await client.logIn(owner.person, second), "authorizationPending")
            expectOutcome(try await client.authorize(second, of: owner.person), "done")
            let other = try Member(owner.person, second, try await client.logIn(owner.person, second))
            let again = try Member(owner.person, owner.device, try await client.logIn(owner.person, owner.device))
            let opened = try await opened(by: owner.device, client)
            #expect(opened.count == 2)
            let flow = try await Flow.logIn(owner.person, owner.device, client)
            let asked = try await flow.prove(owner.device)
            for _ in 0..<2 {
                let wrong = try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
                try expectProblem(wrong, "passphrase.incorrect", goesOn: true)
            }
            #expect(try await client.get("/v1/sessions", by: owner.session).status == 200)
            #expect(try await client.events(Self.company, "type=SessionClosed").isEmpty)
            let third = try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
            try expectProblem(third, "passphrase.incorrect", goesOn: true)
            for ended in [owner, again] {
                try expectProblem(try await client.get("/v1/sessions", by: ended.session), "session.invalid")
                try expectProblem(
                    try await client.post(
                        "/v1/sessions/refresh", ["refreshToken": .string(ended.refreshToken)], by: .nobody),
                    "session.invalid")
            }
            try await expectClosed(opened, client)
            let locked = try await flow.complete(owner.person, asked)
            try expectProblem(locked, "credentials.locked")
            let wait = try #require(locked.headers["retry-after"].flatMap { Int($0) })
            #expect((80_000...86_400).contains(wait))
            #expect(try await client.get("/v1/sessions", by: other.session).status == 200)
            expectOutcome(try await client.logIn(owner.person, second), "success")
            try await expectClosed(opened, client)
        }
    }

    /// The sessions that the log says a device opened.
    private func opened(by device: Device, _ client: Client) async throws -> Set<String> {
        let events = try await client.events(Self.company, "type=SessionOpened")
        return Set(
            events.filter { $0["data"]?["fingerprint"]?.text == device.fingerprint }
                .compactMap { $0["data"]?["sessionId"]?.text })
    }

    /// The log says of each session once that it ended, why, and of no other one.
    private func expectClosed(_ sessions: Set<String>, _ client: Client) async throws {
        let closed = try await client.events(Self.company, "type=SessionClosed").map { $0["data"] }
        #expect(closed.count == sessions.count && Set(closed.compactMap { $0?["sessionId"]?.text }) == sessions)
        #expect(closed.allSatisfy { $0?["reason"]?.text == "deviceFailed" }, "\(closed)")
    }
}

@Suite(.onServer)
struct `Strangers' attempts through another app` {
    @Test func `leave a place to a log-in from a known device`() async throws {
        var options = WorldOptions()
        options.computeThreads = 1
        options.computeWaiting = 7
        try await inTurn(options) { world in
            let client = try world.client
            let owner = try await client.found("fair.example")
            let hostile = client.by(try await world.makeApp(name: "hostile"))
            let asked = try await concurrently(36) { number in
                let person = Person("invented-\(number)", at: "invented-\(number).example")
                let device = Device()
                let flow = try await Flow.logIn(person, device, hostile)
                return (flow, try await flow.prove(device), person)
            }
            let right = try await Flow.logIn(owner.person, owner.device, client)
            let shown = try await right.prove(owner.device)
            let (refused, announce) = AsyncStream<Void>.makeStream()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (flow, reply, person) in asked {
                    group.addTask {
                        let reply = try await flow.complete(person, reply)
                        if reply.code == "service.busy" { announce.yield() }
                    }
                }
                // From now on there is no place for the strangers' app, and each of its attempts takes ten copies.
                var iterator = refused.makeAsyncIterator()
                await iterator.next()
                expectOutcome(try await right.complete(owner.person, shown), "success")
                try await group.waitForAll()
            }
        }
    }
}

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
