package import Canonical
package import FoundationEssentials
package import Keys
package import Ledger

/// A recorded event with its personal texts decrypted where the key still exists.
package struct OpenedEvent: Sendable {
    /// The text shown in place of one whose key was destroyed.
    package static let erased = "[erased]"
    /// The text shown in place of every personal text if there is no master key.
    package static let sealed = "[sealed]"

    package let recorded: RecordedEvent
    /// The event's content, with texts in place of encrypted members.
    package let data: JSONValue
    /// The origin of the request, decrypted likewise.
    package let source: JSONValue?

    /// Decrypts an event.
    ///
    /// - Parameter keys: The person keys of its ledger by their ids, or `nil` if there are none.
    package init(_ event: RecordedEvent, keys: [UUID: PersonKey]?) {
        recorded = event
        data = Self.open(event.data, "/data", event, keys)
        source = event.source.map { Self.open($0, "/source", event, keys) }
    }

    /// Returns the ids of the keys under which an event's members are encrypted.
    package static func owners(_ event: RecordedEvent) -> Set<UUID> {
        owners(event.data).union(event.source.map(owners) ?? [])
    }

    /// The members of the entry, decrypted, and the position.
    package var json: JSONValue {
        .objectOmittingNil([
            "position": .integer(recorded.position),
            "eventId": .uuid(recorded.id),
            "ledger": .uuid(recorded.ledger.uuid),
            "stream": .string(recorded.stream.text),
            "streamVersion": .integer(Int64(recorded.streamVersion)),
            "type": .string(recorded.type),
            "schema": .integer(Int64(recorded.schema)),
            "time": .timestamp(recorded.time),
            "actor": recorded.actor.map(JSONValue.uuid),
            "app": recorded.app.map(JSONValue.uuid),
            "requestId": recorded.requestId.map(JSONValue.string),
            "source": source,
            "causes": recorded.causes.isEmpty ? nil : .array(recorded.causes.map(JSONValue.uuid)),
            "data": data,
        ])
    }

    private static func owners(_ value: JSONValue) -> Set<UUID> {
        switch value {
        case .object(let members):
            if let sealed = try? SealedPersonalData(value) { return [sealed.key] }
            return members.values.reduce(into: []) { $0.formUnion(owners($1)) }
        case .array(let items): return items.reduce(into: []) { $0.formUnion(owners($1)) }
        default: return []
        }
    }

    private static func open(
        _ value: JSONValue, _ pointer: String, _ event: RecordedEvent, _ keys: [UUID: PersonKey]?
    ) -> JSONValue {
        switch value {
        case .object(let members):
            if let sealed = try? SealedPersonalData(value) { return .string(text(sealed, pointer, event, keys)) }
            return .object(
                members.reduce(into: [:]) { result, member in
                    result[member.key] = open(member.value, "\(pointer)/\(member.key)", event, keys)
                })
        case .array(let items):
            return .array(items.enumerated().map { open($1, "\(pointer)/\($0)", event, keys) })
        default: return value
        }
    }

    private static func text(
        _ sealed: SealedPersonalData, _ pointer: String, _ event: RecordedEvent, _ keys: [UUID: PersonKey]?
    ) -> String {
        guard let keys else { return Self.sealed }
        let bytes = try? keys[sealed.key]?.open(sealed, ledger: event.ledger.uuid, event: event.id, pointer: pointer)
        return bytes.map { String(decoding: $0, as: UTF8.self) } ?? erased
    }
}
