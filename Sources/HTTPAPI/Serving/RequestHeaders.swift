import Canonical
import HTTPTypes
import TenureAPI

/// Reads the header fields that this API gives a meaning to.
struct RequestHeaders {
    let fields: HTTPFields

    /// The value of a field, or nil when it is absent; a field that comes twice is refused.
    func single(_ name: String) throws(Refusal) -> String? {
        let values = all(name)
        guard values.count <= 1 else { throw .invalid(.header(name), "the header comes twice") }
        return values.first
    }

    /// Every value of a field.
    func all(_ name: String) -> [String] {
        guard let name = HTTPField.Name(name) else { return [] }
        return fields[values: name]
    }

    /// The id that the caller chose, or a new one when there is none or it is not `[A-Za-z0-9._-]{1,64}`.
    var requestId: String {
        let sent = all(HeaderName.requestId)
        guard sent.count == 1, let id = sent.first, (1...64).contains(id.utf8.count), id.utf8.allSatisfy(Self.isIdByte)
        else { return RequestHeaders.newRequestId() }
        return id
    }

    /// The raw idempotency key: 1 to 255 visible ASCII characters.
    func idempotencyKey() throws(Refusal) -> String? {
        guard let key = try single(HeaderName.idempotencyKey) else { return nil }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .invalid(.header(HeaderName.idempotencyKey), "1 to 255 visible ASCII characters are expected")
        }
        return key
    }

    /// The position that the views must have reached.
    func waitFor() throws(Refusal) -> Int64? {
        guard let text = try single(HeaderName.waitFor) else { return nil }
        guard let position = Int64(decimal: text) else {
            throw .invalid(.header(HeaderName.waitFor), "a position is expected")
        }
        return position
    }

    private static func newRequestId() -> String {
        var random = SystemRandomNumberGenerator()
        let words: [UInt64] = [random.next(), random.next()]
        return Hex.encode(words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) } })
    }

    private static func isIdByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
