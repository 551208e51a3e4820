import EventCoding
import FoundationEssentials
import Keys
import Ledger
import Projections

/// Prints all events of a ledger as NDJSON. It reads the next page while it renders one.
struct EntryPrinter: Sendable {
    /// The number of events in a page. Two pages are in memory at a time.
    private static let pageSize = 4_000
    /// The number of parts of a page that are parsed and rendered concurrently.
    private static let width = 2

    let log: EventLog
    let output: Output

    /// Prints the events of a ledger between two positions.
    ///
    /// - Parameter reached: Called after each page with the position up to which everything was printed.
    /// - Returns: The position up to which the ledger was read.
    func print(
        _ ledger: LedgerID, _ range: EventLog.Range, _ reached: (Int64) throws -> Void
    ) async throws -> Int64 {
        let last = range.toPosition ?? .max
        var page = try await read(ledger, after: max((range.fromPosition ?? 1) - 1, 0), last)
        while true {
            let (cursor, isEnd) = (page.cursor, page.cursor >= min(page.size, last))
            async let following = isEnd ? nil : read(ledger, after: cursor, last)
            for part in try await lines(page.entries) where !part.isEmpty { try output.write(utf8: part) }
            try reached(cursor)
            guard let next = try await following else { return cursor }
            page = next
        }
    }

    private func read(_ ledger: LedgerID, after position: Int64, _ last: Int64) async throws -> EntryPage {
        try await log.reader.entries(
            of: ledger, after: position, through: last, limit: Self.pageSize, without: [])
    }

    /// Renders the lines of a page, part by part.
    private func lines(_ entries: [CodedEntry]) async throws -> [[UInt8]] {
        guard let ledger = entries.first?.ledger else { return [] }
        let size = (entries.count + Self.width - 1) / Self.width
        let parts = stride(from: 0, to: entries.count, by: size).map { entries[$0..<min($0 + size, entries.count)] }
        let forms = try await Self.inParallel(parts) { part in try part.map(Form.init) }
        var owners: Set<UUID> = []
        for form in forms.joined() { form.addOwners(to: &owners) }
        let keys = try await log.personKeys(Array(owners), in: ledger)
        return try await Self.inParallel(forms) { Self.lines($0, keys) }
    }

    /// An entry, ready for its line.
    private enum Form: Sendable {
        case plain(EntryLine)
        case parsed(RecordedEvent)

        init(_ entry: CodedEntry) throws {
            self = if let line = EntryLine(entry) { .plain(line) } else { .parsed(try entry.event()) }
        }

        func addOwners(to owners: inout Set<UUID>) {
            switch self {
            case .plain(let line): for owner in line.owners { owners.insert(owner) }
            case .parsed(let event): owners.formUnion(OpenedEvent.owners(event))
            }
        }
    }

    private static func lines(_ forms: [Form], _ keys: [UUID: PersonKey]?) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(forms.count * 1_024)
        for form in forms {
            switch form {
            case .plain(let line): line.append(to: &output, keys)
            case .parsed(let event): output += lines([event], keys)
            }
        }
        return output
    }

    /// Transforms the parts of a page concurrently. The results are in the order of the parts.
    private static func inParallel<Part: Sendable, Result: Sendable>(
        _ parts: [Part], _ transform: @escaping @Sendable (Part) throws -> Result
    ) async throws -> [Result] {
        try await withThrowingTaskGroup(of: (Int, Result).self) { group in
            for (index, part) in parts.enumerated() { group.addTask { (index, try transform(part)) } }
            var results: [(Int, Result)] = []
            for try await result in group { results.append(result) }
            return results.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    static func lines(_ events: [RecordedEvent], _ keys: [UUID: PersonKey]?) -> [UInt8] {
        var output: [UInt8] = []
        for event in events { output += Array(JSONLines.line(OpenedEvent(event, keys: keys).json).utf8) }
        return output
    }
}
