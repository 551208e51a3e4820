import Canonical
import Crypto
import Testing

@testable import Keys

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The fixed values that the golden vectors were computed over, with another implementation of AES-GCM, HMAC, HKDF and
/// Ed25519.
enum Sample {
    static func key(_ bytes: some Sequence<UInt8>) throws -> SecretKey { try #require(SecretKey(bytes: Array(bytes))) }
    static func id(_ text: String) throws -> UUID { try #require(UUID(lowercased: text)) }

    /// 00, 01, … 1f.
    static var wrapping: SecretKey { get throws { try key(0..<32) } }
    /// 20, 21, … 3f.
    static var wrapped: SecretKey { get throws { try key(32..<64) } }
    /// a0, a1, … ab.
    static var nonce: AES.GCM.Nonce { get throws { try AES.GCM.Nonce(data: Array(0xA0..<0xAC) as [UInt8]) } }
    static var person: UUID { get throws { try id("01234567-89ab-4cde-8f01-23456789abcd") } }
    static var ledger: UUID { get throws { try id("11111111-2222-4333-8444-555555555555") } }
    static var event: UUID { get throws { try id("66666666-7777-4888-9999-aaaaaaaaaaaa") } }

    /// The key of the first purpose is 01 thirty-two times, of the second 02, and so on.
    static var ring: KeyRing {
        get throws {
            var keys: [KeyPurpose: SecretKey] = [:]
            for (index, purpose) in KeyPurpose.allCases.enumerated() {
                keys[purpose] = try key(repeatElement(UInt8(index + 1), count: 32))
            }
            return try KeyRing(keys)
        }
    }
}
