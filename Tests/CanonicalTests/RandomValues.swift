import Canonical

private let scalars: [Unicode.Scalar] = [
    "a", "b", "Z", "0", "/", "\"", "\\", "\u{1}", "\u{8}", "\t", "\n", "\u{C}", "\r", "\u{1F}", "\u{7F}", "\u{80}",
    "é", "\u{301}", "\u{7FF}", "\u{800}", "€", "\u{D7FF}", "\u{E000}", "\u{FEFF}", "\u{FFFF}", "\u{10000}", "😀",
    "\u{10FFFF}",
]

extension JSONValue {
    /// A value without null, of at most `depth` arrays and objects within each other.
    static func random(depth: Int, using generator: inout SeededGenerator) -> JSONValue {
        switch Int.random(in: 0..<(depth > 0 ? 6 : 3), using: &generator) {
        case 0: return .bool(Bool.random(using: &generator))
        case 1:
            let bits = Int64.random(in: 0..<53, using: &generator)
            let bound: Int64 = 1 << bits
            return .integer(Int64.random(in: -bound + 1..<bound, using: &generator))
        case 2: return .string(text(using: &generator))
        case 3:
            let count = Int.random(in: 0...4, using: &generator)
            return .array((0..<count).map { _ in random(depth: depth - 1, using: &generator) })
        default:
            var members: [String: JSONValue] = [:]
            for _ in 0..<Int.random(in: 0...5, using: &generator) {
                members[text(using: &generator)] = random(depth: depth - 1, using: &generator)
            }
            return .object(members)
        }
    }

    private static func text(using generator: inout SeededGenerator) -> String {
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...6, using: &generator) {
            text.append(scalars[Int.random(in: 0..<scalars.count, using: &generator)])
        }
        return String(text)
    }

    /// The same value with white space, members in any order and needless escapes.
    func loosely(using generator: inout SeededGenerator) -> String {
        let space = ["", " ", "\n\t", "\r\n"][Int.random(in: 0..<4, using: &generator)]
        switch self {
        case .string(let text): return space + Self.escaped(text, using: &generator) + space
        case .array(let elements):
            let parts = elements.map { $0.loosely(using: &generator) }
            return "[" + space + parts.joined(separator: space + ",") + space + "]" + space
        case .object(let members):
            let parts = members.shuffled(using: &generator).map { name, value in
                Self.escaped(name, using: &generator) + space + ":" + value.loosely(using: &generator)
            }
            return space + "{" + space + parts.joined(separator: space + "," + space) + space + "}"
        default: return space + canonicalText(self) + space
        }
    }

    private static func escaped(_ text: String, using generator: inout SeededGenerator) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            if scalar.value >= 0x20, scalar != "\"", scalar != "\\", Bool.random(using: &generator) {
                result.unicodeScalars.append(scalar)
            } else {
                let upper = Bool.random(using: &generator)
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: upper)
                    result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
                }
            }
        }
        return result + "\""
    }
}
