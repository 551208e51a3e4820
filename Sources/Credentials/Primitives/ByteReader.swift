#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Canonical

/// Reads what `ByteWriter` wrote, refusing what is short, what is left over and presence bytes other than 0 and 1.
struct ByteReader {
    private var rest: ArraySlice<UInt8>
    private let code: CredentialsError.Code
    /// Whether the keys were found to be points before the bytes were kept.
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
