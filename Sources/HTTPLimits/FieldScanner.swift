/// Reads the parts of a field value one after the other: tokens, quoted strings, lists and parameters
/// (RFC 9110 §5.6).
///
/// A read that finds something else returns `nil` and consumes nothing.
struct FieldScanner {
    private var rest: Substring.UTF8View

    init(_ text: Substring) { rest = text.utf8 }

    /// Whether everything is read.
    var isAtEnd: Bool { rest.isEmpty }

    /// Skips spaces and tabs (§5.6.3).
    mutating func skipSpaces() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

    mutating func take(_ character: Unicode.Scalar) -> Bool {
        guard let first = rest.first, first == UInt8(ascii: character) else { return false }
        rest = rest.dropFirst()
        return true
    }

    /// Reads one or more bytes.
    mutating func take(while isWanted: (UInt8) -> Bool) -> String? {
        let end = rest.firstIndex { !isWanted($0) } ?? rest.endIndex
        guard end != rest.startIndex, let text = String(rest[..<end]) else { return nil }
        rest = rest[end...]
        return text
    }

    /// Reads a token (§5.6.2).
    mutating func token() -> String? { take(while: Self.isTokenByte) }

    /// Reads a quoted string (§5.6.4) and returns its content without backslashes.
    mutating func quotedString() -> String? {
        let before = rest
        guard take("\"") else { return nil }
        var content: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                guard let text = String(validating: content, as: UTF8.self) else { break }
                return text
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst(), Self.isText(escaped) else { break }
                content.append(escaped)
                continue
            default:
                guard Self.isText(byte) else { break }
                content.append(byte)
                continue
            }
            break
        }
        rest = before
        return nil
    }

    /// Reads an opaque tag (§8.8.3), which has no escapes, and returns it without its quotation marks.
    mutating func opaqueTag() -> String? {
        let before = rest
        guard take("\"") else { return nil }
        let content = take { $0 == 0x21 || (0x23...0x7E).contains($0) || $0 >= 0x80 } ?? ""
        guard take("\"") else {
            rest = before
            return nil
        }
        return content
    }

    mutating func value() -> String? { token() ?? quotedString() }

    /// Reads parameters (§5.6.6), each after a semicolon; empty ones are skipped. Names are in lower case.
    ///
    /// - Parameter isValueOptional: Whether a name may stand alone, as in RFC 7240.
    /// - Returns: `nil` if one is malformed.
    mutating func parameters(isValueOptional: Bool = false) -> [FieldParameter]? {
        var parameters: [FieldParameter] = []
        while true {
            skipSpaces()
            guard take(";") else { return parameters }
            skipSpaces()
            guard let name = token() else { continue }
            if isValueOptional { skipSpaces() }
            guard take("=") else {
                guard isValueOptional else { return nil }
                parameters.append(FieldParameter(name: name.lowercased(), value: ""))
                continue
            }
            if isValueOptional { skipSpaces() }
            guard let value = value() else { return nil }
            parameters.append(FieldParameter(name: name.lowercased(), value: value))
        }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }

    /// Whether a quoted string may contain the byte.
    private static func isText(_ byte: UInt8) -> Bool { byte == 0x09 || (byte >= 0x20 && byte != 0x7F) }
}

/// A parameter of a field value. The name is in lower case.
package struct FieldParameter: Sendable, Equatable {
    package let name: String
    /// The value without quotation marks.
    package let value: String
}
