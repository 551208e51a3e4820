/// A machine-readable reason for refusing or revoking a key: 1 to 64 of `a-z`, `0-9`, `_`, `.` and `-`.
public struct ReasonCode: Sendable, Hashable, CustomStringConvertible {
    /// The code.
    public let text: String

    /// Takes a code; nil when it has other characters or another length.
    public init?(_ text: String) {
        guard isToken(text, upperCase: false) else { return nil }
        self.text = text
    }

    /// The code.
    public var description: String { text }
}

/// The identifier a caller gives a request: 1 to 64 of `A-Z`, `a-z`, `0-9`, `.`, `_` and `-`.
public struct RequestID: Sendable, Hashable, CustomStringConvertible {
    /// The identifier.
    public let text: String

    /// Takes an identifier; nil when it has other characters or another length.
    public init?(_ text: String) {
        guard isToken(text, upperCase: true) else { return nil }
        self.text = text
    }

    /// The identifier.
    public var description: String { text }
}

/// Whether a text is 1 to 64 of the characters both kinds of token have.
private func isToken(_ text: String, upperCase: Bool) -> Bool {
    guard (1...64).contains(text.utf8.count) else { return false }
    return text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        case UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "-"): true
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): upperCase
        default: false
        }
    }
}
