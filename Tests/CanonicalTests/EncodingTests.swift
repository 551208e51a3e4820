import Canonical
import Testing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct `Encodings of bytes` {
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func `base64 matches the vectors of RFC 4648, section 10`(text: String, encoded: String) {
        #expect(Base64.encode(text.utf8) == encoded)
        #expect(Base64.decode(encoded) == Array(text.utf8))
        let unpadded = String(encoded.prefix { $0 != "=" })
        #expect(Base64URL.encode(text.utf8) == unpadded)
        #expect(Base64URL.decode(unpadded) == Array(text.utf8))
    }

    @Test func `each base64 alphabet refuses the two characters of the other`() {
        let bytes: [UInt8] = [0xFB, 0xEF, 0xFF]
        #expect(Base64.encode(bytes) == "++//")
        #expect(Base64URL.encode(bytes) == "--__")
        #expect(Base64.decode("--__") == nil)
        #expect(Base64URL.decode("++//") == nil)
    }

    @Test(arguments: [
        "A", "AAAAA", "AA=", "AA==", "AAA=", "AB", "AAB", "Zh", "Zm9vYn", " AA", "AA\n", "A A", "AA\u{0}", "ÄA",
        "AAAA====", "=", "====",
    ])
    func `unpadded base64url refuses padding, unused bits and foreign characters`(text: String) {
        // Lengths of 1 more than a multiple of 4, bits behind the last byte, and characters outside the alphabet.
        #expect(Base64URL.decode(text) == nil)
    }

    @Test(arguments: [
        "A", "AA", "AAA", "AA=", "A===", "====", "AB==", "AAB=", "AA==AAAA", "AA=A", "=AAA", "AAAA=", "AA==\n",
        "AA==AA==",
        "AAAA====",
    ])
    func `padded base64 refuses missing, needless and misplaced padding and unused bits`(text: String) {
        #expect(Base64.decode(text) == nil)
    }

    @Test func `every byte string has one spelling`() throws {
        var generator = SeededGenerator(seed: 64)
        for count in 0..<300 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            #expect(Base64.decode(Base64.encode(bytes)) == bytes)
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
            #expect(Base64URL.encode(bytes).utf8.count == (count * 4 + 2) / 3)
            #expect(Hex.decode(Hex.encode(bytes)) == bytes)
        }
        let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
        let twoDigits = alphabet.flatMap { first in alphabet.map { String([first, $0]) } }
        #expect(twoDigits.compactMap { Base64URL.decode($0) }.count == 256)
        for text in twoDigits {
            guard let bytes = Base64URL.decode(text) else { continue }
            #expect(Base64URL.encode(bytes) == text)
        }
    }

    @Test func `hexadecimal is lower case in pairs`() {
        #expect(Hex.encode([0x00, 0x0F, 0xA5, 0xFF]) == "000fa5ff")
        #expect(Hex.decode("000fa5ff") == [0x00, 0x0F, 0xA5, 0xFF])
        #expect(Hex.decode("") == [])
        for text in ["0", "abc", "0g", "FF", "fF", " 0", "0x", "é"] { #expect(Hex.decode(text) == nil) }
    }

    @Test func `hexadecimal of either case is read where it is asked for`() {
        for text in ["000fa5ff", "000FA5FF", "000Fa5fF"] {
            #expect(Hex.decodeAnyCase(text) == [0x00, 0x0F, 0xA5, 0xFF])
        }
        for text in ["0", "ABC", "0G", " 0", "0X", "É", "\u{FF21}\u{FF21}"] {
            #expect(Hex.decodeAnyCase(text) == nil)
        }
    }

    @Test func `an identifier has 16 bytes and one spelling`() throws {
        let text = "00112233-4455-6677-8899-aabbccddeeff"
        let id = try #require(UUID(lowercased: text))
        #expect(id.bytes == (0..<16).map { $0 * 0x11 })
        #expect(id.lowercased == text)
        #expect(UUID(bytes: id.bytes) == id)
        #expect(UUID(bytes: id.bytes.dropLast()) == nil)
        #expect(UUID(bytes: id.bytes + [0]) == nil)
        for wrong in [
            "", text.uppercased(), "{\(text)}", "00112233445566778899aabbccddeeff", text + "0", String(text.dropLast()),
            "001122334-455-6677-8899-aabbccddeeff", "00112233-4455-6677-8899-aabbccddeefg",
            "0011223é-4455-6677-8899-aabbccddeef",
        ] {
            #expect(UUID(lowercased: wrong) == nil, "\(wrong)")
        }
        #expect(UUID(entered: text.uppercased()) == id && UUID(entered: text) == id)
        for wrong in ["", "{\(text)}", text + "\n", " " + text, "0011223É-4455-6677-8899-AABBCCDDEEF", text + "0"] {
            #expect(UUID(entered: wrong) == nil, "\(wrong)")
        }
        for _ in 0..<100 {
            let random = UUID()
            #expect(UUID(entered: random.uuidString) == random)
            #expect(random.lowercased == random.uuidString.lowercased())
            #expect(UUID(lowercased: random.lowercased) == random)
        }
    }

    @Test func `random identifiers are of version 4, and every other bit is random`() {
        var ones = [Int](repeating: 0, count: 128), seen: Set<UUID> = []
        for _ in 0..<2_000 {
            let id = UUID.random()
            seen.insert(id)
            for (place, byte) in id.bytes.enumerated() {
                for bit in 0..<8 where byte >> (7 - bit) & 1 == 1 { ones[place * 8 + bit] += 1 }
            }
        }
        #expect(seen.count == 2_000)
        // The version in bits 48 to 51, the variant in 64 and 65 (RFC 9562 section 5.4).
        let fixed = [48: 0, 49: 2_000, 50: 0, 51: 0, 64: 2_000, 65: 0]
        for (bit, count) in ones.enumerated() {
            if let fixed = fixed[bit] {
                #expect(count == fixed, "bit \(bit)")
            } else {
                // Nine standard deviations: a fair bit misses this once in 10^18 runs.
                #expect((800...1_200).contains(count), "bit \(bit)")
            }
        }
    }
}
