public import Postgres

/// Verifies one ledger in the database from its entries.
///
/// ```swift
/// var inspector = UncriticalInspector()
/// let verifier = CheckStoredLedger(pool: readerPool)
/// let report = try await verifier.run(ledger, expecting: roots, inspector: &inspector)
/// for violation in report.violations { print(violation) }
/// ```
///
/// It reads, hashes and parses every entry, and compares the result with columns, head, versions, stored tiles and
/// expected roots. All cores inspect one page of events while the next page is fetched.
public struct CheckStoredLedger: Sendable {
    /// How many events are fetched at once: whole tiles, so that each tile is compared once.
    static let pageSize = 2_048
    private let reader: LedgerReader

    /// A verification over a pool of the reader role.
    ///
    /// - Parameter disowned: The rows that count for nothing; their leaves are in the tree.
    public init(pool: PostgresPool, disowned: DisownedEntries = DisownedEntries()) {
        reader = LedgerReader(pool: pool, codes: .unchecked(disowned: disowned), storesTiles: false)
    }

    /// The result of verifying one ledger.
    public struct Report: Sendable {
        /// How many events were verified.
        public let events: Int64
        /// What is wrong, in the order of positions as far as they are known.
        public let violations: [Violation]
    }

    /// Verifies a ledger up to its size at the time of the call.
    ///
    /// - Parameters:
    ///   - ledger: The ledger.
    ///   - roots: Roots of its tree that are known from other sources.
    ///   - inspector: Inspects the content of events. The caller gets it back with its state.
    ///   - progress: Called with the number of events verified since the last call.
    /// - Throws: ``LedgerError/Code/unavailable`` or ``LedgerError/Code/cancelled`` if the database cannot be read;
    ///   never for what is in it.
    public func run<Inspector: EventInspector>(
        _ ledger: LedgerID, expecting roots: [ExpectedRoot], inspector: inout Inspector,
        progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> Report {
        var verifier = EntryTrail(ledger: ledger, expecting: roots)
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
                } else if let words = inspector.pass(
                    one.checked.leaf, at: one.checked.position, one.checked.time, of: ledger)
                {
                    verifier.report(.signature, at: one.checked.position, words)
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
        // Exact positions come before positions that hashes only narrow down to a range.
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

    private func compareTiles(_ verifier: inout EntryTrail) async throws {
        let made = verifier.takeTiles()
        guard !made.isEmpty else { return }
        let stored = try await LedgerRows(reader: reader).tiles(verifier.ledger, made.map { ($0.level, $0.index) })
        for (level, index, tile) in made {
            guard let row = stored["\(level)/\(index)"] else { continue }
            let first = index * MerkleTile.leaves(belowLevel: level + 1) + 1
            if let offset = tile.hashes.indices.first(where: { row.hash($0) != tile.hashes[$0][...] }) {
                let position = first + Int64(offset) * MerkleTile.leaves(belowLevel: level)
                verifier.report(.tile, at: position, "tile \(level)/\(index) does not have the entry's hash")
            } else if row.root != tile.root {
                verifier.report(.tile, at: first, "tile \(level)/\(index) does not have the root of its hashes")
            }
        }
    }

    /// One row, compared with its entry and inspected.
    private struct Judged: Sendable {
        let checked: CheckedEvent
        let words: String?
    }

    private func judge(
        _ page: [StoredEvent], _ ledger: LedgerID, _ inspector: some EventInspector
    ) async -> [Judged] {
        let step = 256, disowned = reader.codes.disowned
        return await withTaskGroup(of: (Int, [Judged]).self) { group in
            for start in stride(from: 0, to: page.count, by: step) {
                let part = page[start..<min(start + step, page.count)]
                group.addTask { (start, await Self.judge(part, ledger, inspector, disowned)) }
            }
            var parts: [(Int, [Judged])] = []
            for await part in group { parts.append(part) }
            return parts.sorted { $0.0 < $1.0 }.flatMap(\.1)
        }
    }

    /// Computes for a few milliseconds. The concurrent executor has a thread for each core, which is meant for this.
    @concurrent
    private static func judge(
        _ part: ArraySlice<StoredEvent>, _ ledger: LedgerID, _ inspector: some EventInspector,
        _ disowned: DisownedEntries
    ) async -> [Judged] {
        part.map { row in
            let checked = row.checked(ledger, disowned, for: inspector)
            return Judged(checked: checked, words: checked.event.flatMap(inspector.inspect))
        }
    }
}

extension EntryTrail {
    mutating func report(_ kind: Violation.Kind, at position: Int64?, _ words: String) {
        report(Violation(kind, ledger: ledger, position: position, words))
    }
}

/// Verifies one ledger of a bundle by the rules that hold for the database.
///
/// ```swift
/// let bundle = try BundleReader(directory: "export")
/// try bundle.verifyCheckpoints(key)
/// var inspector = UncriticalInspector()
/// for part in bundle.manifest.parts {
///     let report = try await CheckBundledLedger(bundle).run(part, expecting: [], inspector: &inspector)
/// }
/// ```
///
/// A ledger that is stored whole is verified completely. The versions of its streams are remembered, so memory grows
/// with their number. Of a ledger stored in part, each entry is proved and inspected by itself.
public struct CheckBundledLedger: Sendable {
    private let bundle: BundleReader
    private let disowned: DisownedEntries

    /// A verification of an opened bundle.
    ///
    /// - Parameter disowned: The entries that count for nothing; their leaves are in the tree.
    public init(_ bundle: BundleReader, disowned: DisownedEntries = DisownedEntries()) {
        self.bundle = bundle
        self.disowned = disowned
    }

    /// Verifies one ledger of the bundle.
    ///
    /// - Parameters:
    ///   - part: The ledger's part of the bundle.
    ///   - roots: Roots of the ledger's tree that are known from other sources.
    ///   - inspector: Inspects the content of events.
    ///   - progress: Called with the number of events verified since the last call.
    /// - Throws: ``ProofError/Code/fileFailed`` if the bundle cannot be read; never for what is in it.
    public func run<Inspector: EventInspector>(
        _ part: BundleManifest.Part, expecting roots: [ExpectedRoot], inspector: inout Inspector,
        progress: @Sendable (Int) -> Void = { _ in }
    ) async throws -> CheckStoredLedger.Report {
        let isWhole = part.content == .whole
        // Of a ledger stored in part, only the root of its checkpoint can be compared.
        let known = isWhole ? roots.filter { $0.size <= part.size } : []
        var verifier = EntryTrail(ledger: part.ledger, expecting: known)
        var versions: [StreamID: Int] = [:]
        // Who made a disowned entry chose its version, which its stream then passes over.
        var gaps = disowned.positions(in: part.ledger).count
        var events: Int64 = 0
        for root in roots where root.size == part.size && root.root != bundle.checkpoint(part.ledger)?.checkpoint.root {
            verifier.report(
                .checkpoint, at: nil, "the checkpoint has another root than \(root.source) at size \(root.size)")
        }
        do {
            try await bundle.readEntries(part) { entry, position in
                events += 1
                let leaf = MerkleTree.leafHash(entry)
                if disowned.leaf(at: .init(ledger: part.ledger, position: position)) == leaf {
                    guard isWhole else { return }
                    verifier.take(
                        CheckedEvent(position: position, leaf: leaf, time: nil, event: nil, violation: nil))
                    _ = verifier.takeTiles()
                    if let words = inspector.pass(leaf, at: position, nil, of: part.ledger) {
                        verifier.report(.signature, at: position, words)
                    }
                    return
                }
                let event = try bundle.event(entry, part, at: position, leaf: leaf)
                if let words = inspector.inspect(event) { verifier.report(.signature, at: event.position, words) }
                if isWhole {
                    verifier.take(
                        CheckedEvent(
                            position: event.position, leaf: event.leaf, time: event.time, event: event,
                            violation: nil))
                    _ = verifier.takeTiles()
                    let passed = event.streamVersion - versions[event.stream, default: 0] - 1
                    gaps -= max(0, passed)
                    if passed < 0 || (passed > 0 && gaps < 0) {
                        verifier.report(.stream, at: event.position, "the versions of a stream are not 1, 2, 3 …")
                    }
                    versions[event.stream] = event.streamVersion
                }
                if isWhole || event.ledger == .system, let words = inspector.follow(event) {
                    verifier.report(.signature, at: event.position, words)
                }
                if events % 1_024 == 0 { progress(1_024) }
            }
        } catch let error as ProofError {
            guard error.code != .fileFailed else { throw error }
            verifier.report(error.code == .rootMismatch ? .root : .entry, at: error.position, error.reason)
        } catch let error as LedgerError {
            verifier.report(.entry, at: nil, error.reason)
        }
        progress(Int(events % 1_024))
        return CheckStoredLedger.Report(events: events, violations: verifier.violations)
    }
}
