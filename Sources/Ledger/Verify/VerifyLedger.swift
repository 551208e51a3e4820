public import Postgres

/// Verifies one ledger in the database from its entries.
///
/// Every entry is read, hashed and parsed; columns, head, versions, stored tiles and expected roots are held against
/// what comes out. Events are judged on all cores, page by page, while the next page is fetched.
public struct VerifyLedger: Sendable {
    /// How many events are fetched at once: whole tiles, so that each is compared once.
    static let pageSize = 2_048
    private let reader: LedgerReader

    /// Verifies over a pool of the reader role.
    public init(pool: PostgresPool) { reader = LedgerReader(pool: pool, storesTiles: false) }

    /// What became of one ledger.
    public struct Report: Sendable {
        /// How many events were verified.
        public let events: Int64
        /// What is wrong, in the order of positions as far as they are known.
        public let violations: [Violation]
    }

    /// Verifies a ledger up to its size at the time of the call.
    ///
    /// - Parameters:
    ///   - roots: What is known of its tree otherwise.
    ///   - inspector: Judges what events say; it is the caller's again afterwards.
    ///   - progress: Told how many events were verified since the last call.
    /// - Throws: ``LedgerError`` when the database cannot be read; never for what is in it.
    public func run<Inspector: EventInspector>(
        _ ledger: LedgerID, expecting roots: [ExpectedRoot], inspector: inout Inspector,
        progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> Report {
        var verifier = LedgerVerifier(ledger: ledger, expecting: roots)
        let size = try await reader.head(ledger)?.size ?? 0
        var page = try await fetch(ledger, after: 0, to: size)
        while let last = page.last {
            async let next = fetch(ledger, after: last.position, to: size)
            let judged = await judge(page, ledger, inspector)
            for one in judged {
                verifier.take(one.checked)
                if let words = one.words { verifier.report(.signature, at: one.checked.position, words) }
                if let event = one.checked.event {
                    if let words = inspector.follow(event) {
                        verifier.report(.signature, at: event.position, words)
                    }
                } else {
                    inspector.pass(one.checked.leaf, at: one.checked.position, of: ledger)
                }
            }
            try await compareTiles(&verifier)
            progress(page.count)
            page = try await next
        }
        if verifier.size < size {
            verifier.report(
                .missing, at: verifier.size + 1, "the head counts \(size) events; the last ones are missing")
        }
        verifier.finish()
        try await LedgerRows(reader: reader).check(&verifier, readTo: size)
        // Exact places before places that hashes only tell to lie within a range.
        let violations = verifier.violations.enumerated().sorted {
            ($0.element.lastPosition ?? .max, $0.offset) < ($1.element.lastPosition ?? .max, $1.offset)
        }
        return Report(events: verifier.size, violations: violations.map(\.element))
    }

    private func fetch(_ ledger: LedgerID, after position: Int64, to last: Int64) async throws -> [StoredEvent] {
        guard position < last else { return [] }
        let sql = StoredEvent.rows(ledger, after: position, to: last, limit: Self.pageSize)
        return try await reader.rows(sql, [ledger], StoredEvent.init)
    }

    private func compareTiles(_ verifier: inout LedgerVerifier) async throws {
        let made = verifier.takeTiles()
        guard !made.isEmpty else { return }
        let stored = try await LedgerRows(reader: reader).tiles(verifier.ledger, made.map { ($0.level, $0.index) })
        for (level, index, tile) in made {
            guard let row = stored["\(level)/\(index)"] else { continue }
            let first = index * MerkleTile.leaves(belowLevel: level + 1) + 1
            if let offset = tile.hashes.indices.first(where: { row.hash($0) != tile.hashes[$0][...] }) {
                let position = first + Int64(offset) * MerkleTile.leaves(belowLevel: level)
                verifier.report(.tile, at: position, "tile \(level)/\(index) has another hash than the entry")
            } else if row.root != tile.root {
                verifier.report(.tile, at: first, "tile \(level)/\(index) has another root than its hashes")
            }
        }
    }

    /// One row, held against its entry and judged by itself.
    private struct Judged: Sendable {
        let checked: CheckedEvent
        let words: String?
    }

    private func judge(
        _ page: [StoredEvent], _ ledger: LedgerID, _ inspector: some EventInspector
    ) async -> [Judged] {
        let step = 256
        return await withTaskGroup(of: (Int, [Judged]).self) { group in
            for start in stride(from: 0, to: page.count, by: step) {
                let part = page[start..<min(start + step, page.count)]
                group.addTask { (start, await Self.judge(part, ledger, inspector)) }
            }
            var parts: [(Int, [Judged])] = []
            for await part in group { parts.append(part) }
            return parts.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }

    /// Arithmetic for a few milliseconds; the pool has a thread for each core, which is what this is for.
    @concurrent
    private static func judge(
        _ part: ArraySlice<StoredEvent>, _ ledger: LedgerID, _ inspector: some EventInspector
    ) async -> [Judged] {
        part.map { row in
            let checked = row.checked(ledger, for: inspector)
            return Judged(checked: checked, words: checked.event.flatMap(inspector.inspect))
        }
    }
}

extension LedgerVerifier {
    mutating func report(_ kind: Violation.Kind, at position: Int64?, _ words: String) {
        report(Violation(kind, ledger: ledger, position: position, words))
    }
}
