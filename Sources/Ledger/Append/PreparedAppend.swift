import Canonical
public import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An append that passed the checks that need no database, with the encoded bytes of its entries.
struct PreparedAppend: Sendable {
    /// The greatest number of events of one append.
    static let maximumEvents = 4_096

    let append: Append
    /// The version of each event in its stream.
    let versions: [Int]
    /// All expectations in a fixed order, so that an append with several conflicts always reports the same one.
    let expectations: [(stream: StreamID, version: Int)]
    private(set) var entries: [[UInt8]] = []
    private(set) var time: Timestamp

    /// How many bytes its entries have.
    var byteCount: Int { entries.reduce(0) { $0 + $1.count } }

    /// Checks and encodes an append.
    ///
    /// - Throws: ``LedgerError/Code/invalidEvent`` or ``LedgerError/Code/entryTooLarge``.
    init(_ append: Append) throws(LedgerError) {
        self.append = append
        time = append.time
        try Self.checkExpectations(append)
        versions = try Self.versions(append)
        // Sorting compares the ids as text, but nearly every append has one expectation.
        expectations = append.expectations.map { ($0.key, $0.value) }
            .sorted { ($0.stream.ledger, $0.stream.text) < ($1.stream.ledger, $1.stream.text) }
        try Self.checkClaims(append)
        entries.reserveCapacity(append.events.count)
        for (event, version) in zip(append.events, versions) {
            entries.append(try Entry.encode(event, version: version, time: time))
        }
    }

    /// Puts another time into the entries. Their length does not depend on it.
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
                throw LedgerError(.invalidEvent, "an event's stream has no expected version")
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

/// An append as a single statement that a transaction sends together with others, without a round trip of its own.
///
/// ```swift
/// var opening = PipelinedStatements()
/// let heads = opening.add(Appender.lockingHead(ledger))
/// try await pool.withTransaction(in: [ledger], opening: opening.list) { connection, answers in
///     guard let head = try heads.rows(in: answers).first else { throw HeadMissing() }
///     let latest = try head.decode(PostgresTimestamp.self).microsecondsSinceUnixEpoch
///     var append = append                       // new streams of one ledger, without claims or effects
///     append.time = max(append.time, Timestamp(microseconds: latest))
///     _ = try await connection.commit(after: [AppendStatement(append).sql])
/// }
/// ```
///
/// It accepts only events of new streams in one ledger, whose ids no other append can know; the append's effects are
/// not run. The transaction must have the ``LedgerScope`` of the ledger and must have locked its head with
/// ``Appender/lockingHead(_:)``. The append's time must not be before the time that statement yielded. The lock leaves
/// nothing to decide, so this costs less than a batch.
public struct AppendStatement: Sendable {
    /// The statement to run.
    ///
    /// It fails with `SQLState.requirementFailed` and records nothing if the head is missing or the time runs
    /// backwards. It fails with `SQLState.uniqueViolation` if a stream or an event is not new.
    public let sql: SQL

    /// Checks and encodes an append.
    ///
    /// - Throws: ``LedgerError/Code/entryTooLarge``, and ``LedgerError/Code/invalidEvent``, also for an append to
    ///   several ledgers, to streams that are not new, with claims, or with effects on other ledgers.
    public init(_ append: Append) throws(LedgerError) {
        let prepared = try PreparedAppend(append)
        guard let ledger = append.events.first?.stream.ledger,
            append.events.allSatisfy({ $0.stream.ledger == ledger }),
            append.expectations.values.allSatisfy({ $0 == 0 }),
            append.expectations.keys.allSatisfy({ stream in append.events.contains { $0.stream == stream } }),
            append.claims.isEmpty, append.releases.isEmpty, append.effectLedgers.isEmpty
        else { throw LedgerError(.invalidEvent, "only events of new streams in one ledger are a single statement") }
        sql = Self.sql(prepared, ledger)
    }

    private static func sql(_ prepared: PreparedAppend, _ ledger: LedgerID) -> SQL {
        let events = prepared.append.events
        let streams = events.map(\.stream)
        return """
            SELECT tenure.append_new(
                \(ledger.uuid), \(PostgresTimestamp(prepared.time)), \(streams.map(\.id)), \(streams.map(\.kind)),
                \(prepared.versions.map { Int32($0) }), \(events.map(\.id)), \(events.map(\.type)),
                \(prepared.entries))
            """
    }
}

extension SQLState {
    /// P0T01: a condition that a statement requires with `tenure.require` does not hold.
    public static let requirementFailed = SQLState(rawValue: "P0T01")
}
