#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension ObjectReader {
    /// A string member.
    public mutating func string(_ name: String) throws(JSONError) -> String { try present(optionalString(name), name) }

    /// A string member, or nil when it is absent.
    public mutating func optionalString(_ name: String) throws(JSONError) -> String? {
        switch optionalValue(name) {
        case nil: return nil
        case .string(let text): return text
        default: throw mismatch(name, "a string")
        }
    }

    /// A boolean member.
    public mutating func bool(_ name: String) throws(JSONError) -> Bool { try present(optionalBool(name), name) }

    /// A boolean member, or nil when it is absent.
    public mutating func optionalBool(_ name: String) throws(JSONError) -> Bool? {
        switch optionalValue(name) {
        case nil: return nil
        case .bool(let flag): return flag
        default: throw mismatch(name, "a boolean")
        }
    }

    /// An integer member within a range.
    public mutating func integer(
        _ name: String, in range: ClosedRange<Int64> = JSONValue.integerRange
    ) throws(JSONError) -> Int64 {
        try present(optionalInteger(name, in: range), name)
    }

    /// An integer member within a range, or nil when it is absent.
    public mutating func optionalInteger(
        _ name: String, in range: ClosedRange<Int64> = JSONValue.integerRange
    ) throws(JSONError) -> Int64? {
        switch optionalValue(name) {
        case nil: return nil
        case .integer(let number):
            guard range.contains(number) else {
                throw invalid(name, "an integer from \(range.lowerBound) to \(range.upperBound) is expected")
            }
            return number
        default: throw mismatch(name, "an integer")
        }
    }

    /// Bytes, written as unpadded base64url; exactly `count` of them when that is given.
    public mutating func bytes(_ name: String, count: Int? = nil) throws(JSONError) -> [UInt8] {
        try present(optionalBytes(name, count: count), name)
    }

    /// Bytes, written as unpadded base64url, or nil when the member is absent.
    public mutating func optionalBytes(_ name: String, count: Int? = nil) throws(JSONError) -> [UInt8]? {
        guard let text = try optionalString(name) else { return nil }
        guard let bytes = Base64URL.decode(text) else { throw invalid(name, "unpadded base64url is expected") }
        if let count, bytes.count != count { throw invalid(name, "\(count) bytes are expected") }
        return bytes
    }

    /// An identifier, written as 36 lower-case characters.
    public mutating func uuid(_ name: String) throws(JSONError) -> UUID { try present(optionalUUID(name), name) }

    /// An identifier, written as 36 lower-case characters, or nil when the member is absent.
    public mutating func optionalUUID(_ name: String) throws(JSONError) -> UUID? {
        guard let text = try optionalString(name) else { return nil }
        guard let id = UUID(lowercased: text) else { throw invalid(name, "a lower-case UUID is expected") }
        return id
    }

    /// An instant, written as `YYYY-MM-DDThh:mm:ss.ffffffZ`.
    public mutating func timestamp(_ name: String) throws(JSONError) -> Timestamp {
        try present(optionalTimestamp(name), name)
    }

    /// An instant, written as `YYYY-MM-DDThh:mm:ss.ffffffZ`, or nil when the member is absent.
    public mutating func optionalTimestamp(_ name: String) throws(JSONError) -> Timestamp? {
        guard let text = try optionalString(name) else { return nil }
        guard let time = Timestamp(text) else { throw invalid(name, "YYYY-MM-DDThh:mm:ss.ffffffZ is expected") }
        return time
    }
}
