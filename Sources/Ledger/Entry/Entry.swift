import Canonical

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The exact bytes of an event: what is stored, hashed, exported and verified.
///
/// Canonical JSON (RFC 8785) of `eventId ledger stream streamVersion type schema time actor app requestId source causes
/// data`; absent members are omitted, and no causes are an absent member. The position is not in it: the index of the
/// leaf binds that.
enum Entry {
    /// The greatest length of an entry in bytes.
    static let maximumLength = 65_535

    /// The bytes of an event.
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

    /// Puts another time into the bytes of an event of this type.
    ///
    /// Only the type comes after the time, so its place is known from the end.
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
        try require((1...Int(Int32.max)).contains(event.schema), "a schema is not a version")
        try require(event.requestId.map(ASCIIName.requestId.accepts) ?? true, "a request id is malformed")
        try require(event.causes.count <= 64, "an event has more than 64 causes")
        try require(event.data.isStorableObject, "the data is no object, or holds what cannot be stored")
        try require(event.source?.isStorableObject ?? true, "the source is no object, or holds what cannot be stored")
    }
}

extension JSONValue {
    /// Whether this is an object that reads back as what it is: names in ASCII, no null, no NUL, integers below 2^53.
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
