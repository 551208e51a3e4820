import Canonical
import FoundationEssentials
import Ledger
import Postgres
import Testing

/// What the API says of one company after a randomised run.
struct CompanyLog: Sendable {
    let company: String
    let events: [JSONValue]
    /// The registrations by the id of the employee.
    let registered: [String: JSONValue]
    /// The ids of employees who are erased.
    let erased: Set<String>

    init(_ company: String, _ events: [JSONValue]) {
        self.company = company
        self.events = events
        var registered: [String: JSONValue] = [:], erased: Set<String> = []
        for event in events {
            guard let id = event["data"]?["employeeId"]?.text else { continue }
            switch event["type"]?.text {
            case "EmployeeRegistered": registered[id] = event
            case "EmployeeErased": erased.insert(id)
            default: break
            }
        }
        self.registered = registered
        self.erased = erased
    }

    /// All events of a type.
    func events(_ type: String) -> [JSONValue] { events.filter { $0["type"]?.text == type } }

    /// The ids of employees whose names were given back: a log-in under such a name is answered by a decoy.
    var released: Set<String> {
        Set(events("EmployeeIdReleased").compactMap { $0["data"]?["employeeId"]?.text })
    }

    /// The employee whom the event at a position is about.
    func employee(at position: Int64?) -> String? {
        events.first { $0["position"]?.number == position }?["data"]?["employeeId"]?.text
    }

    /// What a registration says of an employee, unless the employee is erased.
    func said(_ member: String, of employee: String) -> String? {
        erased.contains(employee) ? nil : registered[employee]?["data"]?[member]?.text
    }

    /// The ids that are erased and may still be read.
    var legible: [String] {
        erased.filter { id in
            ["companyEmployeeId", "email"].contains { name in
                let text = registered[id]?["data"]?[name]?.text
                return text != nil && text != "[erased]"
            }
        }
    }
}

/// Follows all ledgers of a database while others write, are killed and start again, as a projection does: by what
/// changed since its last look, from one cursor for each ledger.
actor FeedFollower {
    private let reader: LedgerReader
    private var mark: FeedMark?
    private var cursors: [LedgerID: Int64] = [:]
    /// The ids of events in the order in which they were read.
    private(set) var seen: [LedgerID: [UUID]] = [:]
    /// What no reader may ever meet.
    private(set) var gaps: [String] = []

    /// Follows over a pool of the reader role.
    init(pool: PostgresPool) { reader = LedgerReader(pool: pool, codes: .unchecked, storesTiles: false) }

    /// Looks again and again; a look whose connection is cut is made anew from the same cursors.
    func follow(until end: ContinuousClock.Instant) async throws {
        while ContinuousClock.now < end {
            do { try await look() } catch is LedgerError {}
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// Reads everything that there is after nobody writes any more.
    func catchUp() async throws { try await look() }

    private func look() async throws {
        let changes = try await reader.changes(since: mark)
        let changed: [LedgerID: Int64]
        if let known = changes.ledgers {
            changed = known
        } else {
            changed = try await reader.changedLedgers(since: cursors)
        }
        for ledger in changed.keys { try await read(ledger) }
        // Only now: whatever failed before this is looked for again.
        mark = changes.mark
    }

    private func read(_ ledger: LedgerID) async throws {
        while true {
            let page = try await reader.ledger(ledger, after: cursors[ledger, default: 0], limit: 200)
            for event in page.events {
                let expected = cursors[ledger, default: 0] + 1
                if event.position != expected { gaps.append("\(ledger) \(expected) → \(event.position)") }
                cursors[ledger] = event.position
                seen[ledger, default: []].append(event.id)
            }
            guard page.hasMore else { return }
        }
    }
}
