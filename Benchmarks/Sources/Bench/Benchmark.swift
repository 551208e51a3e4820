/// A part of the tables: a file of its own, which says its rows and measures them. To add one, add it to ``Bench/all``.
protocol Benchmark: Sendable {
    /// What `--only` calls it.
    static var name: String { get }
    /// Its ratios of processor times, in the order of the first table.
    static var pairs: [PairedMeasure] { get }
    /// Its other rows, in the order of the second table.
    static var measures: [Measure] { get }

    /// Prepares databases and whatever else must not be measured.
    init(cluster: Cluster, plan: Plan) async throws

    /// Measures everything once; repetitions count from 1.
    func measure(_ repetition: Int, _ results: inout Results) async throws
}

extension Benchmark {
    static var pairs: [PairedMeasure] { [] }
    static var measures: [Measure] { [] }
}
