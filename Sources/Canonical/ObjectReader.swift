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

    /// The value of a member of one kind.
    public mutating func value<Value>(_ name: String, of kind: MemberKind<Value>) throws(JSONError) -> Value {
        try kind.read(value(name), MemberPlace(of: name, in: pointer))
    }

    private func present<Value>(_ value: Value?, _ name: String) throws(JSONError) -> Value {
        guard let value else { throw MemberPlace(of: name, in: pointer).missing() }
        return value
    }

    /// Reads a member at its place, or returns `nil` if it is absent.
    private mutating func optional<Value>(
        _ name: String, _ read: (JSONValue, MemberPlace) throws(JSONError) -> Value
    ) throws(JSONError) -> Value? {
        guard let value = optionalValue(name) else { return nil }
        return try read(value, MemberPlace(of: name, in: pointer))
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
        try optional(name) { (value, place) throws(JSONError) in try value.string(at: place) }
    }

    /// A boolean member.
    public mutating func bool(_ name: String) throws(JSONError) -> Bool { try present(optionalBool(name), name) }

    /// A boolean member, or nil when it is absent.
    public mutating func optionalBool(_ name: String) throws(JSONError) -> Bool? {
        try optional(name) { (value, place) throws(JSONError) in try value.bool(at: place) }
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
        try optional(name) { (value, place) throws(JSONError) in try value.integer(in: range, at: place) }
    }

    /// Bytes, written as unpadded base64url; exactly `count` of them when that is given.
    public mutating func bytes(_ name: String, count: Int? = nil) throws(JSONError) -> [UInt8] {
        try present(optionalBytes(name, count: count), name)
    }

    /// Bytes, written as unpadded base64url, or nil when the member is absent.
    public mutating func optionalBytes(_ name: String, count: Int? = nil) throws(JSONError) -> [UInt8]? {
        try optional(name) { (value, place) throws(JSONError) in
            let bytes = try value.bytes(at: place)
            if let count, bytes.count != count { throw place.invalid("\(count) bytes are expected") }
            return bytes
        }
    }

    /// An identifier, written as 36 lower-case characters.
    public mutating func uuid(_ name: String) throws(JSONError) -> UUID { try present(optionalUUID(name), name) }

    /// An identifier, written as 36 lower-case characters, or nil when the member is absent.
    public mutating func optionalUUID(_ name: String) throws(JSONError) -> UUID? {
        try optional(name) { (value, place) throws(JSONError) in try value.uuid(at: place) }
    }

    /// An instant, written as `YYYY-MM-DDThh:mm:ss.ffffffZ`.
    public mutating func timestamp(_ name: String) throws(JSONError) -> Timestamp {
        try present(optionalTimestamp(name), name)
    }

    /// An instant, written as `YYYY-MM-DDThh:mm:ss.ffffffZ`, or nil when the member is absent.
    public mutating func optionalTimestamp(_ name: String) throws(JSONError) -> Timestamp? {
        try optional(name) { (value, place) throws(JSONError) in try value.timestamp(at: place) }
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
        try optional(name) { (value, place) throws(JSONError) in
            guard case .array(let elements) = value else { throw place.mismatch("an array") }
            return elements
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
        try optional(name) { (value, place) throws(JSONError) in try value.strings(at: place) }
    }
}
