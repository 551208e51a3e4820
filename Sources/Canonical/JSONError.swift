/// Why JSON was refused, and where.
public struct JSONError: Error, Sendable, Equatable, CustomStringConvertible {
    /// What is wrong, as a stable identifier.
    public let code: Code
    /// The byte at which the text was refused, from 0; nil when a parsed value was refused.
    public let offset: Int?
    /// The place of the value, as a JSON pointer (RFC 6901); empty for the whole document.
    public let pointer: String
    /// One clause for a person; it never repeats a value.
    public let reason: String

    /// Makes an error; `reason` must not repeat what was read.
    public init(code: Code, offset: Int? = nil, pointer: String, reason: String) {
        self.code = code
        self.offset = offset
        self.pointer = pointer
        self.reason = reason
    }

    /// The code, the place and the reason, in printable ASCII of bounded length.
    public var description: String {
        var text = "\(code): \(reason)"
        if !pointer.isEmpty { text += " at " + Self.printable(pointer) }
        if let offset { text += " (byte \(offset))" }
        return text
    }

    /// Names come from strangers: anything that could confuse a terminal or a log is replaced, and length is bounded.
    private static func printable(_ pointer: String) -> String {
        let shown = pointer.unicodeScalars.prefix(160).map { (0x20...0x7E).contains($0.value) ? String($0) : "?" }
        return shown.joined() + (pointer.unicodeScalars.count > 160 ? "..." : "")
    }

    /// Appends one member name to a JSON pointer, escaping `~` and `/` (RFC 6901 §3).
    static func pointer(_ pointer: String, member name: String) -> String {
        var result = pointer + "/"
        for scalar in name.unicodeScalars {
            switch scalar {
            case "~": result += "~0"
            case "/": result += "~1"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
