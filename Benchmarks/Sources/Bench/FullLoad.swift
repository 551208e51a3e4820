import Foundation

/// Callers who each call again as soon as they have their answer.
struct FullLoad: Sendable {
    /// Calls per second.
    let rate: Double
    /// Milliseconds of processor time for each call, of the program and of the server, or of the server alone; 0 if it is
    /// not known.
    let processorTime: Double

    /// Measures the load.
    ///
    /// - Parameters:
    ///   - others: Processes whose processor time counts, with that of their children.
    ///   - ofServer: Whether this program's own time does not count.
    static func run<Caller: Sendable>(
        _ callers: [Caller], _ seconds: Int, _ postmaster: Int, _ others: [Int] = [], ofServer: Bool = false,
        _ call: @escaping @Sendable (Caller) async throws -> Void
    ) async throws -> FullLoad {
        let start = ContinuousClock.now, deadline = start + .seconds(seconds)
        let (count, used) = try await ProcessorTime.of(postmaster, others) {
            try await withThrowingTaskGroup(of: Int.self) { group in
                for caller in callers {
                    group.addTask {
                        var count = 0
                        while ContinuousClock.now < deadline {
                            try await call(caller)
                            count += 1
                        }
                        return count
                    }
                }
                return try await group.reduce(0, +)
            }
        }
        return FullLoad(
            rate: Double(count) / (ContinuousClock.now - start).inSeconds,
            processorTime: (used.map { ofServer ? $0.server.inSeconds * 1e6 : $0.microseconds } ?? 0) / 1_000
                / Double(count))
    }
}
