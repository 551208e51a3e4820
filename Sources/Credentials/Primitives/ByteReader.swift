import Canonical

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Reads the result of `ByteWriter`. It refuses truncated and surplus bytes, and presence bytes other than 0 and 1.
struct ByteReader {
    private var rest: ArraySlice<UInt8>
    private let code: CredentialsError.Code
    /// Whether the keys were validated as points before the bytes were stored.
    let isKept: Bool

    init(_ bytes: [UInt8], refusal code: CredentialsError.Code, isKept: Bool = false) {
        rest = bytes[...]
        self.code = code
        self.isKept = isKept
    }

    mutating func take(_ count: Int) throws(CredentialsError) -> [UInt8] {
        guard rest.count >= count else { throw CredentialsError(code) }
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func u8() throws(CredentialsError) -> UInt8 { try take(1)[0] }

    mutating func u16() throws(CredentialsError) -> UInt16 {
        let two = try take(2)
        return UInt16(two[0]) << 8 | UInt16(two[1])
    }

    mutating func u32() throws(CredentialsError) -> UInt32 {
        let high = try u16()
        let low = try u16()
        return UInt32(high) << 16 | UInt32(low)
    }

    mutating func uuid() throws(CredentialsError) -> UUID {
        guard let value = UUID(bytes: try take(16)) else { throw CredentialsError(code) }
        return value
    }

    mutating func optional(_ count: Int) throws(CredentialsError) -> [UInt8]? {
        switch try u8() {
        case 0: return nil
        case 1: return try take(count)
        default: throw CredentialsError(code)
        }
    }

    func finish() throws(CredentialsError) {
        guard rest.isEmpty else { throw CredentialsError(code) }
    }
}

/// Writes bytes in order, with big-endian integers. Everything that this module hashes, seals or stores has this form.
struct ByteWriter {
    private(set) var bytes: [UInt8] = []

    mutating func u8(_ value: UInt8) { bytes.append(value) }

    mutating func u16(_ value: UInt16) {
        bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        bytes.append(UInt8(truncatingIfNeeded: value))
    }

    mutating func u32(_ value: UInt32) {
        u16(UInt16(truncatingIfNeeded: value >> 16))
        u16(UInt16(truncatingIfNeeded: value))
    }

    mutating func raw(_ value: some Sequence<UInt8>) { bytes.append(contentsOf: value) }

    mutating func uuid(_ value: UUID) { bytes.append(contentsOf: value.bytes) }

    /// Appends a 16-bit length and the bytes. Callers check the length first, so it always fits.
    mutating func framed(_ value: [UInt8]) {
        u16(UInt16(clamping: value.count))
        raw(value)
    }

    /// Appends a presence byte, 1 or 0, and the bytes if present.
    mutating func optional(_ value: [UInt8]?) {
        u8(value == nil ? 0 : 1)
        if let value { raw(value) }
    }
}
