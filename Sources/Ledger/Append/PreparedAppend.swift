public import Canonical
import FoundationEssentials
public import Postgres

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
    /// The times of ledgers whose accepted time is ahead of the clock. Their events have these, all others ``time``.
    private(set) var acceptedTimes: [LedgerID: Timestamp] = [:]
    /// The seconds that the events may be ahead of the database's clock; `nil` for no limit.
    let tolerance: Int32?
    let codes: EventCodes

    var byteCount: Int { entries.reduce(0) { $0 + $1.count } }

    /// Checks and encodes an append.
    ///
    /// - Parameters:
    ///   - codes: What makes the codes of the events.
    ///   - tolerance: How far the events may be ahead of the database's clock; `nil` for no limit.
    /// - Throws: ``LedgerError/Code/invalidEvent`` or ``LedgerError/Code/entryTooLarge``.
    init(_ append: Append, codes: EventCodes, tolerance: Duration?) throws(LedgerError) {
        self.append = append
        self.codes = codes
        time = append.time
        self.tolerance = tolerance.map { Int32(clamping: $0.components.seconds) }
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

    /// Puts another time into the entries, except those of ledgers with an accepted time. Their length does not depend
    /// on it.
    mutating func setTime(_ time: Timestamp) {
        for (index, event) in append.events.enumerated() where acceptedTimes[event.stream.ledger] == nil {
            Entry.setTime(time, in: &entries[index], type: event.type)
        }
        self.time = time
    }

    /// Puts the accepted time of a ledger into its entries.
    mutating func setTime(_ time: Timestamp, in ledger: LedgerID) {
        for (index, event) in append.events.enumerated() where event.stream.ledger == ledger {
            Entry.setTime(time, in: &entries[index], type: event.type)
        }
        acceptedTimes[ledger] = time
    }

    /// Puts the time into all entries with which they are recorded already.
    mutating func setRecordedTime(_ time: Timestamp) {
        acceptedTimes = [:]
        setTime(time)
    }

    func time(ofEvent index: Int) -> Timestamp {
        acceptedTimes.isEmpty ? time : acceptedTimes[append.events[index].stream.ledger] ?? time
    }

    /// The code of an event over the bytes of its entry as they are now.
    func code(ofEvent index: Int) -> [UInt8] {
        codes.code(
            ledger: append.events[index].stream.ledger, id: append.events[index].id,
            leaf: MerkleTree.leafHash(entries[index]))
    }

    /// Whether a time is later than the append permits.
    func isLate(_ time: Timestamp) -> Bool { append.notAfter.map { time > $0 } ?? false }

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
///     guard let row = try heads.rows(in: answers).first else { throw HeadMissing() }
///     let head = try LockedHead(row)
///     var append = append                       // new streams of one ledger, without claims or effects
///     append.time = max(append.time, head.time)
///     _ = try await connection.commit(after: [AppendStatement(append, after: head, codes: codes).sql])
/// }
/// ```
///
/// It accepts only events of new streams in one ledger, whose ids no other append can know; the append's effects are
/// not run. The transaction must have the ``LedgerScope`` of the ledger and must have locked its head with
/// ``Appender/lockingHead(_:)``. The append's time must not be before the time that statement yielded. The lock leaves
/// nothing to decide, so this costs less than a batch. ``Append/notAfter`` is not looked at.
public struct AppendStatement: Sendable {
    /// The statement to run.
    ///
    /// It records nothing and fails with
    ///
    /// - `SQLState.serializationFailure` if the head is not the one that was locked; run the transaction again,
    /// - `SQLState.requirementFailed` if the time runs backwards,
    /// - `SQLState.clockExceeded` if the time is ahead of the clock,
    /// - `SQLState.uniqueViolation` if a stream or an event is not new,
    /// - as `PostgresError.meetsFalseHead` says, if the head is not that of the events.
    public let sql: SQL

    /// Checks and encodes an append.
    ///
    /// - Parameters:
    ///   - head: The head that the transaction has locked.
    ///   - codes: What makes the codes of the events.
    ///   - tolerance: How far the events may be ahead of the database's clock; `nil` for no limit.
    /// - Throws: ``LedgerError/Code/entryTooLarge``, and ``LedgerError/Code/invalidEvent``, also for an append to
    ///   several ledgers, to streams that are not new, with claims, or with effects on other ledgers.
    public init(
        _ append: Append, after head: LockedHead, codes: EventCodes,
        tolerance: Duration? = Appender.clockTolerance
    ) throws(LedgerError) {
        let prepared = try PreparedAppend(append, codes: codes, tolerance: tolerance)
        guard let ledger = append.events.first?.stream.ledger,
            append.events.allSatisfy({ $0.stream.ledger == ledger }),
            append.expectations.values.allSatisfy({ $0 == 0 }),
            append.expectations.keys.allSatisfy({ stream in append.events.contains { $0.stream == stream } }),
            append.claims.isEmpty, append.releases.isEmpty, append.effectLedgers.isEmpty
        else { throw LedgerError(.invalidEvent, "only events of new streams in one ledger are a single statement") }
        sql = Self.sql(prepared, ledger, head)
    }

    private static func sql(_ prepared: PreparedAppend, _ ledger: LedgerID, _ head: LockedHead) -> SQL {
        let events = prepared.append.events
        let streams = events.map(\.stream)
        return """
            SELECT tenure.append_new(
                \(ledger.uuid), \(head.size), \(PostgresTimestamp(head.time)), \(PostgresTimestamp(prepared.time)),
                \(prepared.tolerance), \(streams.map(\.id)), \(streams.map(\.kind)),
                \(prepared.versions.map { Int32($0) }), \(events.map(\.id)), \(events.map(\.type)),
                \(prepared.entries), \(events.indices.map(prepared.code)))
            """
    }
}

extension SQLState {
    /// P0T01: a condition that a statement requires with `tenure.require` does not hold.
    public static let requirementFailed = SQLState(rawValue: "P0T01")
    /// P0T02: the time of an event is ahead of the database's clock.
    public static let clockExceeded = SQLState(rawValue: "P0T02")
    /// P0T03: the head of a ledger counts events that are not there.
    static let headFalse = SQLState(rawValue: "P0T03")
}

/// The head of a ledger as a transaction has locked it.
public struct LockedHead: Sendable, Hashable {
    /// The number of the ledger's events.
    public let size: Int64
    /// The time of the ledger's latest event. No new event may be earlier.
    public let time: Timestamp

    /// A head with this size and time.
    public init(size: Int64, time: Timestamp) {
        self.size = size
        self.time = time
    }

    /// Reads the row of ``Appender/lockingHead(_:)``.
    ///
    /// - Throws: `PostgresError` if the row has another form.
    public init(_ row: PostgresRow) throws {
        let (time, size) = try row.decode(PostgresTimestamp.self, Int64.self)
        self.init(size: size, time: Timestamp(time))
    }
}
