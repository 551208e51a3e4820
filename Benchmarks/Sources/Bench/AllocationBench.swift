import CAllocationCount
import Canonical
import Foundation
import Ledger
import Postgres

/// How often memory is asked for, which is the same on every machine and under any load: a gate, not a measurement.
///
/// The numbers aimed at are those that were reached; a change that needs more has to say why.
struct AllocationBench: Benchmark {
    static let name = "allocations"
    static let measures: [Measure] = [
        .outlineAllocations, .readingAllocations, .hashAllocations, .writingAllocations,
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
        results.record(.outlineAllocations, try count { _ = CanonicalOutline(stored[$0].bytes) })
        results.record(.readingAllocations, try count { _ = try stored[$0].event() })
        results.record(.hashAllocations, try count { _ = MerkleTree.leafHash(stored[$0].bytes) })
        results.record(.writingAllocations, try count { _ = events[$0].data.canonicalBytes() })
    }

    /// The allocations of one call, over all entries; the first calls are not counted, because they fill tables.
    private func count(_ body: (Int) throws -> Void) throws -> Double {
        for index in stored.indices { try body(index) }
        let before = tenure_allocation_count()
        for index in stored.indices { try body(index) }
        return Double(tenure_allocation_count() - before) / Double(stored.count)
    }
}

extension Measure {
    static let outlineAllocations = Measure("allocations: outline of an entry", unit: "", goal: .atMost(1))
    static let readingAllocations = Measure("allocations: an entry read in full", unit: "", goal: .atMost(30))
    static let hashAllocations = Measure("allocations: leaf hash", unit: "", goal: .atMost(2))
    static let writingAllocations = Measure("allocations: data written canonically", unit: "", goal: .atMost(2))
}
