#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Canonical

/// Bytes in the order written, integers big-endian: the form of everything this module hashes, seals or stores.
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

    /// A 16-bit length and the bytes. Callers bound the length first; what is longer is cut off nowhere but refused
    /// there, so the conversion is exact.
    mutating func framed(_ value: [UInt8]) {
        u16(UInt16(clamping: value.count))
        raw(value)
    }

    /// A presence byte, 1 or 0, and the bytes when present.
    mutating func optional(_ value: [UInt8]?) {
        u8(value == nil ? 0 : 1)
        if let value { raw(value) }
    }
}
