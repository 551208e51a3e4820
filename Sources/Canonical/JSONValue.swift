#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A JSON value whose numbers are integers, the only kind that this system writes or reads.
///
/// Two values are equal if their canonical forms are the same bytes. Strings and member names are compared by their
/// UTF-8, not by Unicode equivalence.
public enum JSONValue: Sendable, Equatable {
    /// The literal `null`; accepted by ``StrictJSON``, never by ``CanonicalJSON``.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer. Only those in ``integerRange`` can be parsed again.
    case integer(Int64)
    /// A string of Unicode scalars.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members by name.
    case object([String: JSONValue])

    /// The integers that every JSON implementation represents exactly: those below 2^53 in magnitude (RFC 7493 §2.2).
    public static let integerRange: ClosedRange<Int64> = -9_007_199_254_740_991...9_007_199_254_740_991

    /// Whether both values have the same canonical bytes.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let a), .bool(let b)): a == b
        case (.integer(let a), .integer(let b)): a == b
        case (.string(let a), .string(let b)): a.utf8.elementsEqual(b.utf8)
        case (.array(let a), .array(let b)): a == b
        case (.object(let a), .object(let b)): sameMembers(a, b)
        default: false
        }
    }

    /// The member with exactly this name (same UTF-8), or `nil` if it is absent or this is not an object.
    public subscript(name: String) -> JSONValue? {
        guard case .object(let members) = self else { return nil }
        return members.exactMember(name)
    }

    private static func sameMembers(_ a: [String: JSONValue], _ b: [String: JSONValue]) -> Bool {
        guard a.count == b.count else { return false }
        for (name, value) in a {
            guard let other = b.exactMember(name), other == value else { return false }
        }
        return true
    }
}

extension [String: JSONValue] {
    /// Returns the value whose name has the same bytes.
    ///
    /// A dictionary also finds canonically equivalent keys (U+212A KELVIN SIGN finds "K"), so the found key is
    /// compared.
    func exactMember(_ name: String) -> JSONValue? {
        guard let index = index(forKey: name), self[index].key.hasSameBytes(as: name) else { return nil }
        return self[index].value
    }
}

extension String {
    /// Whether both have the same UTF-8. Equal strings need not.
    func hasSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { own in
            other.utf8.withContiguousStorageIfAvailable { own.elementsEqual($0) }
        }
        return (isSame ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// A boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// A string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// An array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// An object. Of two members with one name the later one wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, later in later }))
    }

    /// Returns an object of the members that have a value. Absent members are omitted, never written as null.
    public static func objectOmittingNil(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        var present: [String: JSONValue] = [:]
        for (name, value) in members {
            if let value { present[name] = value }
        }
        return .object(present)
    }

    /// Returns bytes as a string: unpadded base64url (RFC 4648 §5).
    public static func bytes(_ bytes: some Collection<UInt8>) -> JSONValue { .string(Base64URL.encode(bytes)) }

    /// Returns an identifier as a string: 36 lower-case characters (RFC 9562 §4).
    public static func uuid(_ id: UUID) -> JSONValue { .string(id.lowercased) }

    /// Returns an instant as a string: `YYYY-MM-DDThh:mm:ss.ffffffZ`.
    public static func timestamp(_ time: Timestamp) -> JSONValue { .string(time.description) }
}

/// The value as one type, or the error with its place.
extension JSONValue {
    /// The text of a string.
    public func string(at place: MemberPlace) throws(JSONError) -> String {
        guard case .string(let text) = self else { throw place.mismatch("a string") }
        return text
    }

    /// The truth of a boolean.
    public func bool(at place: MemberPlace) throws(JSONError) -> Bool {
        guard case .bool(let flag) = self else { throw place.mismatch("a boolean") }
        return flag
    }

    /// The number of an integer within a range.
    public func integer(
        in range: ClosedRange<Int64> = JSONValue.integerRange, at place: MemberPlace
    ) throws(JSONError) -> Int64 {
        guard case .integer(let number) = self else { throw place.mismatch("an integer") }
        guard range.contains(number) else {
            throw place.invalid("an integer from \(range.lowerBound) to \(range.upperBound) is expected")
        }
        return number
    }

    /// The bytes of a string in unpadded base64url.
    public func bytes(at place: MemberPlace) throws(JSONError) -> [UInt8] {
        guard let bytes = Base64URL.decode(try string(at: place)) else {
            throw place.invalid("unpadded base64url is expected")
        }
        return bytes
    }

    /// The identifier of a string of 36 lower-case characters.
    public func uuid(at place: MemberPlace) throws(JSONError) -> UUID {
        guard let id = UUID(lowercased: try string(at: place)) else {
            throw place.invalid("a lower-case UUID is expected")
        }
        return id
    }

    /// The instant of a string `YYYY-MM-DDThh:mm:ss.ffffffZ`.
    public func timestamp(at place: MemberPlace) throws(JSONError) -> Timestamp {
        guard let time = Timestamp(try string(at: place)) else {
            throw place.invalid("YYYY-MM-DDThh:mm:ss.ffffffZ is expected")
        }
        return time
    }

    /// The elements of an array, each read at its place.
    public func array<Element>(
        at place: MemberPlace, _ read: (JSONValue, MemberPlace) throws(JSONError) -> Element
    ) throws(JSONError) -> [Element] {
        guard case .array(let elements) = self else { throw place.mismatch("an array") }
        let pointer = place.pointer
        var values: [Element] = []
        values.reserveCapacity(elements.count)
        for index in elements.indices {
            values.append(
                try read(elements[index], MemberPlace(of: index, in: pointer, schema: place.schema)))
        }
        return values
    }

    /// The texts of an array of strings.
    public func strings(at place: MemberPlace) throws(JSONError) -> [String] {
        try array(at: place) { (element, place) throws(JSONError) in try element.string(at: place) }
    }
}
