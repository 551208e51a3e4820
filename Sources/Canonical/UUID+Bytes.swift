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

    /// Makes an identifier from exactly 16 bytes in network order; nil for any other number.
    public init?(bytes: some Collection<UInt8>) {
        let b = Array(bytes)
        guard b.count == 16 else { return nil }
        self.init(
            uuid: (
                b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]
            ))
    }

    /// The canonical text: 36 characters, lower case.
    public var lowercased: String {
        let hex = Array(Hex.encode(bytes).utf8)
        let groups = [hex[0..<8], hex[8..<12], hex[12..<16], hex[16..<20], hex[20..<32]]
        return groups.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "-")
    }

    /// Makes an identifier from its canonical text; nil for any other spelling, upper case included.
    public init?(lowercased text: String) {
        let utf8 = Array(text.utf8)
        guard utf8.count == 36 else { return nil }
        var hex: [UInt8] = []
        hex.reserveCapacity(32)
        for (index, byte) in utf8.enumerated() {
            if index == 8 || index == 13 || index == 18 || index == 23 {
                guard byte == UInt8(ascii: "-") else { return nil }
            } else {
                hex.append(byte)
            }
        }
        guard let bytes = Hex.decode(String(decoding: hex, as: UTF8.self)) else { return nil }
        self.init(bytes: bytes)
    }
}
