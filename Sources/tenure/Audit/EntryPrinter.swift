import EventCoding
import FoundationEssentials
import Keys
import Ledger
import Projections

/// Prints all events of a ledger as NDJSON from the bytes of their entries. It reads the next page while it renders
/// one.
struct EntryPrinter: Sendable {
    /// The number of events in a page. Two pages are in memory at a time.
    private static let pageSize = 4_000
    /// The number of parts of a page that are rendered concurrently.
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
            for part in try await lines(page.entries) where !part.isEmpty {
                output.write(String(decoding: part, as: UTF8.self))
            }
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
    private func lines(_ entries: [StoredEntry]) async throws -> [[UInt8]] {
        guard let ledger = entries.first?.ledger else { return [] }
        var owners: Set<UUID> = []
        for entry in entries { SealedBytesRange.owners(entry.bytes, into: &owners) }
        let keys = try await log.personKeys(Array(owners), in: ledger)
        let size = (entries.count + Self.width - 1) / Self.width
        return try await withThrowingTaskGroup(of: (Int, [UInt8]).self) { group in
            for start in stride(from: 0, to: entries.count, by: size) {
                let part = entries[start..<min(start + size, entries.count)]
                group.addTask { (start, try Self.lines(part, keys)) }
            }
            var parts: [(Int, [UInt8])] = []
            for try await part in group { parts.append(part) }
            return parts.sorted { $0.0 < $1.0 }.map(\.1)
        }
    }

    /// Renders the lines of entries.
    ///
    /// - Throws: `LedgerError` for bytes that are not an entry.
    static func lines(_ entries: ArraySlice<StoredEntry>, _ keys: [UUID: PersonKey]?) throws -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(entries.reduce(0) { $0 + $1.bytes.count + 32 })
        for entry in entries where !EntryLine.append(entry, keys: keys, to: &output) {
            output += Array(JSONLines.line(OpenedEvent(try entry.event(), keys: keys).json).utf8)
        }
        return output
    }
}
