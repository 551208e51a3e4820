import Testing
import Text

@Suite struct `Canonical text` {
    @Test func `spellings of one answer are equal and hash alike`() throws {
        let forms = try ["Straße", "STRASSE", "  straße\u{AD} ", "\u{FF33}TRASSE"].map { text throws(TextError) in
            try CanonicalText(answer: text)
        }
        #expect(Set(forms).count == 1)
        #expect(forms[0].bytes == Array("strasse".utf8))
        #expect(forms[0].string == "strasse")
    }

    @Test func `names that only look alike stay apart`() throws {
        #expect(try CanonicalText(name: "Müller") != CanonicalText(name: "Mueller"))
        #expect(try CanonicalText(name: "ısmail") != CanonicalText(name: "ismail"))
        #expect(try CanonicalText(name: "Аnna") != CanonicalText(name: "Anna"), "a Cyrillic letter")
    }

    @Test func `an address is held to 254 bytes`() throws {
        let local = String(repeating: "a", count: 242)
        #expect(try CanonicalText(address: local + "@Example.COM").string == local + "@example.com")
        #expect(throws: TextError(code: .tooLong)) { try CanonicalText(address: local + "a@example.com") }
    }

    @Test func `stored bytes are taken back only when they are canonical`() throws {
        let text = try CanonicalText(name: "Åse  Ødegård")
        #expect(try CanonicalText(canonical: text.bytes) == text)
        for bytes in [Array("Ase".utf8), Array("a  b".utf8), Array("a\u{30A}".utf8), [0x61, 0xFF], [0xC1, 0x81]] {
            #expect(throws: TextError(code: .notCanonical)) { try CanonicalText(canonical: bytes) }
        }
        #expect(throws: TextError(code: .empty)) { try CanonicalText(canonical: []) }
    }

    @Test func `neither a value nor an error shows the text`() throws {
        #expect(!"\(try CanonicalText(answer: "secret"))".contains("secret"))
        #expect("\(TextError(code: .empty))" == "text.empty: the text is empty")
        #expect(CanonicalText.answerRule == 1)
    }
}
