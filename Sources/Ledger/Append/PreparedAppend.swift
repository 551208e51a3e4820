import Canonical

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An append that follows the rules which need no database, with the bytes of its entries.
struct PreparedAppend: Sendable {
    /// The greatest number of events of one append.
    static let maximumEvents = 4_096

    let append: Append
    /// The version of each event in its stream.
    let versions: [Int]
    /// All expectations in one order, so that one conflict of several is always the same.
    let expectations: [(stream: StreamID, version: Int)]
    private(set) var entries: [[UInt8]] = []
    private(set) var time: Timestamp

    /// How many bytes its entries have.
    var byteCount: Int { entries.reduce(0) { $0 + $1.count } }

    /// Checks and encodes.
    ///
    /// - Throws: ``LedgerError/Code/invalidEvent`` or ``LedgerError/Code/entryTooLarge``.
    init(_ append: Append) throws(LedgerError) {
        self.append = append
        time = append.time
        try Self.checkExpectations(append)
        versions = try Self.versions(append)
        // Sorting makes texts of ids, and nearly every append has one expectation.
        expectations = append.expectations.map { ($0.key, $0.value) }
            .sorted { ($0.stream.ledger, $0.stream.text) < ($1.stream.ledger, $1.stream.text) }
        try Self.checkClaims(append)
        entries.reserveCapacity(append.events.count)
        for (event, version) in zip(append.events, versions) {
            entries.append(try Entry.encode(event, version: version, time: time))
        }
    }

    /// Puts another time into the entries; their length does not depend on it.
    mutating func setTime(_ time: Timestamp) {
        for index in entries.indices {
            Entry.setTime(time, in: &entries[index], type: append.events[index].type)
        }
        self.time = time
    }

    private static func versions(_ append: Append) throws(LedgerError) -> [Int] {
        guard !append.events.isEmpty else { throw LedgerError(.invalidEvent, "an append has no events") }
        guard append.events.count <= maximumEvents else {
            throw LedgerError(.invalidEvent, "an append has more than \(maximumEvents) events")
        }
        if append.events.count == 1, let version = append.expectations[append.events[0].stream] { return [version + 1] }
        guard Set(append.events.map(\.id)).count == append.events.count else {
            throw LedgerError(.invalidEvent, "two events of an append have one id")
        }
        var next = append.expectations
        var versions: [Int] = []
        for event in append.events {
            guard let version = next[event.stream] else {
                throw LedgerError(.invalidEvent, "a stream gets an event without an expected version")
            }
            versions.append(version + 1)
            next[event.stream] = version + 1
        }
        return versions
    }

    private static func checkExpectations(_ append: Append) throws(LedgerError) {
        let range = 0...(Int(Int32.max) - maximumEvents)
        for (stream, version) in append.expectations where !range.contains(version) || !stream.isWellFormed {
            throw LedgerError(.invalidEvent, "an expectation is malformed")
        }
    }

    private static func checkClaims(_ append: Append) throws(LedgerError) {
        if append.claims.isEmpty, append.releases.isEmpty { return }
        let taken = append.claims.map(\.key), given = append.releases.map(\.key)
        guard taken.allSatisfy(\.isWellFormed), given.allSatisfy(\.isWellFormed) else {
            throw LedgerError(.invalidEvent, "a claim is malformed")
        }
        guard Set(taken).count == taken.count, Set(given).count == given.count else {
            throw LedgerError(.invalidEvent, "an append names one claim twice")
        }
        guard append.claims.allSatisfy({ $0.value?.count ?? 0 <= Claim.maximumValueLength }) else {
            throw LedgerError(.invalidEvent, "the value of a claim is too long")
        }
    }
}
