#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension JSONValue: ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral, ExpressibleByStringLiteral,
    ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes a boolean.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// Makes an integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }

    /// Makes a string.
    public init(stringLiteral value: String) { self = .string(value) }

    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }

    /// Makes an object; of two members with one name the later wins.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, later in later }))
    }

    /// Makes an object from the members that have a value: an absent member is omitted, never written as null.
    public static func objectOmittingNil(_ members: KeyValuePairs<String, JSONValue?>) -> JSONValue {
        var present: [String: JSONValue] = [:]
        for (name, value) in members {
            if let value { present[name] = value }
        }
        return .object(present)
    }

    /// Makes the string that stands for bytes: unpadded base64url (RFC 4648 §5).
    public static func bytes(_ bytes: some Collection<UInt8>) -> JSONValue { .string(Base64URL.encode(bytes)) }

    /// Makes the string that stands for an identifier: 36 lower-case characters (RFC 9562 §4).
    public static func uuid(_ id: UUID) -> JSONValue { .string(id.lowercased) }

    /// Makes the string that stands for an instant: `YYYY-MM-DDThh:mm:ss.ffffffZ`.
    public static func timestamp(_ time: Timestamp) -> JSONValue { .string(time.description) }
}
