import Canonical
import HTTPAPI
import IdentityService
import Postgres
import TestSupport
import TestSupport
import Testing

@Suite(.onServer)
struct `Codes of status 429 and 503` {
    @Test func `are returned after too many wrong attempts`() async throws {
        var options = WorldOptions()
        options.settings.budgets.unknownLimit = 2
        try await inTurn(options) { world in
            let client = try world.client
            let owner = try await client.found("locked.example")
            let device = Device()
            let flow = try await Flow.logIn(owner.person, device, client)
            let asked = try await flow.prove(device)
            for _ in 0..<2 {
                let reply = try await flow.step("passphrase", ["passphrase": "wrong passphrase"])
                try expectProblem(reply, "passphrase.incorrect", goesOn: true)
            }
            let locked = try await flow.complete(owner.person, asked)
            try expectProblem(locked, "credentials.locked")
            // Right log-ins that run side by side are refused too, so the words call no attempt wrong.
            #expect(locked["title"]?.text == "The attempts at these credentials are used up")
            #expect(locked["detail"]?.text?.contains("side by side") == true)
            #expect((locked.headers["retry-after"].flatMap(Int.init) ?? 0) <= 3_600)
            expectOutcome(try await client.logIn(owner.person, owner.device), "success")
        }
    }

    @Test func `are returned to an address that exceeds its rate limit`() async throws {
        var options = WorldOptions()
        options.rateLimit = RateLimit(perSecond: 0.5, burst: 5)
        try await inTurn(options) { world in
            let client = try world.client
            var replies: [HTTPReply] = []
            // On a busy machine a request may take as long as it takes to earn another one, and then there are more.
            while replies.count < 60, replies.last?.status != 429 {
                replies.append(try await client.post("/v1/logins", Person("e", at: "rate.example").login(Device())))
            }
            // A log-in costs more than one token: some are answered, and then one is refused.
            #expect(replies.count > 1 && replies.dropLast().allSatisfy { $0.status == 201 }, "\(replies)")
            let refused = try #require(replies.last)
            try expectProblem(refused, "request.rate_limited", goesOn: false)
            try await Task.sleep(for: .seconds(Int(try #require(refused.headers["retry-after"])) ?? 0))
            let reply = try await client.post("/v1/logins", Person("e", at: "rate.example").login(Device()))
            #expect(reply.status == 201, "after as long as Retry-After said: \(reply)")
        }
    }

    @Test func `are returned if too many computations are queued`() async throws {
        var options = WorldOptions()
        options.computeThreads = 1
        options.computeWaiting = 1
        try await inTurn(options) { world in
            let client = try world.client
            let owner = try await client.found("busy.example")
            let flows = try await concurrently(12) { _ in
                let flow = try await Flow.logIn(owner.person, owner.device, client)
                return (flow, try await flow.prove(owner.device))
            }
            let replies = try await concurrently(12) { number in
                try await flows[number].0.complete(owner.person, flows[number].1)
            }
            let busy = replies.filter { $0.status != 200 }
            #expect(!busy.isEmpty && busy.count < 12)
            for reply in busy { try expectProblem(reply, "service.busy") }
            // Admission comes before the charge: who was sent away has lost nothing and tries again in the same flow.
            #expect(try await world.count("AttemptCharged") <= replies.count - busy.count)
            let refused = try #require(replies.firstIndex { $0.status == 503 })
            let (flow, asked) = flows[refused]
            expectOutcome(try await flow.complete(owner.person, asked), "success")
        }
    }

    @Test func `are returned while projections lag behind the requested position`() async throws {
        var options = WorldOptions()
        options.settings.viewPatience = .milliseconds(300)
        try await inTurn(options) { world in
            let client = try world.client
            let founder = try await client.found("views.example")
            // No call told anybody of this position, so waiting for it would never end.
            let beyond = try await client.get(client.path("views.example"), at: 1_000_000)
            try expectProblem(beyond, "request.invalid")
            #expect(beyond["errors"]?.items.first?["header"]?.text == "Tenure-Wait-For", "\(beyond)")
            let lagging = try await world.holding("tenure.projection_progress") {
                let joined = try await client.register(Person("second", at: "views.example"), Device())
                let position = try #require(joined["position"]?.number, "\(joined)")
                return try await client.get(client.path("views.example"), by: founder.session, at: position)
            }
            try expectProblem(lagging, "service.unavailable")
        }
    }

    @Test func `are returned only while the database is down`() async throws {
        try await inTurn { world in
            let client = try world.client
            let owner = try await client.found("outage.example")
            let name = world.database.name
            // Nobody can lock the database that they are connected to.
            var connection = try await PostgresConnection.connect(
                world.database.configuration(as: .superuser).with(database: "postgres"), logger: TestServer.logger())
            try await connection.executeScript("ALTER DATABASE \(name) ALLOW_CONNECTIONS false")
            _ = try await connection.query(
                """
                SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                WHERE datname = \(name) AND pid <> pg_backend_pid()
                """)
            let refused = try await client.post("/v1/logins", owner.person.login(owner.device))
            try await connection.executeScript("ALTER DATABASE \(name) ALLOW_CONNECTIONS true")
            try expectProblem(refused, "service.unavailable")
            var reply = refused
            for _ in 0..<600 where reply.status == 503 {
                try await Task.sleep(for: .milliseconds(100))
                reply = try await client.post("/v1/logins", owner.person.login(owner.device))
            }
            #expect(reply.status == 201, "\(reply)")
            expectOutcome(try await client.logIn(owner.person, owner.device), "success")
        }
    }
}
