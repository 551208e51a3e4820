/// The rule of a name that is stored for ever: which ASCII characters, how many.
struct ASCIIName {
    /// A set of ASCII characters.
    struct Characters: OptionSet {
        let rawValue: UInt8
        static let lowerLetters = Characters(rawValue: 1)
        static let upperLetters = Characters(rawValue: 2)
        static let digits = Characters(rawValue: 4)
        static let marks = Characters(rawValue: 8)
        static let lettersAndDigits: Characters = [.lowerLetters, .upperLetters, .digits]

        /// Whether the character is in the set; `.`, `_` and `-` are the marks.
        func has(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): contains(.lowerLetters)
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): contains(.upperLetters)
            case UInt8(ascii: "0")...UInt8(ascii: "9"): contains(.digits)
            case UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"): contains(.marks)
            default: false
            }
        }
    }

    let first: Characters
    let rest: Characters
    let length: ClosedRange<Int>

    /// Whether a text follows the rule.
    func accepts(_ text: String) -> Bool {
        let bytes = text.utf8
        guard length.contains(bytes.count), let start = bytes.first, first.has(start) else { return false }
        return bytes.dropFirst().allSatisfy(rest.has)
    }

    /// Whether characters follow the rule.
    func accepts(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard length.contains(bytes.count), let start = bytes.first, first.has(start) else { return false }
        return bytes.dropFirst().allSatisfy(rest.has)
    }

    /// Types of events.
    static let eventType = ASCIIName(first: .upperLetters, rest: .lettersAndDigits, length: 1...64)
    /// Identifiers of requests.
    static let requestId = ASCIIName(
        first: [.lettersAndDigits, .marks], rest: [.lettersAndDigits, .marks], length: 1...64)
    /// Kinds of streams.
    static let streamKind = ASCIIName(first: .lowerLetters, rest: .lettersAndDigits, length: 1...32)
    /// Kinds of claims.
    static let claimKind = ASCIIName(
        first: .lowerLetters, rest: [.lettersAndDigits, .marks], length: 1...32)
}
