import Canonical
import Foundation
import Postgres
import Testing
import TestSupport

/// Registrations, logins, guesses, changes of credentials, decisions, reclaims and erasures at two processes while
/// processes, connections and the server itself are broken, and then a look at everything that must hold whatever
/// happened. `make soak` runs it; `RandomisedInvariantsTests` tests what it ends with.
@Suite(
    .enabled(if: ThrowawayCluster.isAvailable, "\(ThrowawayCluster.hint)"),
    .enabled(if: Seeded.isWanted, "make soak runs it: TENURE_SOAK_SECONDS is not set"), .serialized)
struct `A randomised run` {
    @Test(.timeLimit(.minutes(70)))
    func `loses, repeats or skips nothing and reveals nothing to others`() async throws {
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
        let violations = try await RandomisedInvariants(world: world, crowd: crowd, follower: follower).violations()
        #expect(violations == [], "\(said)")
        for process in await crowd.processes { process.kill() }
    }

    /// Until the time is over; on a machine so slow that hardly anybody came by then, a while longer.
    private static func goesOn(_ crowd: Crowd, until end: ContinuousClock.Instant) async -> Bool {
        if ContinuousClock.now < end { return true }
        return await crowd.accounts.count <= 3 && ContinuousClock.now < end + .seconds(120)
    }
}

/// The checks that a randomised run ends with find what they are there for.
@Suite(.onOneServer)
struct `The invariants of a randomised run` {
    @Test func `hold for a lawful history`() async throws {
        try await inTurn { world in
            try await world.database.withPool(as: .reader) { pool in
                let scene = try await SabotageScene(world, pool)
                #expect(try await scene.invariants.violations() == [])
            }
        }
    }

    @Test(arguments: RandomisedInvariant.allCases)
    func `are reported as broken exactly when they are`(invariant: RandomisedInvariant) async throws {
        try await inTurn { world in
            try await world.database.withPool(as: .reader) { pool in
                let scene = try await SabotageScene(world, pool)
                #expect(try await scene.invariants.violations(of: invariant) == [])
                let expected = try await scene.sabotage(invariant)
                var invariants = scene.invariants
                invariants.patience = .seconds(1)
                let found = try await invariants.violations(of: invariant)
                #expect(found.contains { $0.detail.contains(expected) }, "\(expected) is not in \(found)")
            }
        }
    }
}

struct `The plan of a randomised run` {
    @Test func `follow a plan that depends only on the seed`() {
        for actor in 0..<4 {
            let steps = Array(StepPlan(seed: 7, actor: actor).prefix(500))
            #expect(steps == Array(StepPlan(seed: 7, actor: actor).prefix(500)))
            #expect(steps != Array(StepPlan(seed: 8, actor: actor).prefix(500)))
        }
        let damage = Array(DisturbancePlan(seed: 7).prefix(100))
        #expect(damage == Array(DisturbancePlan(seed: 7).prefix(100)))
        #expect(damage != Array(DisturbancePlan(seed: 8).prefix(100)))
    }

    @Test func `follow a plan with every kind of step, and every kind of damage before any repeats`() {
        #expect(PlannedStep.Kind.allCases.map(\.rawValue).reduce(0, +) == 100)
        let steps = StepPlan(seed: .random(in: 0...UInt64.max), actor: 0).prefix(2_000).map(\.kind)
        #expect(Set(steps) == Set(PlannedStep.Kind.allCases))
        let damage = DisturbancePlan(seed: .random(in: 0...UInt64.max)).prefix(PlannedDisturbance.Kind.allCases.count)
        #expect(Set(damage.map(\.kind)) == Set(PlannedDisturbance.Kind.allCases))
    }
}
