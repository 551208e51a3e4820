import Canonical
import Foundation
import TestSupport
import Testing

@testable import Ledger

/// Which batches may go the short way. Needs no database.
@Suite struct IndependentBatchTests {
    private let ledger = LedgerID(UUID())

    private func isIndependent(_ appends: [Append]) throws -> Bool {
        IndependentBatch(try appends.map { try PreparedAppend($0, codes: .test, tolerance: nil) }) != nil
    }

    private func guarding(_ stream: StreamID, at version: Int) -> Append {
        var append = Append.test(.test(ledger))
        append.expectations[stream] = version
        return append
    }

    @Test func `callers of different streams are independent, even with a common guard`() throws {
        let tenant = StreamID.test(ledger)
        #expect(try isIndependent([.test(.test(ledger)), .test(.test(ledger), events: 3), .test(.test())]))
        #expect(try isIndependent([guarding(tenant, at: 4), guarding(tenant, at: 4)]))
    }

    @Test func `callers of a stream that one of them writes are dependent, in any order`() throws {
        let stream = StreamID.test(ledger)
        #expect(try !isIndependent([.test(stream), .test(stream, expecting: 1)]))
        #expect(try !isIndependent([.test(stream), guarding(stream, at: 1)]))
        #expect(try !isIndependent([guarding(stream, at: 0), .test(stream)]))
        // The same kind and id in another ledger is another stream.
        #expect(
            try isIndependent([.test(stream), .test(StreamID(ledger: LedgerID(UUID()), kind: "thing", id: stream.id))]))
    }

    @Test func `callers with the same event id are dependent`() throws {
        let one = Append.test(.test(ledger))
        var two = Append.test(.test(ledger))
        two.events[0].id = one.events[0].id
        #expect(try !isIndependent([one, two]))
    }

    @Test func `one caller with a claim makes its whole batch take the general path`() throws {
        let key = ClaimKey(ledger: ledger, kind: "email", digest: Array(repeating: 1, count: 32))
        var taking = Append.test(.test(ledger)), giving = Append.test(.test(ledger))
        taking.claims = [Claim(key: key, owner: UUID())]
        giving.releases = [ClaimRelease(key: key, owner: nil)]
        #expect(try !isIndependent([taking]))
        #expect(try !isIndependent([.test(.test(ledger)), giving]))
    }

    @Test func `a time inserted into encoded bytes gives the same bytes as encoding with it`() throws {
        let early = Timestamp(microseconds: 1_700_000_000_000_001),
            late = Timestamp(microseconds: 1_800_000_000_999_999)
        var append = Append.test(.test(ledger), events: 2, note: #""time":"x","type":"y"}"#, time: early)
        var changed = try PreparedAppend(append, codes: .test, tolerance: nil)
        changed.setTime(late)
        append.time = late
        #expect(
            changed.entries == (try PreparedAppend(append, codes: .test, tolerance: nil)).entries
                && changed.time == late)
    }

    @Test func `times never decrease within a batch or between batches`() throws {
        let now = Timestamp.now(), other = LedgerID(UUID())
        var latest = LatestTimes()
        func raised(_ seconds: [(LedgerID, Int)]) throws -> [Timestamp] {
            var batch = try seconds.map { ledger, second in
                try PreparedAppend(
                    .test(.test(ledger), time: now.adding(.seconds(second))), codes: .test, tolerance: nil)
            }
            latest.raise(&batch)
            return batch.map(\.time)
        }
        func times(_ seconds: [Int]) -> [Timestamp] { seconds.map { now.adding(.seconds($0)) } }
        #expect(try raised([(ledger, 3), (ledger, 1), (other, 2), (ledger, 5)]) == times([3, 3, 2, 5]))
        #expect(try raised([(ledger, 4), (other, 1), (ledger, 6), (LedgerID(UUID()), 0)]) == times([5, 2, 6, 0]))
    }
}
