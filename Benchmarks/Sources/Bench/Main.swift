import Foundation
import Postgres

/// `Bench [--long] [--only NAME]…`: measures on the cluster of `TENURE_BENCH_SOCKET` and prints two tables;
/// `scripts/bench` starts it. Ratios of processor times go into the file of `TENURE_BENCH_JSON` too.
@main struct Bench {
    /// In the order of the tables.
    static let all: [any Benchmark.Type] = [
        LogBench.self, StateLoadBench.self, EventSourcingBench.self, FeedLagBench.self, AuditBench.self,
        CredentialBench.self,
        LoginBench.self, PasskeyBench.self, BlindLoginBench.self, MPinBench.self, OpenIDBench.self,
    ]

    static func main() async {
        do {
            let plan = try Plan(arguments: Array(CommandLine.arguments.dropFirst()), names: all.map { $0.name })
            let environment = ProcessInfo.processInfo.environment
            let bench = Bench(plan: plan, cluster: try Cluster(environment: environment))
            let results = try await bench.run()
            print("\(results.pairsTable)\n\n\(results.table)")
            if let path = environment["TENURE_BENCH_JSON"] { try bench.write(results, to: path) }
        } catch {
            Terminal.say("bench: \(error)")
            exit(1)
        }
    }

    let plan: Plan
    let cluster: Cluster

    /// The parts that were wanted.
    private var chosen: [any Benchmark.Type] {
        Self.all.filter { plan.only.isEmpty || plan.only.contains($0.name) }
    }

    /// Writes the ratios of processor times by part.
    private func write(_ results: Results, to path: String) throws {
        let parts = Dictionary(uniqueKeysWithValues: chosen.map { ($0.name, results.rows(of: $0.pairs)) })
        let data = try JSONEncoder().encode(["parts": parts.filter { !$0.value.isEmpty }])
        try data.write(to: URL(fileURLWithPath: path))
    }

    /// Measures everything once in each repetition, so that what disturbs the machine for a while touches all of it.
    private func run() async throws -> Results {
        var results = Results(pairs: chosen.flatMap { $0.pairs }, measures: chosen.flatMap { $0.measures })
        var benchmarks: [any Benchmark] = []
        for type in chosen { benchmarks.append(try await type.init(cluster: cluster, plan: plan)) }
        for repetition in 1...plan.repetitions {
            Terminal.say("repetition \(repetition) of \(plan.repetitions), load \(Terminal.loadAverage)")
            // Another order each time, so that nothing always runs in the wake of the same thing.
            let first = repetition % benchmarks.count
            for benchmark in benchmarks[first...] + benchmarks[..<first] {
                try await benchmark.measure(repetition, &results)
            }
            results.endRepetition()
        }
        return results
    }
}
