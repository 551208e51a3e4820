import Canonical

/// A code of eight characters that a mail or the page behind its link shows, and that somebody types elsewhere: 40 bits
/// of a keyed digest.
struct TypedCode: Sendable, Redacted {
    /// The characters, without those that look alike (Crockford's base 32).
    private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
    private static let length = 8
    /// How many codes may be typed.
    static let limit = 5
    /// The code, without the hyphen that people see.
    private let text: String

    /// - Parameter digest: The keyed digest, at least five bytes.
    init(of digest: [UInt8]) {
        let bits = digest.prefix(5).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        text = String((0..<Self.length).map { Self.alphabet[Int(bits >> UInt64(35 - 5 * $0)) & 31] })
    }

    /// The code in two groups, such as `7KQ2-M9XA`.
    var shown: String { "\(text.prefix(4))-\(text.suffix(4))" }

    /// Whether somebody typed the code, in either case, with or without hyphen and spaces, or with a letter for the
    /// digit that it looks like. The comparison takes the same time wherever the codes differ.
    func matches(_ typed: String) -> Bool {
        let characters = typed.uppercased().compactMap { character -> Character? in
            switch character {
            case "-", " ": nil
            case "O": "0"
            case "I", "L": "1"
            default: character
            }
        }
        let given = Array(String(characters).utf8), right = Array(text.utf8)
        guard given.count == right.count else { return false }
        return zip(given, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
