import Canonical
import Foundation
import Postgres
import TestSupport
import Testing

/// Registrations, logins, guesses and decisions at two processes that are killed and started again, and then a look at
/// everything that must hold whatever happened. `make soak` runs it for long.
@Suite(.onServer, .serialized)
struct `A randomised run` {
    private static let companies = 3

    @Test(.timeLimit(.minutes(70)))
    func `leaves nothing lost, doubled, skipped or seen by others`() async throws {
        let seed = Seeded.chosen
        print("randomised run: TENURE_SOAK_SEED=\(seed) TENURE_SOAK_SECONDS=\(Seeded.seconds)")
        try await inTurn { world in
            try await world.database.withPool(as: .reader) { pool in
                let follower = FeedFollower(pool: pool)
                try await Self.run(world, follower, seed)
            }
        }
    }

    private static func run(_ world: TenureWorld, _ follower: FeedFollower, _ seed: UInt64) async throws {
        try await ServiceProcess.with(2, in: world) { processes in
            let crowd = Crowd(processes)
            let end = ContinuousClock.now + .seconds(Seeded.seconds)
            try await withThrowingTaskGroup { group in
                for actor in 0..<4 {
                    group.addTask { try await Self.act(crowd, Seeded(seed &+ UInt64(actor)), actor, until: end) }
                }
                group.addTask { try await follower.follow(until: end) }
                group.addTask { try await Self.disturb(crowd, world, Seeded(seed &- 1), until: end) }
                try await group.waitForAll()
            }
            let said = "seed \(seed), \(await crowd.counts.sorted { $0.key < $1.key })"
            print("randomised run: \(said)")
            #expect(await crowd.accounts.count > 3, "\(said)")
            let invariants = RandomisedInvariants(world: world, crowd: crowd, said: said)
            try await invariants.check()
            for process in await crowd.processes { process.kill() }
            try await invariants.checkFeed(follower)
        }
    }

    /// One actor's steps; an answer that does not come is not repeated, so that its outcome stays unknown.
    private static func act(_ crowd: Crowd, _ seeded: Seeded, _ actor: Int, until end: ContinuousClock.Instant)
        async throws
    {
        var random = seeded
        var number = 0
        while ContinuousClock.now < end {
            number += 1
            let client = await crowd.client(Int.random(in: 0..<2, using: &random))
            let step = Int.random(in: 0..<10, using: &random)
            let account = await crowd.account(Int.random(in: 0..<1_000, using: &random))
            let company = "random-\(Int.random(in: 0..<companies, using: &random)).example"
            if step < 4 || account == nil {
                await register(Person("e\(actor)-\(number)", at: company), client, crowd)
            } else if let account {
                await continued(step, account, client, crowd)
            }
        }
    }

    private static func register(_ person: Person, _ client: Client, _ crowd: Crowd) async {
        let device = Device()
        guard let flow = try? await Flow.register(person, device, client), let asked = try? await flow.prove(device),
            asked.outcome == "setCredentials"
        else { return await crowd.count("no flow") }
        guard let reply = try? await flow.complete(person, asked) else {
            await crowd.count("unknown")
            return await crowd.unanswered(person)
        }
        guard let position = reply["position"]?.number else {
            // Refused or busy: neither is a registration, but a service that dies may also say "unavailable".
            await crowd.count("refused \(reply.code ?? "")")
            return await crowd.unanswered(person)
        }
        await crowd.count("registered")
        await crowd.acknowledged(Crowd.Account(person: person, device: device, position: position))
    }

    private static func continued(_ step: Int, _ account: Crowd.Account, _ client: Client, _ crowd: Crowd) async {
        switch step {
        case 4, 5:
            guard let reply = try? await client.authorize(account.device, of: account.person) else { return }
            await crowd.count("authorize \(reply.outcome ?? reply.code ?? "")")
        case 6, 7:
            guard let reply = try? await client.logIn(account.person, account.device) else { return }
            await crowd.count("login \(reply.outcome ?? reply.code ?? "")")
        default:
            let device = Device()
            guard let flow = try? await Flow.logIn(account.person, device, client),
                let asked = try? await flow.prove(device), asked.outcome == "validatePassphrase",
                let reply = try? await flow.step("passphrase", ["passphrase": "a wrong passphrase"])
            else { return }
            await crowd.count("guess \(reply.code ?? "")")
            if reply.code == "passphrase.incorrect" { await crowd.guessed(account.person) }
        }
    }

    /// Kills processes and backends, one after the other.
    private static func disturb(
        _ crowd: Crowd, _ world: TenureWorld, _ seeded: Seeded, until end: ContinuousClock.Instant
    ) async throws {
        var random = seeded
        while ContinuousClock.now < end {
            try await Task.sleep(for: .milliseconds(Int.random(in: 300...1_500, using: &random)))
            if Bool.random(using: &random) {
                let number = Int.random(in: 0..<2, using: &random)
                let next = try await crowd.process(number).replaced()
                await crowd.replace(number, by: next)
                await crowd.count("process killed")
            } else {
                let name = world.database.name
                try await world.superuser { connection in
                    _ = try await connection.query(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = \(name) AND pid <> pg_backend_pid() ORDER BY random() LIMIT 3
                        """)
                }
                await crowd.count("backends killed")
            }
        }
    }
}
