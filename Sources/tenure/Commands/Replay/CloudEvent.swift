import Canonical
import FoundationEssentials
import Ledger
import Projections

/// An event as CloudEvents 1.0 describes one in JSON.
///
/// `sequence` is the extension of that name in its form for integers: text, because CloudEvents integers have 32 bits
/// and a position has more.
enum CloudEvent {
    static func json(_ event: OpenedEvent) -> JSONValue {
        let recorded = event.recorded
        return .objectOmittingNil([
            "specversion": "1.0", "id": .uuid(recorded.id),
            "source": .string("urn:tenure:ledger:\(recorded.ledger.uuid.lowercased)"),
            "type": .string("tenure.\(recorded.type).v\(recorded.schema)"), "subject": .string(recorded.stream.text),
            "time": .timestamp(recorded.time), "datacontenttype": "application/json",
            "sequence": .string(String(recorded.position)), "streamversion": .integer(Int64(recorded.streamVersion)),
            "actor": recorded.actor.map(JSONValue.uuid), "app": recorded.app.map(JSONValue.uuid),
            "requestid": recorded.requestId.map(JSONValue.string),
            "causes": recorded.causes.isEmpty
                ? nil : .string(recorded.causes.map(\.lowercased).joined(separator: " ")),
            "data": event.data,
        ])
    }
}
