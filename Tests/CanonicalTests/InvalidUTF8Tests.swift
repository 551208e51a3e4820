import Canonical
import Testing

@Suite struct `Bytes that are not UTF-8` {
    private static let wrong: [[UInt8]] = [
        [0x80], [0xBF], [0xC0, 0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xE0, 0x9F, 0xBF],
        [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x8F, 0xBF, 0xBF], [0xED, 0xA0, 0x80], [0xED, 0xBF, 0xBF],
        [0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80],
        [0xF8, 0x88, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xE2, 0x28, 0xA1],
        [0xE2, 0x82, 0x28], [0xF0, 0x9F, 0x98], [0xF0, 0x28, 0x98, 0x80], [0xF0, 0x9F, 0x28, 0x80],
        [0xF0, 0x9F, 0x98, 0x28],
    ]

    @Test(arguments: wrong)
    func `are refused in values and names, terminated or truncated`(bytes: [UInt8]) {
        let quote = UInt8(ascii: "\"")
        for canonical in [false, true] {
            let value = refusal([quote, 0x61] + bytes + [quote], canonical: canonical)
            #expect(value?.code == .invalidUTF8)
            #expect(value?.offset == 2)
            #expect(refusal([quote, 0x61] + bytes, canonical: canonical)?.code == .invalidUTF8)
            let name = refusal([UInt8(ascii: "{"), quote] + bytes + Array("\":1}".utf8), canonical: canonical)
            #expect(name?.code == .invalidUTF8)
            #expect(name?.offset == 2)
        }
        #expect(refusal(bytes)?.code == .unexpectedByte)
    }

    @Test func `every scalar value round-trips`() throws {
        var text = String.UnicodeScalarView()
        for value in UInt32(1)...0x10FFFF {
            if let scalar = Unicode.Scalar(value) { text.append(scalar) }
        }
        let bytes = JSONValue.string(String(text)).canonicalBytes()
        let limits = StrictJSON.Limits(bytes: bytes.count)
        let value = try CanonicalJSON.parse(bytes, limits: limits)
        #expect(value == .string(String(text)))
        #expect(value.canonicalBytes() == bytes)
    }

    @Test func `the check agrees with the standard library on random bytes`() {
        var generator = SeededGenerator(seed: 8)
        let pool: [UInt8] = [
            0x61, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF4,
        ]
        var valid = 0
        for _ in 0..<50_000 {
            let count = Int.random(in: 1...5, using: &generator)
            let bytes = (0..<count).map { _ in pool[Int.random(in: 0..<pool.count, using: &generator)] }
            let expected = String(validating: bytes, as: UTF8.self) != nil
            #expect((refusal([0x22] + bytes + [0x22]) == nil) == expected, "\(bytes)")
            if expected { valid += 1 }
        }
        #expect(valid > 500)
    }
}
