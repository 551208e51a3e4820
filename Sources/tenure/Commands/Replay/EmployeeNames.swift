import Canonical
import FoundationEssentials
import Identity
import Ledger
import Projections

/// The names of employees of one company, read from their registrations when they are first needed.
struct EmployeeNames {
    /// How many are remembered at most; then all are forgotten and read again.
    private static let capacity = 10_000

    private let source: any EventSource
    private let ledger: LedgerID
    private(set) var names: [UUID: String] = [:]

    init(_ source: any EventSource, _ ledger: LedgerID) {
        self.source = source
        self.ledger = ledger
    }

    /// Reads the names that some events mention and that are not known yet.
    mutating func learn(_ events: [OpenedEvent]) async throws {
        if names.count > Self.capacity { names = [:] }
        try await learn(ids: events.flatMap(EventWords.people))
    }

    /// Reads the names of some employees that are not known yet.
    mutating func learn(ids: some Sequence<UUID>) async throws {
        let unknown = Set(ids).subtracting(names.keys)
        guard ledger.isTenant, !unknown.isEmpty else { return }
        for event in try await source.registrations(of: Array(unknown), in: ledger) {
            // Nobody is called [sealed]: without keys an id says more.
            guard case .string(let name)? = event.data["companyEmployeeId"], name != OpenedEvent.sealed else {
                continue
            }
            names[event.recorded.stream.id] = name
        }
    }
}
