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
        let value = JSONValue.objectOmittingNil([
            "eventId": .uuid(event.id),
            "ledger": .uuid(event.stream.ledger.uuid),
            "stream": .string(event.stream.text),
            "streamVersion": .integer(Int64(version)),
            "type": .string(event.type),
            "schema": .integer(Int64(event.schema)),
            "time": .timestamp(time),
            "actor": event.actor.map(JSONValue.uuid),
            "app": event.app.map(JSONValue.uuid),
            "requestId": event.requestId.map(JSONValue.string),
            "source": event.source,
            "causes": event.causes.isEmpty ? nil : .array(event.causes.map(JSONValue.uuid)),
            "data": event.data,
        ])
        let bytes = value.canonicalBytes()
        guard bytes.count <= maximumLength else {
            throw LedgerError(.entryTooLarge, "an entry has more than \(maximumLength) bytes")
        }
        return bytes
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
