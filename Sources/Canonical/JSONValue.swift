/// A JSON value whose numbers are integers, the only kind this system writes or reads.
///
/// Two values are equal when their canonical forms are the same bytes: strings and member names are compared by their
/// UTF-8, not by Unicode equivalence.
public enum JSONValue: Sendable, Equatable {
    /// The literal `null`; accepted by ``StrictJSON``, never by ``CanonicalJSON``.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// An integer; only those in ``integerRange`` can be read back.
    case integer(Int64)
    /// A string of Unicode scalars.
    case string(String)
    /// Values in order.
    case array([JSONValue])
    /// Members by name.
    case object([String: JSONValue])

    /// The integers every JSON implementation holds exactly: those below 2^53 in magnitude (RFC 7493 §2.2).
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

    /// The member of that exact name (same UTF-8), or nil when it is absent or this is not an object.
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
    /// The value whose name has the same bytes.
    ///
    /// A dictionary finds canonically equivalent keys too (U+212A KELVIN SIGN finds "K"), so the key found is compared.
    func exactMember(_ name: String) -> JSONValue? {
        guard let index = index(forKey: name), self[index].key.utf8.elementsEqual(name.utf8) else { return nil }
        return self[index].value
    }
}
