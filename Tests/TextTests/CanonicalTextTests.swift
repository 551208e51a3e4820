import Testing
import Text

@Suite struct `Canonical text` {
    @Test func `equivalent spellings of an answer have the same hash`() throws {
        let forms = try ["Straße", "STRASSE", "  straße\u{AD} ", "\u{FF33}TRASSE"].map { text throws(TextError) in
            try CanonicalText(answer: text)
        }
        #expect(Set(forms).count == 1)
        #expect(forms[0].bytes == Array("strasse".utf8))
        #expect(forms[0].string == "strasse")
    }

    @Test func `look-alike names stay different`() throws {
        #expect(try CanonicalText(name: "Müller") != CanonicalText(name: "Mueller"))
        #expect(try CanonicalText(name: "ısmail") != CanonicalText(name: "ismail"))
        #expect(try CanonicalText(name: "Аnna") != CanonicalText(name: "Anna"), "a Cyrillic letter")
    }

    @Test func `an address has at most 254 bytes`() throws {
        let local = String(repeating: "a", count: 242)
        #expect(try CanonicalText(address: local + "@Example.COM").string == local + "@example.com")
        #expect(throws: TextError(code: .tooLong)) { try CanonicalText(address: local + "a@example.com") }
    }

    @Test func `stored bytes are accepted only in canonical form`() throws {
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
