import Canonical
import FoundationEssentials

/// The exact bytes of an event, as they are stored, hashed, exported and verified.
///
/// An entry is canonical JSON (RFC 8785) of `eventId ledger stream streamVersion type schema time actor app requestId
/// source causes data`. Absent members and empty causes are omitted. The position is not a member, because the index of
/// the leaf binds it.
enum Entry {
    /// The greatest length of an entry in bytes.
    static let maximumLength = 65_535

    /// Encodes an event.
    ///
    /// - Throws: ``LedgerError/Code/invalidEvent`` or ``LedgerError/Code/entryTooLarge``.
    static func encode(_ event: NewEvent, version: Int, time: Timestamp) throws(LedgerError) -> [UInt8] {
        try check(event)
        var entry = CanonicalObject(reservingCapacity: 768)
        if let actor = event.actor { entry.add("actor", actor) }
        if let app = event.app { entry.add("app", app) }
        if !event.causes.isEmpty { entry.add("causes", event.causes) }
        entry.add("data", event.data)
        entry.add("eventId", event.id)
        entry.add("ledger", event.stream.ledger.uuid)
        if let requestId = event.requestId { entry.add("requestId", requestId) }
        entry.add("schema", event.schema)
        if let source = event.source { entry.add("source", source) }
        entry.add("stream", event.stream.id, after: event.stream.kind + "/")
        entry.add("streamVersion", version)
        entry.add("time", time)
        entry.add("type", event.type)
        let bytes = entry.finish()
        guard bytes.count <= maximumLength else {
            throw LedgerError(.entryTooLarge, "an entry has more than \(maximumLength) bytes")
        }
        return bytes
    }

    /// Replaces the time in the bytes of an event of this type.
    ///
    /// Only the type follows the time, so its place can be computed from the end.
    static func setTime(_ time: Timestamp, in entry: inout [UInt8], type: String) {
        let end = entry.count - (#"","type":""# + type + #""}"#).utf8.count
        entry.replaceSubrange(end - 27..<end, with: time.utf8)
    }

    private static func check(_ event: NewEvent) throws(LedgerError) {
        func require(_ holds: Bool, _ reason: String) throws(LedgerError) {
            if !holds { throw LedgerError(.invalidEvent, reason) }
        }
        try require(event.stream.isWellFormed, "a kind of stream is malformed")
        try require(ASCIIName.eventType.accepts(event.type), "a type of event is malformed")
        try require((1...Int(Int32.max)).contains(event.schema), "a schema must be a version number")
        try require(event.requestId.map(ASCIIName.requestId.accepts) ?? true, "a request id is malformed")
        try require(event.causes.count <= 64, "an event has more than 64 causes")
        try require(
            event.data.isStorableObject, "the data is not an object, or contains something that cannot be stored")
        try require(
            event.source?.isStorableObject ?? true,
            "the source is not an object, or contains something that cannot be stored")
    }
}

extension JSONValue {
    /// Whether this is an object that decodes to the same value: names in ASCII, no null, no NUL, integers below 2^53.
    fileprivate var isStorableObject: Bool {
        guard case .object = self else { return false }
        return isStorable(depth: 30)
    }

    private func isStorable(depth: Int) -> Bool {
        switch self {
        case .null: false
        case .bool: true
        case .integer(let number): JSONValue.integerRange.contains(number)
        case .string(let text): !text.utf8.contains(0)
        case .array(let elements): depth > 0 && elements.allSatisfy { $0.isStorable(depth: depth - 1) }
        case .object(let members):
            depth > 0
                && members.allSatisfy { name, value in
                    name.utf8.allSatisfy { (1...0x7F).contains($0) } && value.isStorable(depth: depth - 1)
                }
        }
    }
}

extension Entry {
    /// Decodes the event recorded at `position`, and computes its leaf hash.
    ///
    /// - Throws: ``LedgerError/Code/invalidEntry`` for anything that ``encode(_:version:time:)`` cannot have produced.
    static func decode(_ bytes: [UInt8], at position: Int64) throws(LedgerError) -> RecordedEvent {
        try decode(bytes, at: position, leaf: MerkleTree.leafHash(bytes))
    }

    /// Decodes an event whose leaf hash is already computed.
    static func decode(_ bytes: [UInt8], at position: Int64, leaf: [UInt8]) throws(LedgerError) -> RecordedEvent {
        do {
            return try read(bytes, position, leaf)
        } catch {
            throw LedgerError(.invalidEntry, "recorded bytes are not an entry: \(error)")
        }
    }

    private static func read(
        _ bytes: [UInt8], _ position: Int64, _ leaf: [UInt8]
    ) throws(JSONError) -> RecordedEvent {
        let limits = StrictJSON.Limits(bytes: maximumLength)
        var entry = try ObjectReader(try CanonicalJSON.parse(bytes, limits: limits))
        let ledger = LedgerID(try entry.uuid("ledger"))
        guard let stream = StreamID(ledger: ledger, text: try entry.string("stream")) else {
            throw entry.invalid("stream", "kind/uuid is expected")
        }
        let type = try entry.string("type")
        guard ASCIIName.eventType.accepts(type) else { throw entry.invalid("type", "a type of event is expected") }
        let requestId = try entry.optionalString("requestId")
        guard requestId.map(ASCIIName.requestId.accepts) ?? true else {
            throw entry.invalid("requestId", "a request id is expected")
        }
        let event = RecordedEvent(
            position: position,
            id: try entry.uuid("eventId"),
            stream: stream,
            streamVersion: Int(try entry.integer("streamVersion", in: 1...Int64(Int32.max))),
            type: type,
            schema: Int(try entry.integer("schema", in: 1...Int64(Int32.max))),
            time: try entry.timestamp("time"),
            actor: try entry.optionalUUID("actor"),
            app: try entry.optionalUUID("app"),
            requestId: requestId,
            source: try entry.optionalObjectValue("source"),
            causes: try causes(&entry),
            data: try entry.objectValue("data"),
            entry: bytes,
            leaf: leaf)
        try entry.finish()
        return event
    }

    private static func causes(_ entry: inout ObjectReader) throws(JSONError) -> [UUID] {
        guard let elements = try entry.optionalArray("causes") else { return [] }
        guard !elements.isEmpty else { throw entry.invalid("causes", "omit the member if there are no causes") }
        var causes: [UUID] = []
        for element in elements {
            guard case .string(let text) = element, let id = UUID(lowercased: text) else {
                throw entry.invalid("causes", "identifiers are expected")
            }
            causes.append(id)
        }
        return causes
    }
}

extension ObjectReader {
    /// Returns an object member as a value, without reading its own members.
    fileprivate mutating func objectValue(_ name: String) throws(JSONError) -> JSONValue {
        guard let value = try optionalObjectValue(name) else {
            throw JSONError(code: .missingMember, pointer: pointer(of: name), reason: "a member is missing")
        }
        return value
    }

    fileprivate mutating func optionalObjectValue(_ name: String) throws(JSONError) -> JSONValue? {
        guard let value = optionalValue(name) else { return nil }
        guard case .object = value else {
            throw JSONError(code: .wrongType, pointer: pointer(of: name), reason: "an object is expected")
        }
        return value
    }
}
