public import Canonical

/// A value of the wire contract, read from strict JSON and written as JSON.
///
/// Requests reject unknown members. Responses ignore them, so that a client keeps working with a newer service.
public protocol JSONConvertible: Sendable {
    /// Reads the value at `pointer`, a JSON pointer (RFC 6901) that prefixes the place in errors.
    init(json: JSONValue, at pointer: String) throws(JSONError)
    /// The value as it is sent.
    var json: JSONValue { get }
}

extension JSONConvertible {
    /// Reads a whole document.
    public init(json: JSONValue) throws(JSONError) { try self.init(json: json, at: "") }

    /// Parses the bytes of a whole document strictly and reads it.
    public init(bytes: some Collection<UInt8>, limits: StrictJSON.Limits = .init()) throws(JSONError) {
        try self.init(json: StrictJSON.parse(bytes, limits: limits), at: "")
    }

    /// The bytes as they are sent: canonical JSON, so equal values have equal bytes.
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

extension ObjectReader {
    /// Reads a member that holds bytes as padded base64 (RFC 4648 §4).
    mutating func base64(_ name: String) throws(JSONError) -> [UInt8] {
        guard let bytes = Base64.decode(try string(name)) else { throw invalid(name, "padded base64 is expected") }
        return bytes
    }

    /// Reads an optional member that holds bytes as padded base64; `nil` if it is absent.
    mutating func optionalBase64(_ name: String) throws(JSONError) -> [UInt8]? {
        guard let text = try optionalString(name) else { return nil }
        guard let bytes = Base64.decode(text) else { throw invalid(name, "padded base64 is expected") }
        return bytes
    }

    /// Reads a member that holds a value of the wire contract.
    mutating func wire<Value: JSONConvertible>(_ name: String, as: Value.Type = Value.self) throws(JSONError) -> Value {
        try Value(json: value(name), at: pointer(of: name))
    }

    /// Reads an optional member that holds a value of the wire contract; `nil` if it is absent.
    mutating func optionalWire<Value: JSONConvertible>(
        _ name: String, as: Value.Type = Value.self
    ) throws(JSONError) -> Value? {
        guard let value = optionalValue(name) else { return nil }
        return try Value(json: value, at: pointer(of: name))
    }
}

extension JSONValue {
    /// Encodes bytes as padded base64, the encoding of this API.
    static func base64(_ bytes: [UInt8]) -> JSONValue { .string(Base64.encode(bytes)) }
}

/// One page of a list.
public struct PageResponse<Item: JSONConvertible>: Sendable, JSONConvertible {
    /// The items.
    public var items: [Item]
    /// The cursor of the next page, to be sent as `after`; `nil` on the last page.
    public var next: Int64?
    /// The time from which failed attempts are listed completely, if there were too many events to look further back.
    public var since: Timestamp?

    package init(items: [Item], next: Int64? = nil, since: Timestamp? = nil) {
        self.items = items
        self.next = next
        self.since = since
    }

    /// Reads a page and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        items = try reader.wire("items")
        next = try reader.optionalInteger("next")
        since = try reader.optionalTimestamp("since")
    }

    /// The page as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "items": items.json, "next": next.map(JSONValue.integer), "since": since.map(JSONValue.timestamp),
        ])
    }
}

extension PageResponse: Equatable where Item: Equatable {}
