import CCounters
import Canonical
import Foundation
import Ledger
import Postgres

/// How often memory is asked for, and how many instructions a call takes: the same under any load, so a gate and not a
/// measurement. Instructions are those of one compiler and one kind of processor, and left out where nobody counts them.
///
/// The numbers aimed at are those that were reached, and a tenth more for instructions; a change that needs more has to
/// say why.
struct AllocationBench: Benchmark {
    static let name = "allocations"
    static let measures: [Measure] = [
        .outlineAllocations, .readingAllocations, .hashAllocations, .writingAllocations, .outlineInstructions,
        .readingInstructions, .hashInstructions, .writingInstructions,
    ]

    private static let database = "bench_allocations"
    private static let entries = 100

    private let stored: [StoredEntry]

    /// Appends some events and reads them back, because only the log makes entries.
    init(cluster: Cluster, plan: Plan) async throws {
        try await cluster.makeDatabase(Self.database)
        let application = try cluster.configuration(Self.database, as: "tenure_app")
        stored = try await withPostgresPool(configuration: application, logger: Cluster.logger) { pool in
            let appender = Appender(pool: pool, logger: Cluster.logger)
            async let running: Void = appender.run()
            let stream = StreamID(ledger: LedgerID(UUID()), kind: "thing", id: UUID())
            let events = (0..<Self.entries).map { _ in
                NewEvent(
                    id: UUID(), stream: stream, type: "SessionOpened",
                    data: [
                        "sessionId": .uuid(UUID()), "employeeId": .uuid(UUID()),
                        "fingerprint": .string(String(repeating: "ab", count: 32)),
                        "expiresAt": "2026-01-01T00:00:00.000000Z",
                    ], actor: UUID(), app: UUID(), requestId: "bench")
            }
            _ = try await appender.append(Append(events: events, expectations: [stream: 0]))
            appender.stop()
            try await running
            return try await LedgerReader(pool: pool).entries(
                of: stream.ledger, after: 0, limit: Self.entries, without: []
            ).entries
        }
    }

    func measure(_ repetition: Int, _ results: inout Results) async throws {
        let events = try stored.map { try $0.event() }
        let calls: [(allocations: Measure, instructions: Measure, body: (Int) throws -> Void)] = [
            (.outlineAllocations, .outlineInstructions, { _ = CanonicalOutline(stored[$0].bytes) }),
            (.readingAllocations, .readingInstructions, { _ = try stored[$0].event() }),
            (.hashAllocations, .hashInstructions, { _ = MerkleTree.leafHash(stored[$0].bytes) }),
            (.writingAllocations, .writingInstructions, { _ = events[$0].data.canonicalBytes() }),
        ]
        for call in calls {
            // The first calls are not counted, because they fill tables.
            for index in stored.indices { try call.body(index) }
            results.record(call.allocations, try allocations(call.body))
            if let count = try instructions(call.body) { results.record(call.instructions, count) }
        }
    }

    /// The allocations of one call, over all entries.
    private func allocations(_ body: (Int) throws -> Void) throws -> Double {
        let before = tenure_allocation_count()
        for index in stored.indices { try body(index) }
        return Double(tenure_allocation_count() - before) / Double(stored.count)
    }

    /// The instructions of one call, over all entries; nil where nobody counts them.
    private func instructions(_ body: (Int) throws -> Void) throws -> Double? {
        let counter = tenure_instructions_open()
        guard counter >= 0 else { return nil }
        defer { tenure_instructions_close(counter) }
        let before = tenure_instructions_read(counter)
        for index in stored.indices { try body(index) }
        let count = tenure_instructions_read(counter) - before
        return count == 0 ? nil : Double(count) / Double(stored.count)
    }
}

extension Measure {
    static let outlineAllocations = Measure("allocations: outline of an entry", unit: "", goal: .atMost(1))
    static let readingAllocations = Measure("allocations: an entry read in full", unit: "", goal: .atMost(30))
    static let hashAllocations = Measure("allocations: leaf hash", unit: "", goal: .atMost(2))
    static let writingAllocations = Measure("allocations: data written canonically", unit: "", goal: .atMost(2))
    static let outlineInstructions = Measure("instructions: outline of an entry", unit: "", goal: .atMost(9_700))
    static let readingInstructions = Measure("instructions: an entry read in full", unit: "", goal: .atMost(122_000))
    static let hashInstructions = Measure("instructions: leaf hash", unit: "", goal: .atMost(4_700))
    static let writingInstructions = Measure("instructions: data written canonically", unit: "", goal: .atMost(14_800))
}
