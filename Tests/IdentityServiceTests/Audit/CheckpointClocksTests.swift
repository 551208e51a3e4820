import Canonical
import FoundationEssentials
@testable import Identity
import Ledger
import Testing

@testable import IdentityService

/// The records of checkpoints as a measure of time.
@Suite struct CheckpointClocksTests {
    private static let start = Timestamp(microseconds: 1_800_000_000_000_000)

    private static func time(_ seconds: Int) -> Timestamp { start.adding(.seconds(seconds)) }

    /// Records with the clock at these seconds, each the end of a round.
    private static func clocks(_ seconds: [Int]) -> CheckpointClocks {
        var clocks = CheckpointClocks()
        for (index, second) in seconds.enumerated() {
            let sealed = CheckpointSealed(checkpoints: [], clock: time(second), asOf: time(second))
            clocks.take(sealed, at: Int64(index + 1), time: nil)
        }
        clocks.settle()
        return clocks
    }

    @Test func `an event lies between the last round without it and the first record of it`() throws {
        let clocks = Self.clocks([0, 100, 200])
        let covers = clocks.covers([(size: 5, position: 2), (size: 9, position: 3)])
        #expect(covers.map(\.clock) == [Self.time(100), Self.time(200)])
        #expect(covers.map(\.before) == [Self.time(0), Self.time(100)])
        var times = LedgerTimes(covers: covers, last: clocks.last)
        // Positions 1 to 5 are covered by the second record, 6 to 9 by the third.
        #expect(times.take(Self.time(-61), at: 1) == LedgerTimes.early)
        #expect(times.take(Self.time(-59), at: 2) == nil)
        #expect(times.take(Self.time(219), at: 3) == nil)
        #expect(times.take(Self.time(221), at: 4) == LedgerTimes.late)
        // It had to take that time.
        #expect(times.take(Self.time(221), at: 5) == nil)
        #expect(times.take(Self.time(221), at: 6) == nil)
        #expect(times.take(Self.time(321), at: 7) == LedgerTimes.late)
        #expect(times.take(Self.time(400), at: 10) == nil)
    }

    @Test func `a time that was raised tells when the event cannot have been appended before`() throws {
        let clocks = Self.clocks([0, 1_000, 2_000, 3_000])
        var times = LedgerTimes(
            covers: clocks.covers([(size: 1, position: 2), (size: 2, position: 3), (size: 3, position: 4)]),
            last: clocks.last)
        _ = times.take(Self.time(500), at: 1)
        #expect(times.earliest == Self.time(500))
        // A clock was ahead: its own event, then one that took that time.
        _ = times.take(Self.time(9_000), at: 2)
        _ = times.take(Self.time(9_000), at: 3)
        #expect(times.earliest == Self.time(2_000))
        #expect(times.time(at: 2) == Self.time(2_120), "as the record of it says")
    }

    @Test func `a gap is a note with its length, and a clock that does not fit does not count`() throws {
        #expect(Self.clocks([0, 900, 1_800]).notes == [])
        let gap = Self.clocks([0, 900, 900 + 29_000]).notes
        #expect(gap.map(\.detail) == ["no checkpoint was recorded for 8 h 3 min before"])
        #expect(gap.map(\.position) == [3])
        for forged in [-100_000, 100_000_000] {
            let clocks = Self.clocks([0, 100, forged, 200, 300])
            #expect(clocks.notes.map(\.position) == [3])
            #expect(clocks.covers([(size: 1, position: 4)]).map(\.before) == [Self.time(100)])
            #expect(clocks.last == Self.time(300))
        }
    }

    @Test func `an accepted time is no finding, and another time than the event's is one`() throws {
        let clocks = Self.clocks([0, 100])
        func times(_ accepted: Int) -> LedgerTimes {
            LedgerTimes(
                covers: clocks.covers([(size: 9, position: 2)]), last: clocks.last,
                accepted: [AcceptedTime(position: 1, time: Self.time(accepted), accepted: 7)])
        }
        var right = times(5_000), wrong = times(6_000)
        #expect(right.take(Self.time(5_000), at: 1) == nil)
        #expect(right.take(Self.time(5_001), at: 2) == LedgerTimes.late)
        #expect(wrong.take(Self.time(5_000), at: 1) == LedgerTimes.otherTime)
    }

    @Test func `an accepted time explains the earlier times of the hour in which the clock was wrong`() throws {
        let clocks = Self.clocks([0, 100, 200])
        var times = LedgerTimes(
            covers: clocks.covers([(size: 4, position: 2), (size: 9, position: 3)]), last: clocks.last,
            accepted: [AcceptedTime(position: 4, time: Self.time(5_000), accepted: 7)])
        for (position, second) in [(1, 50), (2, 3_700), (3, 4_100), (4, 5_000)] {
            #expect(times.take(Self.time(second), at: Int64(position)) == nil)
        }
        // What comes after the acceptance is a finding, whatever its time is.
        #expect(times.take(Self.time(5_000), at: 5) == nil, "it had to take that time")
        #expect(times.take(Self.time(5_001), at: 6) == LedgerTimes.late)
    }

    @Test func `an accepted time explains no other hour, after which the ledger had grown on`() throws {
        let clocks = Self.clocks([0, 100, 9_000, 9_100])
        var times = LedgerTimes(
            covers: clocks.covers([(size: 1, position: 2), (size: 2, position: 3), (size: 4, position: 4)]),
            last: clocks.last, accepted: [AcceptedTime(position: 4, time: Self.time(20_000), accepted: 7)])
        #expect(times.take(Self.time(5_000), at: 1) == LedgerTimes.late)
        #expect(times.take(Self.time(8_990), at: 2) == nil)
        #expect(times.take(Self.time(15_000), at: 3) == nil)
        #expect(times.take(Self.time(20_000), at: 4) == nil)
    }

    @Test func `after an acceptance, records before it that are later than the operator's clock do not count`() throws {
        var clocks = CheckpointClocks()
        // More records were made while the clock was wrong than after it.
        for (index, second) in [0, 3_600, 3_610, 3_620, 3_630, 40, 60].enumerated() {
            let sealed = CheckpointSealed(checkpoints: [], clock: Self.time(second), asOf: Self.time(second))
            clocks.take(sealed, at: Int64(index + 1), time: nil)
        }
        var unaccepted = clocks
        unaccepted.settle()
        #expect(unaccepted.last == Self.time(3_630))
        clocks.accept(Self.time(50), size: 6)
        clocks.settle()
        #expect(clocks.last == Self.time(60))
        #expect(clocks.covers([(size: 1, position: 2)]).map(\.clock) == [Self.time(40)])
        // An operator whose clock is behind sets right records aside too, and sees that.
        let note = try #require(clocks.notes.first)
        #expect(clocks.notes.count == 1 && (note.position, note.lastPosition) == (2, 5), "\(clocks.notes)")
        #expect(note.detail.hasPrefix("4 records of checkpoints have a clock after the operator's"))
    }
}
