#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Reads the members of one JSON object by name and type, and refuses unexpected ones.
///
/// ```swift
/// var reader = try ObjectReader(value)
/// let id = try reader.uuid("id")
/// let note = try reader.optionalString("note")
/// try reader.finish()                              // refuses any other member
/// ```
///
/// Every error carries the pointer of the member. A null has the wrong type, also for optional members: absent members
/// must be omitted.
public struct ObjectReader: Sendable {
    /// The place of the object, as a JSON pointer.
    public let pointer: String
    private let members: [String: JSONValue]
    private var asked: [String] = []

    /// A reader of the object found at `pointer`.
    ///
    /// - Throws: ``JSONError`` with ``JSONError/Code/wrongType`` if the value is not an object.
    public init(_ value: JSONValue, at pointer: String = "") throws(JSONError) {
        guard case .object(let members) = value else {
            throw JSONError(code: .wrongType, pointer: pointer, reason: "an object is expected")
        }
        self.pointer = pointer
        self.members = members
        asked.reserveCapacity(members.count)
    }

    /// Refuses members that were not read.
    ///
    /// - Throws: ``JSONError`` with ``JSONError/Code/unknownMember`` and the pointer of the first such member, by name.
    public func finish() throws(JSONError) {
        guard !members.keys.allSatisfy(askedExactly) else { return }
        let unknown = members.keys.filter { !askedExactly($0) }
        if let name = unknown.min(by: CanonicalForm.precedes) {
            throw JSONError(code: .unknownMember, pointer: pointer(of: name), reason: "an unknown member")
        }
    }

    /// Returns the JSON pointer of a member.
    public func pointer(of name: String) -> String { JSONError.pointer(pointer, member: name) }

    /// Returns the error for a value of the right type that is not allowed; `reason` must not repeat the value.
    public func invalid(_ name: String, _ reason: String) -> JSONError {
        JSONError(code: .invalidValue, pointer: pointer(of: name), reason: reason)
    }

    /// Returns the value of a member of any type, or `nil` if it is absent.
    public mutating func optionalValue(_ name: String) -> JSONValue? {
        asked.append(name)
        return members.exactMember(name)
    }

    /// The value of a member of any type.
    public mutating func value(_ name: String) throws(JSONError) -> JSONValue {
        try present(optionalValue(name), name)
    }

    func present<Value>(_ value: Value?, _ name: String) throws(JSONError) -> Value {
        guard let value else {
            throw JSONError(code: .missingMember, pointer: pointer(of: name), reason: "a member is missing")
        }
        return value
    }

    func mismatch(_ name: String, _ expected: String) -> JSONError {
        JSONError(code: .wrongType, pointer: pointer(of: name), reason: "\(expected) is expected")
    }

    private func askedExactly(_ name: String) -> Bool {
        asked.contains { $0 == name && $0.hasSameBytes(as: name) }
    }
}

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

extension ObjectReader {
    /// A reader of an object member; the caller finishes it.
    public mutating func object(_ name: String) throws(JSONError) -> ObjectReader {
        try present(optionalObject(name), name)
    }

    /// A reader of an object member, or nil when it is absent.
    public mutating func optionalObject(_ name: String) throws(JSONError) -> ObjectReader? {
        guard let value = optionalValue(name) else { return nil }
        return try ObjectReader(value, at: pointer(of: name))
    }

    /// The elements of an array member.
    public mutating func array(_ name: String) throws(JSONError) -> [JSONValue] {
        try present(optionalArray(name), name)
    }

    /// The elements of an array member, or nil when it is absent.
    public mutating func optionalArray(_ name: String) throws(JSONError) -> [JSONValue]? {
        switch optionalValue(name) {
        case nil: return nil
        case .array(let elements): return elements
        default: throw mismatch(name, "an array")
        }
    }

    /// Readers of the elements of an array member that holds objects only; the caller finishes each.
    public mutating func objects(_ name: String) throws(JSONError) -> [ObjectReader] {
        var readers: [ObjectReader] = []
        for (index, element) in try array(name).enumerated() {
            readers.append(try ObjectReader(element, at: "\(pointer(of: name))/\(index)"))
        }
        return readers
    }

    /// The elements of an array member that holds strings only.
    public mutating func strings(_ name: String) throws(JSONError) -> [String] {
        try present(optionalStrings(name), name)
    }

    /// The elements of an array member that holds strings only, or nil when it is absent.
    public mutating func optionalStrings(_ name: String) throws(JSONError) -> [String]? {
        guard let elements = try optionalArray(name) else { return nil }
        var texts: [String] = []
        for (index, element) in elements.enumerated() {
            guard case .string(let text) = element else {
                throw JSONError(
                    code: .wrongType, pointer: "\(pointer(of: name))/\(index)", reason: "a string is expected")
            }
            texts.append(text)
        }
        return texts
    }
}
