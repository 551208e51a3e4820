import Foundation
import Postgres

/// `Bench [--long]`: measures on the cluster of `TENURE_BENCH_SOCKET` and prints a table; `scripts/bench` starts it.
@main struct Bench {
    static func main() async {
        do {
            let plan = try Plan(arguments: Array(CommandLine.arguments.dropFirst()))
            let cluster = try Cluster(environment: ProcessInfo.processInfo.environment)
            let results = try await Bench(plan: plan, cluster: cluster).run()
            print(results.table)
        } catch {
            Terminal.say("bench: \(error)")
            exit(1)
        }
    }

    let plan: Plan
    let cluster: Cluster

    /// Measures everything once in each repetition, so that what disturbs the machine for a while touches all of it.
    private func run() async throws -> Results {
        let log = try await LogBench(cluster: cluster, plan: plan)
        let credentials = try CredentialBench()
        let logins = try await LoginBench(cluster: cluster, plan: plan)
        var results = Results(cores: ProcessInfo.processInfo.activeProcessorCount)
        for repetition in 1...plan.repetitions {
            Terminal.say("repetition \(repetition) of \(plan.repetitions), load \(Terminal.loadAverage)")
            // Another order each time, so that nothing always runs in the wake of the same thing.
            var steps: [(inout Results) async throws -> Void] = [
                { try await log.measure(repetition, &$0) }, { try credentials.measure(&$0) },
                { try await logins.measure(&$0) },
            ]
            steps = Array(steps[(repetition % steps.count)...] + steps[..<(repetition % steps.count)])
            for step in steps { try await step(&results) }
            results.endRepetition()
        }
        return results
    }
}
