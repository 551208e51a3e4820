#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension UUID {
    /// The 16 bytes, in network order (RFC 9562 §4).
    public var bytes: [UInt8] {
        let b = uuid
        return [b.0, b.1, b.2, b.3, b.4, b.5, b.6, b.7, b.8, b.9, b.10, b.11, b.12, b.13, b.14, b.15]
    }

    /// Appends the 16 bytes, in network order.
    public func append(to bytes: inout [UInt8]) { withUnsafeBytes(of: uuid) { bytes.append(contentsOf: $0) } }

    /// An identifier of exactly 16 bytes in network order. Returns `nil` for any other length.
    public init?(bytes: some Collection<UInt8>) {
        let b = Array(bytes)
        guard b.count == 16 else { return nil }
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }

    /// Generates a random identifier (version 4, RFC 9562 §5.4) from the system's generator.
    ///
    /// On Linux it calls the kernel, whereas `UUID()` opens and closes a file each time.
    public static func random() -> UUID {
        var generator = SystemRandomNumberGenerator()
        var halves = (generator.next() as UInt64, generator.next() as UInt64)
        halves.0 = halves.0 & ~0xF000 | 0x4000
        halves.1 = halves.1 & ~(0b11 << 62) | 0b10 << 62
        return UUID(high: halves.0, low: halves.1)
    }

    /// The canonical text: 36 characters, lower case.
    public var lowercased: String {
        var text: [UInt8] = []
        text.reserveCapacity(36)
        appendLowercased(to: &text)
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends the canonical text to `output`.
    func appendLowercased(to output: inout [UInt8]) {
        let b = uuid
        func append(_ byte: UInt8) {
            output.append(Hex.digit(byte >> 4))
            output.append(Hex.digit(byte & 0x0F))
        }
        append(b.0); append(b.1); append(b.2); append(b.3)
        output.append(UInt8(ascii: "-"))
        append(b.4); append(b.5)
        output.append(UInt8(ascii: "-"))
        append(b.6); append(b.7)
        output.append(UInt8(ascii: "-"))
        append(b.8); append(b.9)
        output.append(UInt8(ascii: "-"))
        append(b.10); append(b.11); append(b.12); append(b.13); append(b.14); append(b.15)
    }

    /// Parses the canonical text. Returns `nil` for any other spelling, including upper case.
    public init?(lowercased text: some StringProtocol) {
        // Bytes in one piece are read several times faster than those of a view.
        let id = text.utf8.withContiguousStorageIfAvailable { UUID(characters: $0) } ?? UUID(characters: text.utf8)
        guard let id else { return nil }
        self = id
    }

    /// Parses 36 characters that a person or a program gives, in upper or lower case. Documents that are signed or
    /// hashed have one spelling, that of ``lowercased``.
    public init?(entered text: String) { self.init(lowercased: text.lowercased()) }

    /// Parses the bytes of the canonical text.
    public init?(lowercasedUTF8 text: ArraySlice<UInt8>) { self.init(characters: text) }

    private init?(characters: some Sequence<UInt8>) {
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        var index = 0
        for byte in characters {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                guard let digit = Hex.value(byte) else { return nil }
                if index < 19 {
                    halves.high = halves.high << 4 | UInt64(digit)
                } else {
                    halves.low = halves.low << 4 | UInt64(digit)
                }
            }
            index += 1
        }
        guard index == 36 else { return nil }
        self.init(high: halves.high, low: halves.low)
    }

    private init(high: UInt64, low: UInt64) {
        func byte(_ half: UInt64, _ place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: half >> (56 - 8 * place)) }
        self.init(
            uuid: (
                byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5),
                byte(high, 6), byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4),
                byte(low, 5), byte(low, 6), byte(low, 7)
            ))
    }
}
