import Canonical
public import FoundationEssentials
import Postgres

/// A row of `tenure.event`, not yet parsed. It is the only form in which an event leaves the database for those who obey
/// it: its event comes out only if its code says that a service wrote it, and the columns say what the entry says.
public struct CodedEntry: Sendable {
    /// The ledger according to the row.
    public let ledger: LedgerID
    /// The position in the ledger.
    public let position: Int64
    /// The event's id according to the row.
    public let id: UUID
    /// The id and the kind of its stream according to the row.
    let streamID: UUID, kind: String
    let version: Int32
    /// The event's type according to the row.
    public let type: String
    let time: PostgresTimestamp
    /// The entry.
    public let bytes: [UInt8]
    let code: [UInt8]
    let codes: EventCodes

    /// The columns that ``init(_:of:from:_:)`` reads.
    static let columns: SQL = "position, event_id, stream_id, kind, version, type, \"time\", entry, code"

    init(
        ledger: LedgerID, position: Int64, id: UUID, streamID: UUID, kind: String, version: Int32, type: String,
        time: PostgresTimestamp, bytes: [UInt8], code: [UInt8], codes: EventCodes
    ) {
        (self.ledger, self.position, self.id, self.streamID, self.kind) = (ledger, position, id, streamID, kind)
        (self.version, self.type, self.time, self.bytes, self.code) = (version, type, time, bytes, code)
        self.codes = codes
    }

    /// Reads ``columns``, the first of which is `first`.
    init(_ row: PostgresRow, of ledger: LedgerID, from first: Int, _ codes: EventCodes) throws(PostgresError) {
        self.init(
            ledger: ledger, position: try row.decode(column: first), id: try row.decode(column: first + 1),
            streamID: try row.decode(column: first + 2), kind: try row.decode(column: first + 3),
            version: try row.decode(column: first + 4), type: try row.decode(column: first + 5),
            time: try row.decode(column: first + 6), bytes: try row.decode(column: first + 7),
            code: try row.decode(column: first + 8), codes: codes)
    }

    /// Reads ``columns`` of several events as arrays; `nil` if their lengths differ.
    static func page(
        _ row: PostgresRow, of ledger: LedgerID, from first: Int, _ codes: EventCodes
    ) throws(PostgresError) -> [CodedEntry]? {
        let positions = try row.decode(column: first, as: [Int64].self)
        let ids = try row.decode(column: first + 1, as: [UUID].self)
        let streams = try row.decode(column: first + 2, as: [UUID].self)
        let kinds = try row.decode(column: first + 3, as: [String].self)
        let versions = try row.decode(column: first + 4, as: [Int32].self)
        let types = try row.decode(column: first + 5, as: [String].self)
        let times = try row.decode(column: first + 6, as: [PostgresTimestamp].self)
        let entries = try row.decode(column: first + 7, as: [[UInt8]].self)
        let right = try row.decode(column: first + 8, as: [[UInt8]].self)
        let counts = [ids.count, streams.count, kinds.count, versions.count, types.count, times.count, entries.count]
        guard counts.allSatisfy({ $0 == positions.count }), right.count == positions.count else { return nil }
        return positions.indices.map { index in
            CodedEntry(
                ledger: ledger, position: positions[index], id: ids[index], streamID: streams[index],
                kind: kinds[index], version: versions[index], type: types[index], time: times[index],
                bytes: entries[index], code: right[index], codes: codes)
        }
    }

    /// The version in its stream according to the row.
    public var streamVersion: Int { Int(version) }
    /// The stream according to the row.
    var stream: StreamID { StreamID(ledger: ledger, kind: kind, id: streamID) }

    private var place: LedgerError.Place { LedgerError.Place(ledger: ledger, position: position) }

    /// Whether a service wrote the entry.
    package var isOwn: Bool { isOwn(MerkleTree.leafHash(bytes)) }
    private func isOwn(_ leaf: [UInt8]) -> Bool {
        codes.isRight(code, ledger: ledger, at: position, id: id, leaf: leaf)
    }

    package var isDisowned: Bool {
        guard let leaf = codes.disowned.leaf(at: place) else { return false }
        return leaf == MerkleTree.leafHash(bytes)
    }

    /// Parses the entry, checks its code and compares the row with it.
    ///
    /// - Throws: ``LedgerError/Code/foreignEntry`` if no service wrote it, ``LedgerError/Code/invalidEntry`` if the row
    ///   does not hold it.
    public func event() throws(LedgerError) -> RecordedEvent {
        let leaf = MerkleTree.leafHash(bytes)
        guard isOwn(leaf) else {
            codes.disowned.report(place, leaf: leaf)
            throw .foreignEntry(place)
        }
        let event = try Entry.decode(bytes, at: position, leaf: leaf)
        guard event.ledger == ledger, event.id == id, event.stream.id == streamID, event.stream.kind == kind,
            event.streamVersion == version, event.type == type, event.time == Timestamp(time)
        else {
            codes.disowned.report(place, leaf: leaf)
            throw LedgerError(.invalidEntry, "an entry does not match its row")
        }
        return event
    }

    /// The number of bytes before the place of a member `position`, if ``event()`` accepts the row and the entry is
    /// plain ASCII without escapes; `nil` where it has to parse it.
    ///
    /// With `"position":N,` put there, the bytes are the canonical JSON of the event with its position.
    package var placeOfPosition: Int? {
        guard let outline = EntryOutline(bytes), outline.ledger == ledger, outline.id == id,
            outline.streamID == streamID, outline.kind.elementsEqual(kind.utf8), outline.version == version,
            outline.type.elementsEqual(type.utf8), outline.time == Timestamp(time),
            isOwn
        else { return nil }
        return outline.endOfLedger
    }
}
