import Canonical
import Identity
import Ledger

/// The records of checkpoints, and the database's clock in them.
///
/// A clock runs forward. Records whose clock does not fit that of the others, the fewest possible, say nothing about the
/// times of events: somebody may have appended one, or the server's clock was set back.
///
/// Memory grows by some 60 bytes for each record.
struct CheckpointClocks: Sendable {
    /// One record.
    private struct Record: Sendable {
        let position: Int64
        let clock: Timestamp
        let asOf: Timestamp?
        let isCurrent: Bool
        /// Whether the event has a time of its own: the system ledger was not ahead.
        let isOwn: Bool
        var isValid = true
        /// Whether it is later than the operator's clock when they accepted a time.
        var isSetAside = false
        /// The clock before the last complete round before this record.
        var before: Timestamp?
    }

    /// The longest time between two rounds of a running service.
    static let interval = Duration.seconds(900)
    /// By how much clocks of one database may differ, on several nodes or after a failover.
    private static let tolerance = Duration.seconds(60)

    private var records: [Record] = []
    /// The latest clocks that records up to a position may have.
    private var accepted: [(size: Int64, latest: Timestamp)] = []
    /// The clock before the last complete round.
    private(set) var last: Timestamp?

    /// Takes the next record. One with a clock that is far behind the time at which it was appended says nothing.
    ///
    /// - Parameter time: The time of the event, if it was not raised to that of the event before.
    mutating func take(_ sealed: CheckpointSealed, at position: Int64, time: Timestamp?) {
        let clock = sealed.clock
        let isCurrent = time.map { $0 <= clock.adding(LedgerTimes.lead) } ?? true
        records.append(
            Record(
                position: position, clock: clock, asOf: sealed.asOf.map { min($0, clock) }, isCurrent: isCurrent,
                isOwn: time != nil))
    }

    /// Takes the time by the operator's clock at which the system ledger had some events. The operator then accepted
    /// that the database's clock had been ahead: records among these events that are later say nothing.
    mutating func accept(_ time: Timestamp, size: Int64) { accepted.append((size, time.adding(LedgerTimes.lead))) }

    /// Decides which records count, after all were read.
    mutating func settle() {
        for (index, record) in records.enumerated() {
            records[index].isSetAside = accepted.contains {
                record.position <= $0.size && $0.latest < record.clock
            }
        }
        let current = records.indices.filter { records[$0].isCurrent && !records[$0].isSetAside }
        let valid = Self.longestRun(current.map { records[$0].clock }).map { current[$0] }
        if valid.count < records.count {
            for index in records.indices { records[index].isValid = false }
            for index in valid { records[index].isValid = true }
        }
        last = nil
        for index in records.indices {
            records[index].before = last
            if records[index].isValid, let asOf = records[index].asOf { last = max(last ?? asOf, asOf) }
        }
    }

    /// What the records say about a ledger, for the records that have its size.
    func covers(_ sizes: [(size: Int64, position: Int64)]) -> [LedgerTimes.Cover] {
        sizes.map { size, position in
            let index = first(from: position)
            let next = records[index...].first(where: \.isValid)
            return LedgerTimes.Cover(
                size: size, clock: next?.clock, before: index < records.count ? records[index].before : last)
        }
    }

    /// The clock of the first record from a position on, if a complete round came before.
    func clock(from position: Int64) -> Timestamp? {
        let index = first(from: position)
        guard index < records.count, records[index].before != nil else { return nil }
        return records[index...].first(where: \.isValid)?.clock
    }

    /// Whether the clock had passed a time at a position of the system ledger that was not ahead then.
    func hasPassed(_ time: Timestamp, in positions: ClosedRange<Int64>) -> Bool {
        records.contains { $0.isValid && $0.isOwn && positions.contains($0.position) && time <= $0.clock }
    }

    /// A later reading of the clock, or the newest recorded one if that is later: then the reading is of a server whose
    /// clock is behind, such as one that a backup was restored on.
    func latest(_ now: Timestamp) -> Timestamp { max(now, records.last(where: \.isValid)?.clock ?? now) }

    private func first(from position: Int64) -> Int {
        var range = records.startIndex..<records.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range = records[middle].position < position ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// The notes on the records: times in which nothing was signed, and clocks that do not fit.
    var notes: [VerifyNote] {
        gaps + Self.uncounted(outliers, "that does not fit the others")
            + Self.uncounted(
                records.filter(\.isSetAside).map(\.position), "after the operator's at which a time was accepted")
    }

    private var gaps: [VerifyNote] {
        var notes: [VerifyNote] = []
        var before: Timestamp?
        for record in records where record.isValid && record.asOf != nil {
            defer { before = record.asOf }
            guard let before, let asOf = record.asOf else { continue }
            let length = asOf.duration(since: before)
            guard length > Self.interval + Self.tolerance else { continue }
            notes.append(
                VerifyNote(
                    ledger: .system, position: record.position, lastPosition: record.position,
                    detail: "no checkpoint was recorded for \(Self.words(length)) before"))
        }
        return notes
    }

    /// The positions of records whose clock does not fit, but for those that an acceptance explains.
    private var outliers: [Int64] {
        records.indices.filter { index in
            guard !records[index].isValid, !records[index].isSetAside else { return false }
            let clock = records[index].clock
            let next = records[index...].first(where: \.isValid)?.clock ?? clock
            let previous = records[..<index].last(where: \.isValid)?.clock ?? clock
            return clock > next.adding(Self.tolerance) || clock < previous.adding(.zero - Self.tolerance)
        }.map { records[$0].position }
    }

    /// One note on records that do not count; none without any.
    private static func uncounted(_ positions: [Int64], _ clock: String) -> [VerifyNote] {
        guard let first = positions.first, let last = positions.last else { return [] }
        let count = positions.count
        let what = count == 1 ? "1 record of checkpoints has" : "\(count) records of checkpoints have"
        return [
            VerifyNote(
                ledger: .system, position: first, lastPosition: last,
                detail: "\(what) a clock \(clock), and does not count for the times of events")
        ]
    }

    /// A length in hours and minutes.
    private static func words(_ length: Duration) -> String {
        let minutes = length.components.seconds / 60
        return minutes < 60 ? "\(minutes) min" : "\(minutes / 60) h \(minutes % 60) min"
    }

    /// The indices of a longest part of the clocks that runs forward.
    private static func longestRun(_ clocks: [Timestamp]) -> [Int] {
        if zip(clocks, clocks.dropFirst()).allSatisfy({ $0 <= $1 }) { return Array(clocks.indices) }
        // The last index of the best run of each length, and the index before each.
        var ends: [Int] = [], previous = [Int](repeating: -1, count: clocks.count)
        for (index, clock) in clocks.enumerated() {
            var low = 0, high = ends.count
            while low < high {
                let middle = (low + high) / 2
                if clocks[ends[middle]] <= clock { low = middle + 1 } else { high = middle }
            }
            if low > 0 { previous[index] = ends[low - 1] }
            if low == ends.count { ends.append(index) } else { ends[low] = index }
        }
        var run: [Int] = [], index = ends.last ?? -1
        while index >= 0 {
            run.append(index)
            index = previous[index]
        }
        return run.reversed()
    }
}
