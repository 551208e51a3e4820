public import Canonical

/// A value of the wire contract: it is read from strict JSON and written as JSON.
///
/// Requests refuse members they do not know. Responses ignore them, so that a client keeps working when the service
/// learns to say more.
public protocol JSONConvertible: Sendable {
    /// Reads the value found at `pointer`, a JSON pointer (RFC 6901) that errors start with.
    init(json: JSONValue, at pointer: String) throws(JSONError)
    /// The value as it goes over the wire.
    var json: JSONValue { get }
}

extension JSONConvertible {
    /// Reads a whole document.
    public init(json: JSONValue) throws(JSONError) { try self.init(json: json, at: "") }

    /// Reads the bytes of a whole document strictly.
    public init(bytes: some Collection<UInt8>, limits: StrictJSON.Limits = .init()) throws(JSONError) {
        try self.init(json: StrictJSON.parse(bytes, limits: limits), at: "")
    }

    /// The bytes that go over the wire: canonical JSON, so that equal values are equal bytes.
    public var bytes: [UInt8] { json.canonicalBytes() }
}

extension Array: JSONConvertible where Element: JSONConvertible {
    /// Reads an array of values.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        guard case .array(let elements) = json else {
            throw JSONError(code: .wrongType, pointer: pointer, reason: "an array is expected")
        }
        self = []
        for (index, element) in elements.enumerated() {
            append(try Element(json: element, at: "\(pointer)/\(index)"))
        }
    }

    /// The values as an array.
    public var json: JSONValue { .array(map(\.json)) }
}
