/// Base64 with padding (RFC 4648 §4).
public enum Base64 {
    /// The padded text of the bytes.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.standard.encode(bytes, padded: true)
    }

    /// Decodes a padded text. Returns `nil` if it is malformed.
    ///
    /// It is strict: no white space, all the padding, and unused bits zero. Every byte string has exactly one spelling.
    public static func decode(_ text: String) -> [UInt8]? {
        var digits = Array(text.utf8)
        guard digits.count % 4 == 0 else { return nil }
        // Only the last group may be padded, by one or two signs.
        for _ in 0..<2 where digits.last == UInt8(ascii: "=") { digits.removeLast() }
        return Base64Alphabet.standard.decode(digits)
    }
}

/// Base64 for URLs and file names, without padding (RFC 4648 §5).
public enum Base64URL {
    /// The unpadded text of the bytes.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        Base64Alphabet.url.encode(bytes, padded: false)
    }

    /// Decodes an unpadded text. Returns `nil` if it is malformed.
    ///
    /// It is strict: no white space, no padding, and unused bits zero. Every byte string has exactly one spelling.
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
    /// The value of every byte, 0xFF for those that are not a digit.
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
                // Three bytes become four digits. Missing bytes at the end count as zero, and their digits are not
                // written.
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
        var isValid = true
        let bytes = [UInt8](unsafeUninitializedCapacity: text.count / 4 * 3 + 2) { bytes, count in
            // A value above 63 marks what is no digit. Four digits become three bytes.
            var marks: UInt8 = 0, place = 0
            func value() -> UInt32 {
                let value = values[Int(text[place])]
                marks |= value
                place += 1
                return UInt32(value & 0x3F)
            }
            func append(_ bits: UInt32) {
                bytes.initializeElement(at: count, to: UInt8(truncatingIfNeeded: bits))
                count += 1
            }
            func read(_ digits: Int) -> UInt32 {
                var group: UInt32 = 0
                for _ in 0..<digits { group = group << 6 | value() }
                return group
            }
            while place + 4 <= text.count {
                let group = read(4)
                append(group >> 16)
                append(group >> 8)
                append(group)
            }
            var rest: UInt32 = 0
            switch text.count - place {
            case 2:
                let group = read(2)
                append(group >> 4)
                rest = group & 0x0F
            case 3:
                let group = read(3)
                append(group >> 10)
                append(group >> 2)
                rest = group & 0x03
            default: break
            }
            isValid = marks < 64 && rest == 0
        }
        return isValid ? bytes : nil
    }
}

/// Lower-case hexadecimal, the spelling of fingerprints and hashes.
public enum Hex {
    /// Two lower-case digits for every byte.
    public static func encode(_ bytes: some Collection<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(bytes.count * 2)
        for byte in bytes {
            text.append(digit(byte >> 4))
            text.append(digit(byte & 0x0F))
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Decodes an even number of lower-case digits. Returns `nil` if the text is malformed.
    ///
    /// Upper case is refused, so that every byte string has exactly one spelling.
    public static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.utf8.count / 2)
        var high: UInt8?
        for character in text.utf8 {
            guard let value = value(character) else { return nil }
            if let upper = high {
                bytes.append(upper << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return high == nil ? bytes : nil
    }

    /// Decodes an even number of digits of either case. Returns `nil` if the text is malformed.
    ///
    /// Use it for bytes that the protocol of somebody else spells, never where the spelling is compared or signed.
    public static func decodeAnyCase(_ text: String) -> [UInt8]? { decode(text.lowercasedASCII) }

    static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }

    static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension String {
    /// The text with the letters A to Z in lower case. Other characters stay, those that fold to ASCII among them.
    fileprivate var lowercasedASCII: String {
        String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }
}
