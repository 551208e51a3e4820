import Canonical

extension ObjectReader {
    /// Bytes, written as padded base64 (RFC 4648 §4).
    mutating func base64(_ name: String) throws(JSONError) -> [UInt8] {
        guard let bytes = Base64.decode(try string(name)) else { throw invalid(name, "padded base64 is expected") }
        return bytes
    }

    /// Bytes, written as padded base64, or nil when the member is absent.
    mutating func optionalBase64(_ name: String) throws(JSONError) -> [UInt8]? {
        guard let text = try optionalString(name) else { return nil }
        guard let bytes = Base64.decode(text) else { throw invalid(name, "padded base64 is expected") }
        return bytes
    }

    /// A member that is a value of the wire contract.
    mutating func wire<Value: JSONConvertible>(_ name: String, as: Value.Type = Value.self) throws(JSONError) -> Value {
        try Value(json: value(name), at: pointer(of: name))
    }

    /// A member that is a value of the wire contract, or nil when it is absent.
    mutating func optionalWire<Value: JSONConvertible>(
        _ name: String, as: Value.Type = Value.self
    ) throws(JSONError) -> Value? {
        guard let value = optionalValue(name) else { return nil }
        return try Value(json: value, at: pointer(of: name))
    }
}

extension JSONValue {
    /// The string that stands for bytes in this API: padded base64.
    static func base64(_ bytes: [UInt8]) -> JSONValue { .string(Base64.encode(bytes)) }
}
