import CCounters
import Canonical
import Foundation
import Ledger
import TestSupport

/// Counts the allocations of the calls that read the log most often, and ends with status 1 when a limit is exceeded.
///
/// `scripts/test` runs it with the build of the tests, beside a PostgreSQL server. The counts are the same under any
/// load, so they are a gate and not a measurement. They belong to optimised code: a debug build allocates more.
@main struct AllocationGate {
    private static let entries = 100

    /// A call and the allocations that it may make. A change that needs more has to say why.
    private struct Call {
        let name: String
        let limit: Double
        let body: (Int) throws -> Void
    }

    private let stored: [CodedEntry]
    private let events: [RecordedEvent]

    static func main() async throws {
        guard tenure_counts_allocations() else {
            say("allocations are not counted here: the C library is not glibc")
            return
        }
        let stored = try await storedEntries()
        let gate = AllocationGate(stored: stored, events: try stored.map { try $0.event() })
        guard try gate.holds() else { exit(1) }
    }

    /// Appends events and reads them back, because only the log makes entries.
    private static func storedEntries() async throws -> [CodedEntry] {
        let stream = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
        let events = (0..<entries).map { _ in
            NewEvent(
                id: UUID(), stream: stream, type: "SessionOpened",
                data: [
                    "sessionId": .uuid(UUID()), "employeeId": .uuid(UUID()),
                    "fingerprint": .string(String(repeating: "ab", count: 32)),
                    "expiresAt": "2026-01-01T00:00:00.000000Z",
                ], actor: UUID(), app: UUID(), requestId: "allocations")
        }
        return try await TestDatabase.with { database in
            try await database.withAppender { appender, pool in
                _ = try await appender.append(Append(events: events, expectations: [stream: 0]))
                let page = try await LedgerReader(pool: pool).entries(
                    of: stream.ledger, after: 0, limit: entries, without: [])
                return page.entries
            }
        }
    }

    private var calls: [Call] {
        [
            Call(name: "outline of an entry", limit: 1) { _ = CanonicalOutline(stored[$0].bytes) },
            Call(name: "an entry read in full", limit: 30) { _ = try stored[$0].event() },
            Call(name: "leaf hash", limit: 2) { _ = MerkleTree.leafHash(stored[$0].bytes) },
            Call(name: "data written canonically", limit: 2) { _ = events[$0].data.canonicalBytes() },
        ]
    }

    /// Prints the counts and tells whether all are within their limits.
    private func holds() throws -> Bool {
        guard stored.count == Self.entries else {
            Self.say("\(stored.count) entries were read back instead of \(Self.entries)")
            return false
        }
        var holds = true
        for call in calls {
            let count = try allocations(call.body)
            let isWithin = count > 0 && count <= call.limit
            let verdict = isWithin ? "" : "  EXCEEDED"
            Self.say("\(call.name): \(count) allocations, at most \(call.limit)\(verdict)")
            if let instructions = try instructions(call.body) { Self.say("    \(instructions) instructions") }
            holds = holds && isWithin
        }
        return holds
    }

    /// The allocations of one call, over all entries. The first calls are not counted, because they fill tables.
    private func allocations(_ body: (Int) throws -> Void) throws -> Double {
        for index in stored.indices { try body(index) }
        let before = tenure_allocation_count()
        for index in stored.indices { try body(index) }
        return Double(tenure_allocation_count() - before) / Double(stored.count)
    }

    /// The instructions of one call, over all entries, or `nil` where the system does not count them. They belong to one
    /// compiler and one kind of processor, so they are printed and have no limit.
    private func instructions(_ body: (Int) throws -> Void) throws -> Int? {
        let counter = tenure_instructions_open()
        guard counter >= 0 else { return nil }
        defer { tenure_instructions_close(counter) }
        let before = tenure_instructions_read(counter)
        for index in stored.indices { try body(index) }
        let count = tenure_instructions_read(counter) - before
        return count == 0 ? nil : Int(count) / stored.count
    }

    private static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }
}
