import Testing
import Text

@Suite struct `Text rules` {
    private static let everyScalar = (UInt32(0)...0x10FFFF).compactMap(Unicode.Scalar.init)

    /// Those the folding rule takes.
    private static let assigned = everyScalar.filter { scalar in
        (try? TextRule.foldedText.canonicalize("a" + String(scalar))) != nil
    }

    private func code(_ rule: TextRule, _ text: String, _ limit: Int? = nil) -> TextError.Code? {
        do throws(TextError) {
            _ = try rule.canonicalize(text, maximumBytes: limit)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: TextRule.allCases)
    func `a rule is idempotent for every character`(rule: TextRule) {
        let assigned = Self.assigned.filter { rule == .foldedText || $0.properties.generalCategory != .control }
        #expect(assigned.count > 286_000)
        // Beside a mark, so that the character can compose and reorder; many in one text, because there are so many.
        for start in stride(from: 0, to: assigned.count, by: 16) {
            let some = assigned[start..<min(start + 16, assigned.count)]
            let text = some.map { "\($0)\u{301}" }.joined()
            guard let once = try? rule.canonicalize(text, maximumBytes: 4_096) else {
                Issue.record("refused: \(hexadecimal(some.map(\.value)))")
                continue
            }
            let twice = try? rule.canonicalize(String(decoding: once, as: UTF8.self), maximumBytes: 4_096)
            if twice != once { Issue.record("\(hexadecimal(some.map(\.value)))") }
        }
    }

    @Test func `a rule is idempotent for random strings`() {
        var generator = SeededGenerator(seed: 0x15_00)
        let common: [Unicode.Scalar] = [" ", "a", "\u{301}", "\u{345}", "\u{327}", "\u{AD}", "\u{1100}", "\u{1161}"]
        let lively = Self.assigned.filter { scalar in
            let value = [scalar.value]
            // Hangul syllables decompose too, and would be most of what is drawn.
            return value[0] < 0xAC00 && Normalization.decompose(value) != value
                || (try? TextRule.foldedText.canonicalize("a" + String(scalar))) != Array("a\(scalar)".utf8)
        }
        #expect(lively.count > 6_000)
        var accepted = 0
        for _ in 0..<20_000 {
            var text = String.UnicodeScalarView()
            for _ in 0..<Int.random(in: 1...10, using: &generator) {
                let pool = Bool.random(using: &generator) ? common : lively
                text.append(pool[Int.random(in: 0..<pool.count, using: &generator)])
            }
            for rule in TextRule.allCases {
                guard let once = try? rule.canonicalize(String(text), maximumBytes: 4_096) else { continue }
                accepted += 1
                let twice = try? rule.canonicalize(String(decoding: once, as: UTF8.self), maximumBytes: 4_096)
                #expect(twice == once, "\(hexadecimal(text.map(\.value)))")
            }
        }
        #expect(accepted > 20_000)
    }

    @Test func `canonically equivalent texts have the same form`() {
        var generator = SeededGenerator(seed: 5)
        let pool: [UInt32] = [
            0x61, 0x391, 0x3B1, 0x345, 0x301, 0x308, 0x323, 0x1F80, 0x1FB4, 0xE4, 0x130, 0xAC01, 0x20,
        ]
        for _ in 0..<20_000 {
            let values = (0..<8).map { _ in pool[Int.random(in: 0..<pool.count, using: &generator)] }
            let decomposed = Normalization.decompose(values)
            for rule in TextRule.allCases {
                let forms = [values, decomposed, Normalization.compose(decomposed)].map { form in
                    outcome(rule, form.compactMap(Unicode.Scalar.init).map(String.init).joined())
                }
                #expect(Set(forms).count == 1, "\(hexadecimal(values))")
            }
        }
    }

    @Test func `exactly the characters of Unicode 15.0 are accepted`() {
        // 149,186 graphic and format characters, 137,468 for private use and 65 controls (The Unicode Standard 15.0,
        // appendix D).
        // Controls that are not white space are refused for what they are: 65 but six.
        #expect(Self.assigned.count == 149_186 + 137_468 + 6)
        #expect(code(.foldedText, "\u{31350}") == nil, "new in 15.0")
        #expect(code(.foldedText, "\u{2FFC}") == .unassignedCodePoint, "new in 15.1")
        #expect(code(.passphrase, "\u{1C89}") == .unassignedCodePoint, "new in 16.0")
        #expect(code(.passphrase, "\u{FFFE}") == .unassignedCodePoint, "never a character")
    }

    @Test func `control characters are refused, white space only in passphrases`() {
        for value in Array(UInt32(0)...0x1F) + Array(0x7F...0x9F) {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let white = (0x09...0x0D).contains(value) || value == 0x85
            #expect(code(.foldedText, "a\(scalar)b") == (white ? nil : .controlCharacter))
            #expect(code(.passphrase, "a\(scalar)b") == .controlCharacter)
        }
    }

    @Test func `sizes are checked before and after canonicalisation`() {
        #expect(code(.foldedText, String(repeating: "x", count: 256)) == nil)
        #expect(code(.foldedText, String(repeating: "x", count: 257)) == .tooLong)
        #expect(code(.foldedText, String(repeating: " ", count: 257)) == .tooLong, "before white space goes")
        #expect(code(.foldedText, "\u{FDFA}", 3) == .tooLong, "one character of 3 bytes becomes 18")
        #expect(code(.foldedText, "\u{FDFA}", 33) == nil)
        #expect(code(.foldedText, "\u{FDFA}", 32) == .tooLong)
        #expect(code(.passphrase, String(repeating: "é", count: 512)) == nil)
        #expect(code(.passphrase, String(repeating: "é", count: 513)) == .tooLong)
        #expect(code(.passphrase, "\u{958}", 3) == .tooLong, "a pair that never composes again")
        #expect(code(.foldedText, "", 0) == .empty)
        #expect(code(.foldedText, "x", -1) == .tooLong)
    }

    @Test func `identifiers and limits match the records`() {
        #expect(TextRule.foldedText.rawValue == 1)
        #expect(TextRule.passphrase.rawValue == 2)
        #expect(TextRule(rawValue: 0) == nil)
        #expect(unicodeVersion == 0x0F00)
        #expect(TextRule.foldedText.maximumBytes == 256)
        #expect(TextRule.passphrase.maximumBytes == 1_024)
    }
}

/// SplitMix64: the same strings in every run, so that a failure can be repeated.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
