import Canonical
import HTTPLimits
import HTTPTypes
import TenureAPI

/// Reads the header fields that this API interprets.
struct RequestHeaders {
    let fields: HTTPFields
    /// The credentials in the `Authorization` header.
    let credentials: PresentedCredentials

    init(fields: HTTPFields) {
        self.fields = fields
        credentials = PresentedCredentials(authorization: fields[values: .authorization])
    }

    /// Returns the value of a field, or `nil` if it is absent. Rejects a duplicate field.
    func single(_ name: String) throws(Refusal) -> String? {
        let values = all(name)
        guard values.count <= 1 else { throw .invalid(.header(name), "the header is given twice") }
        return values.first
    }

    /// Every value of a field.
    func all(_ name: String) -> [String] { Self.all(name, in: fields) }

    /// Every value of a field.
    static func all(_ name: String, in fields: HTTPFields) -> [String] {
        guard let name = HTTPField.Name(name) else { return [] }
        return fields[values: name]
    }

    /// The size of all fields in bytes, as HTTP/1.1 writes them.
    var size: Int { fields.reduce(0) { $0 + $1.name.rawName.utf8.count + $1.value.utf8.count + 4 } }

    /// Whether a browser waits for a page: only navigations name the type.
    var wantPage: Bool { reader("Accept").elements.contains { $0.lowercased().hasPrefix("text/html") } }

    /// The reader of a field that has a syntax of its own.
    func reader(_ name: String) -> FieldReader { FieldReader(all(name)) }

    /// The request id that the caller chose. A new id if the caller sent none or a malformed one
    /// (`[A-Za-z0-9._-]{1,64}`).
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

    /// The position that the read models must have reached.
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

extension RequestHeaders {
    /// The languages of `Accept-Language` (RFC 9110 §12.5.4), in order of preference. Malformed ranges are ignored.
    var preferredLanguages: [String] {
        reader("Accept-Language").weighted().prefix(32).filter(\.parameters.isEmpty).map(\.range)
    }
}
