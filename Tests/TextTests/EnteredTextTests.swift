import Testing

@testable import Text

@Suite struct `Entered text` {
    private func code(_ text: String) -> TextError.Code? {
        do throws(TextError) {
            try EnteredText.check(text)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: [
        "", " ", "Société Générale", "株式会社", "a\u{A0}b", "a\u{3000}b", "e\u{301}", "שלום", "محمد", "😀", "🏢",
        // Sinhala, Malayalam and Devanagari ask for a joiner behind the virama, Persian for a non-joiner.
        "ශ්\u{200D}රී", "ക്\u{200D}", "क्\u{200D}ष", "क्\u{200C}ष", "می\u{200C}خواهم", "بِ\u{200C}با",
        // Ideographs have variants, Mongolian letters have forms.
        "葛\u{E0100}", "邉\u{E0101}城", "㐂\u{FE00}", "ᠭ\u{180B}", "ᠠ\u{180E}ᠠ",
    ])
    func `is accepted if all its characters are visible or needed by its script`(text: String) {
        #expect(code(text) == nil)
    }

    @Test(arguments: [
        "a\u{200D}b", "\u{200D}", "क\u{200D}ष", "a\u{200C}b", "\u{200C}می", "می\u{200C}", "ا\u{200C}ب", "می\u{200C}a",
        "1\u{FE0F}", "❤\u{FE0F}", "👩\u{200D}💻", "a\u{E0100}", "葛\u{E0100}\u{E0101}", "a\u{180B}",
    ])
    func `is refused with a joiner or a selector where none is needed`(text: String) {
        #expect(code(text) == .invisibleCharacter)
    }

    @Test(arguments: ["\u{FFFD}", "m\u{FFFD}ller", "\u{FFFD}\u{301}"])
    func `is refused with the character for bytes that were not UTF-8`(text: String) throws {
        #expect(code(text) == .replacementCharacter)
        for rule in TextRule.allCases {
            #expect(throws: TextError(code: .replacementCharacter)) { try rule.canonicalize(entered: text) }
            // What is stored already keeps its form.
            #expect(try !rule.canonicalize(text).isEmpty)
        }
        #expect(try TextRule.foldedText.canonicalize(entered: "Müller") == Array("müller".utf8))
    }

    @Test func `is refused with every default-ignorable character behind a Latin letter`() {
        let ignorable = (UInt32(0)...0x10FFFF).compactMap(Unicode.Scalar.init)
            .filter(\.properties.isDefaultIgnorableCodePoint)
        #expect(ignorable.count > 4_000)
        for scalar in ignorable where code("a\(scalar)") != .invisibleCharacter {
            Issue.record("accepted: \(hexadecimal([scalar.value]))")
        }
    }

    @Test func `is refused with every control character and line separator`() {
        let values = Array(UInt32(0)...0x1F) + Array(0x7F...0x9F) + [0x2028, 0x2029]
        for scalar in values.compactMap(Unicode.Scalar.init) { #expect(code("a\(scalar)") == .controlCharacter) }
    }

    @Test func `is checked with sorted tables`() {
        // A set of ranges finds nothing reliably unless they are.
        for scalar: UInt32 in [0x200B, 0xFEFF, 0xE0FFF, 0xAD] { #expect(InvisibleCharacters.all.contains(scalar)) }
        for scalar: UInt32 in [0x620, 0x6CC, 0x1E943] { #expect(JoiningLetters.joiningOnward.contains(scalar)) }
        for scalar: UInt32 in [0x622, 0x10FC9] { #expect(JoiningLetters.joiningBackward.contains(scalar)) }
    }
}
