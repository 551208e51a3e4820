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
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count + 2) / 3 * 4)
        var bits: UInt32 = 0
        var count = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            count += 8
            while count >= 6 {
                count -= 6
                text.append(digits[Int(bits >> UInt32(count) & 0x3F)])
            }
        }
        if count > 0 { text.append(digits[Int(bits << UInt32(6 - count) & 0x3F)]) }
        while padded, text.count % 4 != 0 { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
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
