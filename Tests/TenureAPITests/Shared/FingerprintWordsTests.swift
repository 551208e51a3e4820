import Crypto
import TenureAPI
import Testing

@Suite struct FingerprintWordsTests {
    @Test func `each byte has a word, and no word begins like another`() {
        #expect(FingerprintWords.list.count == 256)
        #expect(Set(FingerprintWords.list.map { $0.prefix(4) }).count == 256)
        #expect(FingerprintWords.list.allSatisfy { $0.allSatisfy { ("a"..."z").contains($0) } })
    }

    @Test func `a fingerprint has the words of its first eight bytes`() {
        let bytes = [0, 1, 2, 255, 254, 0, 7, 8] + [UInt8](repeating: 99, count: 24)
        #expect(FingerprintWords(bytes).text == "acorn amber anchor zipper zebra acorn autumn badge")
        #expect(FingerprintWords([]).words.isEmpty)
        #expect(FingerprintWords(hex: "0001ff") == FingerprintWords([0, 1, 255]))
        #expect(FingerprintWords(hex: "no hex").text == "")
    }

    @Test func `the list is for ever`() {
        let text = FingerprintWords.list.joined(separator: " ")
        let digest = SHA256.hash(data: Array(text.utf8)).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }
        #expect(digest.joined() == "f2f91d286fee823eab63bc980c1963355cc6413a12cd060ca19455663c33042d")
    }
}
