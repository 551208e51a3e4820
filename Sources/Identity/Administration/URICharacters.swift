/// The characters of URIs (RFC 3986).
enum URICharacters {
    /// Whether a text consists of the characters of URIs, with complete percent-encodings (section 2).
    static func areWritten(_ bytes: [UInt8]) -> Bool {
        bytes.indices.allSatisfy { index in
            switch bytes[index] {
            case UInt8(ascii: "%"):
                index + 2 < bytes.count && isHexDigit(bytes[index + 1]) && isHexDigit(bytes[index + 2])
            case let byte: isLetter(byte) || isDigit(byte) || marks.contains(byte)
            }
        }
    }

    /// Whether a text is a scheme: a letter, then letters, digits, `+`, `-` and `.` (section 3.1).
    static func areScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, isLetter(first) else { return false }
        return bytes.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    static func isLetter(_ byte: UInt8) -> Bool { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// The reserved and unreserved characters besides letters and digits.
    private static let marks = Set("-._~:/?[]@!$&'()*+,;=".utf8)

    private static func isHexDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte | 0x20)
    }
}
