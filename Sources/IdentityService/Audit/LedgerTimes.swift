import Canonical
import Identity
import Ledger

/// Holds the times of one ledger's events against the database's clock, as the records of checkpoints have it.
///
/// An event was appended after the last complete round that does not cover it, and before the record that does. The rule
/// binds from the first complete round on. It tells a wrong time apart from one that was raised: within a ledger time
/// never runs backwards, so an event whose own time is earlier than that of the one before takes that one's.
///
/// Memory grows by 8 bytes for each event, and by some 50 for each record of the ledger.
struct LedgerTimes: Sendable {
    /// A record of a checkpoint of the ledger.
    struct Cover: Sendable {
        /// The number of events that it covers.
        let size: Int64
        /// The database's clock when the ledger had been read; `nil` if no record that counts has one.
        let clock: Timestamp?
        /// The clock before the last complete round before; `nil` if there was none.
        let before: Timestamp?
    }

    /// By how much an event may be earlier than the last round that does not cover it: what a commit may take.
    static let delay: Duration = .seconds(60)
    /// By how much an event may be later than the record that covers it: the append allows a minute, and a round may take
    /// one.
    static let lead: Duration = .seconds(120)
    /// What is wrong with an event that is too early.
    static let early = "the event is earlier than a checkpoint that was recorded before it"
    /// What is wrong with an event that is too late.
    static let late = "the event is later than the checkpoint that covers it"
    /// What is wrong with an event that is later than the present.
    static let future = "the event is later than the database's clock"
    /// What is wrong with an acceptance of an event that the ledger lacks.
    static let lacking = "the operator accepted the time of an event that the ledger lacks"
    /// What is wrong with an acceptance of another time.
    static let otherTime = "the operator accepted another time than that of the event"

    private var covers: ArraySlice<Cover>
    /// The clock before the last complete round so far.
    private var last: Timestamp?
    private var times: [Timestamp] = []
    /// Whether every time is kept, and positions came without a gap.
    private var isWhole: Bool
    /// The last time that is earlier than the present one.
    private var earlier: Timestamp?
    /// The present event's time, and whether it is its own or was raised.
    private(set) var present: Timestamp?
    private var isOwn = true
    private var position: Int64 = 0
    private var request: String?
    /// The bounds of the present event.
    private var bounds: (earliest: Timestamp?, latest: Timestamp?) = (nil, nil)
    /// The times that the operator accepted, and the last position that may have moved the ledger there.
    private let accepted: [AcceptedTime]
    /// The database's clock before the ledger was read.
    private let now: Timestamp?
    /// The events without a record that are later.
    private var ahead: [(position: Int64, time: Timestamp)] = []

    /// - Parameters:
    ///   - covers: The records of the ledger, by size.
    ///   - last: The clock before the last complete round of all.
    ///   - now: The database's clock before the ledger is read; `nil` if it is unknown.
    ///   - accepted: The times of this ledger that the operator accepted.
    ///   - keepsTimes: Whether ``time(at:)`` is needed.
    init(
        covers: [Cover] = [], last: Timestamp? = nil, now: Timestamp? = nil, accepted: [AcceptedTime] = [],
        keepsTimes: Bool = true
    ) {
        self.now = now
        self.covers = covers[...]
        self.last = last
        self.accepted = accepted
        isWhole = keepsTimes
    }

    /// Notes a complete round: the next events of the system ledger come after it.
    mutating func note(asOf time: Timestamp) { last = time }

    /// Takes the next event, and returns what is wrong with its time or `nil`.
    ///
    /// Only an event that moved the ledger's time is reported as too late; those after it had to take that time.
    ///
    /// - Parameter request: The id of the event's request, which the events of one append have in common.
    mutating func take(_ time: Timestamp, at position: Int64, request: String? = nil) -> String? {
        let isMover = present.map { $0 < time } ?? true
        isOwn = isMover || isOwn && request != nil && request == self.request
        if isMover { earlier = present }
        present = time
        self.request = request
        self.position = position
        while let cover = covers.first, cover.size < position { covers = covers.dropFirst() }
        let cover = covers.first
        bounds = (cover == nil ? last : cover?.before, cover?.clock)
        keep(min(time, bounds.latest?.adding(Self.lead) ?? time), at: position)
        if accepted.contains(where: { $0.position == position && $0.time != time }) { return Self.otherTime }
        if let earliest = bounds.earliest, time < earliest.adding(.zero - Self.delay) { return Self.early }
        guard isMover, bounds.earliest != nil, let latest = bounds.latest ?? now, latest.adding(Self.lead) < time else {
            return nil
        }
        guard !accepted.contains(where: { $0.excuses(time, at: position) && !hasGrown(past: time, before: $0) }) else {
            return nil
        }
        guard bounds.latest == nil else { return Self.late }
        // It may have been appended meanwhile.
        ahead.append((position, time))
        return nil
    }

    /// Whether the clock had passed a time, the present event's, when the ledger grew on to the one that was accepted.
    /// Then the ledger was ahead twice, and nobody accepted the first time.
    private func hasGrown(past time: Timestamp, before acceptance: AcceptedTime) -> Bool {
        covers.contains { $0.size < acceptance.position && $0.clock.map { time <= $0 } ?? false }
    }

    /// The acceptances of events that the ledger lacks, by their positions in the system ledger.
    var unmet: [Int64] { accepted.filter { $0.position > position }.map(\.accepted) }

    /// The present event's time if it is its own, and was not raised.
    var ownTime: Timestamp? { isOwn ? present : nil }

    /// The events that no record covers and that are later than the database's clock.
    func ahead(of now: Timestamp) -> [Int64] {
        ahead.filter { now.adding(Self.lead) < $0.time }.map(\.position)
    }

    private mutating func keep(_ time: Timestamp, at position: Int64) {
        if position != Int64(times.count) + 1 { isWhole = false }
        if isWhole { times.append(time) }
    }

    /// The earliest time at which the present event may have been appended.
    ///
    /// A time that was raised says nothing: then it is that of the last event with another time, or of the last round
    /// that does not cover the event. `nil` if nothing is known.
    var earliest: Timestamp? {
        guard let present else { return nil }
        // A ledger that was moved ahead proves nothing by its times.
        let latest = (bounds.latest ?? now)?.adding(Self.lead)
        guard !isOwn || latest.map({ $0 < present }) ?? false else { return present }
        let known = [earlier, bounds.earliest].compactMap(\.self).filter { $0 <= present }.max()
        guard let latest, let known, latest < known else { return known }
        return bounds.earliest
    }

    /// The time of an event that a signer saw: not later than it can have been.
    func time(at position: Int64) -> Timestamp? {
        guard isWhole, position > 0, position <= Int64(times.count) else { return nil }
        return times[Int(position) - 1]
    }
}

/// A time of a ledger that is ahead, and that the operator accepted.
struct AcceptedTime: Sendable, Equatable {
    /// The position of the ledger's last event then.
    let position: Int64
    /// The time of that event.
    let time: Timestamp
    /// The position of the acceptance in the system ledger.
    let accepted: Int64

    /// Whether it explains that an event is ahead of the clock: one that is neither later in the ledger nor of a later
    /// time than the accepted one. Other events of the hour in which the clock was wrong have earlier times.
    func excuses(_ time: Timestamp, at position: Int64) -> Bool { position <= self.position && time <= self.time }
}
