import Canonical

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Entry {
    /// Reads the bytes of an event that was recorded at `position`; the leaf hash is computed from them.
    ///
    /// - Throws: ``LedgerError/Code/invalidEntry`` for anything that ``encode(_:version:time:)`` cannot have made.
    static func decode(_ bytes: [UInt8], at position: Int64) throws(LedgerError) -> RecordedEvent {
        try decode(bytes, at: position, leaf: MerkleTree.leafHash(bytes))
    }

    /// The same for bytes whose leaf hash was computed already.
    static func decode(_ bytes: [UInt8], at position: Int64, leaf: [UInt8]) throws(LedgerError) -> RecordedEvent {
        do {
            return try read(bytes, position, leaf)
        } catch {
            throw LedgerError(.invalidEntry, "recorded bytes are no entry: \(error)")
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
        guard !elements.isEmpty else { throw entry.invalid("causes", "no causes are an absent member") }
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
    /// An object member as a value, its own members unread.
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
