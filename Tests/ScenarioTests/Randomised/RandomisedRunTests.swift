import Canonical
import Foundation
import Postgres
import TestSupport
import Testing

/// Registrations, logins, guesses, changes of credentials, decisions, reclaims and erasures at two processes while
/// processes, connections and the server itself are broken, and then a look at everything that must hold whatever
/// happened. `make soak` runs it for long.
@Suite(.enabled(if: ThrowawayCluster.isAvailable, "\(ThrowawayCluster.hint)"), .serialized)
struct `A randomised run` {
    @Test(.timeLimit(.minutes(70)))
    func `leaves nothing lost, doubled, skipped or seen by others`() async throws {
        let seed = Seeded.chosen
        print("randomised run: TENURE_SOAK_SEED=\(seed) TENURE_SOAK_SECONDS=\(Seeded.seconds)")
        // A server of its own, because the one that all tests share must not crash.
        try await ThrowawayCluster.with { cluster in
            try await inTurn(on: cluster.url) { world in
                try await world.database.withPool(as: .reader) { pool in
                    let follower = FeedFollower(pool: pool)
                    let proxy = try CuttingProxy(url: cluster.url, .before, count: 0)
                    defer { proxy.stop() }
                    try await ServiceProcess.with(2, in: world, through: [proxy.url]) { processes in
                        let crowd = Crowd(processes)
                        let damage = Disturbances(cluster: cluster, world: world, crowd: crowd, proxy: proxy)
                        try await Self.run(damage, follower, seed)
                    }
                }
            }
        }
    }

    private static func run(_ damage: Disturbances, _ follower: FeedFollower, _ seed: UInt64) async throws {
        let world = damage.world, crowd = damage.crowd
        let admin = try await world.client.found(RandomisedSteps.owner)
        try await world.confirmDomain(of: RandomisedSteps.owner)
        // Known, but nobody's to change: whoever takes addresses back logs in as the security admin.
        await crowd.unanswered(admin.person)
        let steps = RandomisedSteps(world: world, crowd: crowd, admin: admin)
        let end = ContinuousClock.now + .seconds(Seeded.seconds)
        try await withThrowingTaskGroup { group in
            for actor in 0..<4 {
                group.addTask {
                    for (number, step) in StepPlan(seed: seed, actor: actor).enumerated() {
                        guard await goesOn(crowd, until: end) else { return }
                        await steps.take(step, name: "e\(actor)-\(number)")
                    }
                }
            }
            group.addTask { try await follower.follow(until: end) }
            group.addTask {
                for disturbance in DisturbancePlan(seed: seed) {
                    try await Task.sleep(for: .milliseconds(disturbance.pause))
                    guard ContinuousClock.now < end else { return }
                    try await damage.take(disturbance)
                }
            }
            try await group.waitForAll()
        }
        try await damage.end()
        let said = "seed \(seed), \(await crowd.counts.sorted { $0.key < $1.key })"
        print("randomised run: \(said)")
        #expect(await crowd.accounts.count > 3, "\(said)")
        let invariants = RandomisedInvariants(world: world, crowd: crowd, said: said)
        try await invariants.check()
        for process in await crowd.processes { process.kill() }
        try await invariants.checkFeed(follower)
    }

    /// Until the time is over; on a machine so slow that hardly anybody came by then, a while longer.
    private static func goesOn(_ crowd: Crowd, until end: ContinuousClock.Instant) async -> Bool {
        if ContinuousClock.now < end { return true }
        return await crowd.accounts.count <= 3 && ContinuousClock.now < end + .seconds(120)
    }
}
