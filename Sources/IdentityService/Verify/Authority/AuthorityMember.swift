import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// The member `by` of an event, as far as signatures go.
struct AuthorityMember: Sendable {
    let kind: String
    let employee: UUID?
    let app: UUID?
    let secret: UUID?
    let signed: (key: [UInt8], statement: [UInt8], signature: [UInt8])?

    /// Reads it; nil when the event has none, or the member is not one.
    init?(_ event: RecordedEvent) {
        guard let by = event.data["by"], case .string(let kind)? = by["kind"] else { return nil }
        self.kind = kind
        employee = by["employee"].flatMap(\.uuid)
        app = by["app"].flatMap(\.uuid)
        secret = by["secret"].flatMap(\.uuid)
        if let key = by["key"]?.bytes, let statement = by["statement"]?.bytes, let signature = by["signature"]?.bytes {
            signed = (key, statement, signature)
        } else {
            signed = nil
        }
    }
}

extension JSONValue {
    /// The bytes that a base64url string stands for.
    var bytes: [UInt8]? {
        guard case .string(let text) = self else { return nil }
        return Base64URL.decode(text)
    }

    /// The identifier that a string stands for.
    var uuid: UUID? {
        guard case .string(let text) = self else { return nil }
        return UUID(lowercased: text)
    }
}
