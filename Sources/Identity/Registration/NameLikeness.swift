import Text

/// Tells whether a name looks like another one: what a hurried reader takes for the same person.
///
/// Case, accents, spaces, dots, doubled letters and the order of words do not count, nor do letters of other scripts
/// and digits that look like Latin letters. In longer names one letter may differ.
package struct NameLikeness: Sendable {
    /// Two names of at least so many letters are alike although one letter differs.
    private static let lengthForOneOff = 6

    private static let lookalikes: [Unicode.Scalar: String] = [
        "0": "o", "1": "l", "|": "l", "!": "l", "3": "e", "4": "a", "5": "s", "7": "t", "8": "b", "$": "s",
        // Cyrillic and Greek.
        "а": "a", "в": "b", "е": "e", "к": "k", "м": "m", "н": "h", "о": "o", "р": "p", "с": "c", "т": "t", "у": "y",
        "х": "x", "ѕ": "s", "і": "l", "ј": "j", "ԁ": "d", "ӏ": "l", "α": "a", "β": "b", "ε": "e", "ι": "l", "κ": "k",
        "ν": "v", "ο": "o", "ρ": "p", "τ": "t", "υ": "u", "χ": "x", "ı": "l", "ł": "l", "ø": "o", "đ": "d", "ß": "s",
    ]

    /// Words by which somebody would speak for the company, as ``words(_:)`` has them.
    private static let titles = Set(
        UserName.reserved.filter { $0.utf8.count >= 5 || ["boss", "ceo", "cfo", "cio", "cto", "root"].contains($0) }
            .map { words($0).joined() })

    private let names: [[String]]

    /// - Parameter names: The names that nobody else should look like: of each admin the user name, the display name,
    ///   and the local part of the address.
    package init(to names: [String]) { self.names = names.map(Self.words).filter { !$0.isEmpty } }

    /// Whether a name looks like one of them, or says of itself that it is an admin or the like.
    package func finds(_ name: String) -> Bool {
        let words = Self.words(name)
        guard !words.isEmpty else { return false }
        if words.contains(where: Self.titles.contains) || Self.titles.contains(words.joined()) { return true }
        return names.contains { Self.areAlike(words, $0) }
    }

    /// The name as whoever decides sees it: in quotation marks unless an admin has approved it with its person.
    package static func shown(_ name: String, isApproved: Bool) -> String { isApproved ? name : "“\(name)”" }

    private static func areAlike(_ left: [String], _ right: [String]) -> Bool {
        let (a, b) = (left.sorted().joined(), right.sorted().joined())
        return a == b || isOneOff(left.joined(), right.joined()) || isOneOff(a, b)
    }

    /// Whether one letter, added, left out or replaced, or two that changed places, are all that differs.
    private static func isOneOff(_ left: String, _ right: String) -> Bool {
        let (a, b) = (Array(left.utf8), Array(right.utf8))
        guard min(a.count, b.count) >= lengthForOneOff, abs(a.count - b.count) <= 1 else { return a == b }
        let start = zip(a, b).prefix { $0 == $1 }.count
        let most = min(a.count, b.count) - start
        let end = zip(a.reversed(), b.reversed()).prefix { $0 == $1 }.count
        if start + min(end, most) >= max(a.count, b.count) - 1 { return true }
        return a.count == b.count && start + 2 + end == a.count && a[start] == b[start + 1] && a[start + 1] == b[start]
    }

    /// The words of a name in their plainest form.
    private static func words(_ name: String) -> [String] {
        let scalars = Normalization.decompose(name.lowercased().unicodeScalars.map(\.value))
            .compactMap(Unicode.Scalar.init)
        var plain = ""
        for scalar in scalars where scalar.properties.generalCategory != .nonspacingMark {
            if let like = lookalikes[scalar] {
                plain += like
            } else if scalar.properties.isAlphabetic || scalar.properties.numericType != nil {
                plain += scalar == "i" ? "l" : scalar == "j" ? "j" : String(scalar)
            } else {
                plain += " "
            }
        }
        return plain.split(separator: " ").map(single)
    }

    /// A word with `rn` as `m`, `vv` as `w`, and each run of a letter once.
    private static func single(_ word: Substring) -> String {
        var letters: [Character] = []
        for letter in word.replacing("rn", with: "m").replacing("vv", with: "w") where letters.last != letter {
            letters.append(letter)
        }
        return String(letters)
    }
}
