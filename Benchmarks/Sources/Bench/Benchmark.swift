/// A part of the table: a file of its own, which says its rows and measures them. To add one, add it to ``Bench/all``.
protocol Benchmark: Sendable {
    /// What `--only` calls it.
    static var name: String { get }
    /// Its rows, in the order of the table.
    static var measures: [Measure] { get }

    /// Prepares databases and whatever else must not be measured.
    init(cluster: Cluster, plan: Plan) async throws

    /// Measures everything once; repetitions count from 1.
    func measure(_ repetition: Int, _ results: inout Results) async throws
}
