import ArgumentParser
import Canonical
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Holds the live views against the log, one company at a time, and prints where they differ.
struct ComparePrinter: Sendable {
    /// How long a view that follows may take to read as far as the log was read here.
    private static let patience: Duration = .seconds(10)

    let session: ReaderSession
    let log: EventLog
    let json: Bool

    /// - Throws: The exit code 5 when anything differs.
    func run(_ selection: ReplaySelection) async throws {
        let ledgers = selection.ledgers.filter(\.id.isTenant)
        let progress = ProgressReport("companies", unit: "companies", total: Int64(ledgers.count))
        var differences: [ViewDifference] = []
        for (index, (ledger, _)) in ledgers.enumerated() {
            differences += try await compare(TenantID(ledger.uuid))
            progress.update(done: Int64(index + 1))
        }
        progress.finish()
        DifferenceText.print(differences, json: json, on: .standardOutput())
        Output.standardError().line(
            differences.isEmpty
                ? "The live views of \(ledgers.count) companies are as the log says."
                : "\(differences.count) differences from the log. tenure rebuild mends them.")
        if !differences.isEmpty { throw ExitCode.drift }
    }

    /// A view can be compared only at the position that was folded, so what is ahead is folded on, and what is behind is
    /// waited for.
    private func compare(_ tenant: TenantID) async throws -> [ViewDifference] {
        let deadline = ContinuousClock.now + Self.patience
        let views = LiveViews(pool: session.pool)
        var state = try await StateAt(reader: log.reader).company(tenant)
        var waiting = Set(ProjectionName.all)
        var differences: [ViewDifference] = []
        while true {
            let (compared, found) = try await views.compare(state, of: tenant)
            differences += found.filter { waiting.contains($0.view) }
            waiting.subtract(compared)
            guard !waiting.isEmpty, ContinuousClock.now < deadline else { break }
            try await Task.sleep(for: .milliseconds(100))
            state = try await StateAt(reader: log.reader).company(tenant, onto: state)
        }
        let stopped = waiting.sorted().map { view in
            ViewDifference(
                view: view, table: view.rawValue, tenant: tenant, key: "",
                kind: .stopped(position: state.position, reason: "the view has not read the log to its end"))
        }
        return differences + stopped
    }
}
