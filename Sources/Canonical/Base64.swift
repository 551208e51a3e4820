/// Base64 with padding (RFC 4648 §4).
public enum Base64 {
    /// The padded text of the bytes.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.standard.encode(bytes, padded: true)
    }

    /// The bytes of a padded text, or nil.
    ///
    /// Strict: no white space, all the padding, and unused bits zero, so that every byte string has one spelling.
    public static func decode(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        // Only the last group may be padded, by one or two signs.
        for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        return Base64Alphabet.standard.decode(digits)
    }
}

/// Base64 for addresses and file names, without padding (RFC 4648 §5).
public enum Base64URL {
    /// The unpadded text of the bytes.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.url.encode(bytes, padded: false)
    }

    /// The bytes of an unpadded text, or nil.
    ///
    /// Strict: no white space, no padding, and unused bits zero, so that every byte string has one spelling.
    public static func decode(_ text: String) -> [UInt8]? {
        Base64Alphabet.url.decode(Array(text.utf8))
    }
}

struct Base64Alphabet: Sendable {
    static let standard = Base64Alphabet(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    static let url = Base64Alphabet(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")

    private let digits: [UInt8]
    /// The value of every byte, 0xFF for those that are no digit.
    private let values: [UInt8]

    private init(_ alphabet: String) {
        digits = Array(alphabet.utf8)
        var values = [UInt8](repeating: 0xFF, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
        self.values = values
    }

    func encode(_ bytes: some Collection<UInt8>, padded: Bool) -> String {
        let bytes = Array(bytes), digits = digits
        let length = padded ? (bytes.count + 2) / 3 * 4 : (bytes.count * 4 + 2) / 3
        return String(unsafeUninitializedCapacity: length) { text in
            var place = 0
            for start in stride(from: 0, to: bytes.count, by: 3) {
                // Three bytes are four digits; what is missing at the end counts as zero and is not written.
                var group: UInt32 = 0
                for index in start..<(start + 3) {
                    group = group << 8 | (index < bytes.count ? UInt32(bytes[index]) : 0)
                }
                let written = min(4, (bytes.count - start) * 4 / 3 + 1)
                for digit in 0..<written {
                    text[place] = digits[Int(group >> UInt32(18 - 6 * digit) & 0x3F)]
                    place += 1
                }
            }
            while place < length {
                text[place] = UInt8(ascii: "=")
                place += 1
            }
            return length
        }
    }

    func decode(_ text: [UInt8]) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var bits: UInt32 = 0
        var count = 0
        for digit in text {
            let value = values[Int(digit)]
            guard value < 64 else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
            }
        }
        guard bits & (1 << UInt32(count) - 1) == 0 else { return nil }
        return bytes
    }
}
