import FoundationEssentials
public import Postgres

/// The query for whole streams and the first event of one of their ledgers, in one snapshot.
///
/// ```swift
/// let query = StreamsQuery([stream])
/// let rows = try await pool.query(query.sql, in: query.ledgers)
/// let events = try query.read(rows, codes).streams[stream] ?? []
/// ```
///
/// It may be sent alone or as part of a pipeline. A transaction of the application role needs the ``LedgerScope`` of
/// ``ledgers``.
public struct StreamsQuery: Sendable {
    /// The statement; pass its rows to ``read(_:_:)``.
    public let sql: SQL
    /// The ledgers that the statement reads.
    public let ledgers: Set<LedgerID>
    private let ids: [StreamID]
    private let tail: Tail?
    private let founded: LedgerID?

    /// The end of a stream, from the last event of some types on. Reading it costs the same however long the stream is.
    public struct Tail: Sendable {
        let stream: StreamID
        let types: [String]
        /// The positions of rows that begin no end.
        let disowned: [Int64]

        /// The end of `stream` from its last event of `types` on. A stream without such an event is read from its
        /// beginning.
        ///
        /// - Parameter codes: Whose disowned rows begin no end.
        public init(_ stream: StreamID, fromLast types: [String], _ codes: EventCodes) {
            self.stream = stream
            self.types = types
            disowned = codes.disowned.positions(in: stream.ledger)
        }
    }

    /// A query for all events of some streams, for the end of another one, and for the first event of a ledger.
    public init(_ ids: [StreamID], tail: Tail? = nil, foundingOf founded: LedgerID? = nil) {
        self.ids = ids + (tail.map { [$0.stream] } ?? [])
        self.tail = tail
        self.founded = founded
        ledgers = Set(self.ids.map(\.ledger) + (founded.map { [$0] } ?? []))
        // One part for each stream: a part names one ledger, so a distributed database sends it to one node.
        var parts: [SQL] = ids.map { id in
            """
            SELECT ledger_id, \(CodedEntry.columns) FROM tenure.event
            WHERE ledger_id = \(id.ledger.uuid) AND stream_id = \(id.id) AND kind = \(id.kind)
            """
        }
        if let tail { parts.append(Self.statement(tail)) }
        if let founded {
            parts.append(
                """
                SELECT ledger_id, \(CodedEntry.columns) FROM tenure.event
                WHERE ledger_id = \(founded.uuid) AND position = 1
                """)
        }
        let first = parts.first ?? "SELECT ledger_id, \(CodedEntry.columns) FROM tenure.event WHERE false"
        sql = parts.dropFirst().reduce(first) { "\($0) UNION ALL \($1)" }
    }

    private static func statement(_ tail: Tail) -> SQL {
        let stream = tail.stream
        let own: SQL = "ledger_id = \(stream.ledger.uuid) AND stream_id = \(stream.id) AND kind = \(stream.kind)"
        return """
            SELECT ledger_id, \(CodedEntry.columns) FROM tenure.event
            WHERE \(own) AND version >= coalesce((
                SELECT version FROM tenure.event
                WHERE \(own) AND type = ANY (\(tail.types)) AND position <> ALL (\(tail.disowned))
                ORDER BY version DESC LIMIT 1), 1)
            """
    }

    /// Reads the events of each stream in the order of versions, and the first event of the ledger. A missing stream
    /// has no events.
    ///
    /// - Throws: `PostgresError` if a row is not of this query, ``LedgerError/Code/streamGap``, and what
    ///   ``CodedEntry/event()`` throws.
    public func read(_ rows: [PostgresRow], _ codes: EventCodes) throws -> StreamsRead {
        var streams = Dictionary(ids.map { ($0, [RecordedEvent]()) }, uniquingKeysWith: { first, _ in first })
        var disowned: [StreamID: Set<Int>] = [:]
        var founding: RecordedEvent?
        for row in rows {
            let entry = try CodedEntry(row, of: LedgerID(try row.decode(column: 0)), from: 1, codes)
            guard !entry.isDisowned else {
                disowned[entry.stream, default: []].insert(Int(entry.version))
                continue
            }
            let event = try entry.event()
            // If its stream was requested too, the ledger's first event arrives a second time.
            if founding == nil, event.position == 1, event.stream.ledger == founded {
                founding = event
                continue
            }
            streams[event.stream]?.append(event)
        }
        let read = try streams.map { id, events throws(LedgerError) in
            let events = events.sorted { $0.streamVersion < $1.streamVersion }
            var first = 1
            // The end of a stream begins with an event of its types, if it has one. It does not begin with a row that
            // was disowned since the query was made.
            if tail?.stream == id {
                if let event = events.first, tail?.types.contains(event.type) == true { first = event.streamVersion }
                if let row = disowned[id]?.min(), row > 1, row < events.first?.streamVersion ?? .max {
                    throw .streamChanged
                }
            }
            return (id, try StreamEvents(events, disowned: disowned[id] ?? [], after: first - 1))
        }
        return StreamsRead(streams: Dictionary(uniqueKeysWithValues: read), founding: founding)
    }
}

/// The events of a stream in the order of versions, without those that are disowned.
public struct StreamEvents: Sendable, Equatable, RandomAccessCollection, ExpressibleByArrayLiteral {
    /// The events.
    public let events: [RecordedEvent]
    /// The version of the stream, which an append expects: it and those before it are taken, by disowned events too.
    public let version: Int

    /// Requires the versions to run on after one. Whoever made a disowned event chose its version: behind a gap it does
    /// not count.
    ///
    /// - Throws: ``LedgerError/Code/streamGap``.
    init(_ events: [RecordedEvent], disowned: Set<Int>, after version: Int) throws(LedgerError) {
        var last = version
        for event in events {
            last = disowned.end(after: last)
            guard event.streamVersion == last + 1 else { throw .streamGap(before: event) }
            last = event.streamVersion
        }
        self.events = events
        self.version = disowned.end(after: last)
    }

    /// Events of a stream without disowned ones.
    public init(_ events: [RecordedEvent]) {
        self.events = events
        version = events.last?.streamVersion ?? 0
    }

    /// See ``init(_:)``.
    public init(arrayLiteral events: RecordedEvent...) { self.init(events) }

    /// The first index, 0.
    public var startIndex: Int { events.startIndex }
    /// The number of events.
    public var endIndex: Int { events.endIndex }
    /// An event by its index; versions may leap.
    public subscript(index: Int) -> RecordedEvent { events[index] }
}

/// The result of a ``StreamsQuery``.
public struct StreamsRead: Sendable {
    /// The events of each stream in the order of versions. A missing stream has none.
    public let streams: [StreamID: StreamEvents]
    /// The first event of the ledger that the query named.
    public let founding: RecordedEvent?
}

extension Set<Int> {
    /// The last of the numbers that follow one without a gap, or that one.
    func end(after number: Int) -> Int {
        var last = number
        while contains(last + 1) { last += 1 }
        return last
    }
}
