package import FoundationEssentials
package import Identity
import Keys

extension Identifier: ColumnValue {
    package var stored: UUID { uuid }
    package static func value(of stored: UUID) -> Self? { Self(stored) }
}

extension KeyFingerprint: ColumnValue {
    package var stored: [UInt8] { bytes }
    package static func value(of stored: [UInt8]) -> Self? { Self(stored) }
}

extension PublicKeyBytes: ColumnValue {
    package var stored: [UInt8] { bytes }
    package static func value(of stored: [UInt8]) -> Self? { Self(stored) }
}
