import Canonical
import FoundationEssentials
import Postgres

/// A batch whose appends do not depend on each other, as the array parameters of `tenure.append_independent`.
///
/// No append writes to a stream that another one names, uses another one's event id, or touches a claim. Several may
/// expect the same version of a stream that none of them writes to. All can therefore be decided against one state, and
/// nearly always all are recorded.
struct IndependentBatch {
    private let batch: [PreparedAppend]
    private let ledgers: [LedgerID]
    /// For each event of the batch: the index of its ledger in `ledgers`, and its place within that ledger, from 1.
    private var places: [(ledger: Int, place: Int)] = []

    /// Returns `nil` if two appends depend on each other, one has claims, or their times need a decision.
    /// ``AppendBatch`` can record those.
    init?(_ batch: [PreparedAppend]) {
        guard Self.areIndependent(batch), Self.haveUsualTimes(batch) else { return nil }
        self.batch = batch
        var ledgers: Set<LedgerID> = []
        for prepared in batch {
            for (stream, _) in prepared.expectations { ledgers.insert(stream.ledger) }
        }
        self.ledgers = ledgers.sorted()
        let indices = Dictionary(uniqueKeysWithValues: self.ledgers.enumerated().map { ($1, $0) })
        var counts = [Int](repeating: 0, count: ledgers.count)
        for prepared in batch {
            for event in prepared.append.events {
                guard let ledger = indices[event.stream.ledger] else { return nil }
                counts[ledger] += 1
                places.append((ledger, counts[ledger]))
            }
        }
    }

    /// Whether all times are permitted by their own appends, have one tolerance, and run forwards in each ledger.
    private static func haveUsualTimes(_ batch: [PreparedAppend]) -> Bool {
        var latest: [LedgerID: Timestamp] = [:]
        for prepared in batch {
            guard prepared.tolerance == batch[0].tolerance, !prepared.isLate(prepared.time),
                prepared.acceptedTimes.isEmpty
            else { return false }
            guard batch.count > 1 else { return true }
            for event in prepared.append.events {
                if let before = latest[event.stream.ledger], before > prepared.time { return false }
                latest[event.stream.ledger] = prepared.time
            }
        }
        return true
    }

    private static func areIndependent(_ batch: [PreparedAppend]) -> Bool {
        var written: Set<StreamID> = [], guarded: Set<StreamID> = [], ids: Set<UUID> = []
        for prepared in batch {
            let append = prepared.append
            guard append.claims.isEmpty, append.releases.isEmpty else { return false }
            for event in append.events where !ids.insert(event.id).inserted { return false }
            for (stream, _) in prepared.expectations {
                if written.contains(stream) { return false }
                guard prepared.writes(stream) else { continue }
                if guarded.contains(stream) { return false }
            }
            for (stream, _) in prepared.expectations {
                if prepared.writes(stream) { written.insert(stream) } else { guarded.insert(stream) }
            }
        }
        return true
    }

    /// The call of `tenure.append_independent`.
    var sql: SQL {
        var counts = [Int32](repeating: 0, count: ledgers.count)
        var earliest = [PostgresTimestamp](repeating: PostgresTimestamp(batch[0].time), count: ledgers.count)
        var latest = earliest
        var kinds: [String] = [], streams: [UUID] = [], versions: [Int32] = [], ids: [UUID] = [], types: [String] = []
        var times: [PostgresTimestamp] = [], entries: [[UInt8]] = [], codes: [[UInt8]] = []
        var expected: (ledgers: [UUID], kinds: [String], streams: [UUID], versions: [Int32]) = ([], [], [], [])
        for prepared in batch {
            let time = PostgresTimestamp(prepared.time)
            for (index, event) in prepared.append.events.enumerated() {
                let ledger = places[times.count].ledger
                if counts[ledger] == 0 { earliest[ledger] = time }
                latest[ledger] = time
                counts[ledger] += 1
                kinds.append(event.stream.kind)
                streams.append(event.stream.id)
                versions.append(Int32(prepared.versions[index]))
                ids.append(event.id)
                types.append(event.type)
                times.append(time)
                entries.append(prepared.entries[index])
                codes.append(prepared.code(ofEvent: index))
            }
            for (stream, version) in prepared.expectations where version > 0 || !prepared.writes(stream) {
                expected.ledgers.append(stream.ledger.uuid)
                expected.kinds.append(stream.kind)
                expected.streams.append(stream.id)
                expected.versions.append(Int32(version))
            }
        }
        return """
            SELECT tenure.append_independent(\(batch[0].tolerance), \(ledgers.map(\.uuid)), \(counts), \(earliest),
            \(latest),
            \(places.map { Int32($0.ledger + 1) }), \(places.map { Int32($0.place) }), \(kinds), \(streams),
            \(versions), \(ids), \(types), \(times), \(entries), \(codes),
            \(expected.ledgers), \(expected.kinds), \(expected.streams), \(expected.versions))
            """
    }

    /// Reads the function's result as one outcome for each append. Returns `nil` if nothing was written.
    func read(_ rows: [PostgresRow]) throws -> [Result<AppendReceipt, LedgerError>]? {
        guard let row = rows.first, rows.count == 1 else { throw UnexpectedOutcome() }
        guard let sizes = try row.decode([Int64]?.self) else { return nil }
        guard sizes.count == ledgers.count else { throw UnexpectedOutcome() }
        var places = places[...]
        return batch.map { prepared in
            let positions = places.prefix(prepared.append.events.count).map { sizes[$0.ledger] + Int64($0.place) }
            places = places.dropFirst(positions.count)
            return .success(
                AppendReceipt(
                    events: prepared.append.events, positions: positions, time: prepared.time, wasDuplicate: false))
        }
    }
}

extension PreparedAppend {
    /// Whether the append adds events to the stream, rather than only expecting its version.
    fileprivate func writes(_ stream: StreamID) -> Bool { append.events.contains { $0.stream == stream } }
}
