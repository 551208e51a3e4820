import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The keys of the installation, one per ``KeyPurpose``, in clear in this process only.
///
/// Each is 32 random bytes, made on the first start, stored wrapped under the master key and unwrapped once per start.
/// The extensions hold what is computed with them; every message is preceded by a tag of its own, so that no value
/// computed for one thing is of use for another.
public struct KeyRing: Sendable {
    private let lookup: SecretKey
    private let decoy: SecretKey
    private let sessions: SecretKey
    private let idempotency: SecretKey
    private let flows: SecretKey
    private let checkpoints: SecretKey

    /// Makes a ring.
    ///
    /// - Throws: ``KeysError/Code/purposeKeyMissing`` unless there is a key for every purpose.
    public init(_ keys: [KeyPurpose: SecretKey]) throws(KeysError) {
        func key(_ purpose: KeyPurpose) throws(KeysError) -> SecretKey {
            if let key = keys[purpose] { return key }
            throw KeysError(code: .purposeKeyMissing, reason: "there is no key for \(purpose.rawValue)")
        }
        lookup = try key(.lookup)
        decoy = try key(.decoy)
        sessions = try key(.sessions)
        idempotency = try key(.idempotency)
        flows = try key(.flows)
        checkpoints = try key(.checkpoints)
    }

    private init() {
        lookup = SecretKey()
        decoy = SecretKey()
        sessions = SecretKey()
        idempotency = SecretKey()
        flows = SecretKey()
        checkpoints = SecretKey()
    }

    /// Makes a ring of fresh random keys, for a first start or a test.
    public static func random() -> KeyRing { KeyRing() }

    /// Computes HMAC-SHA-256 (RFC 2104) over the bytes under the key of a purpose: 32 bytes.
    func authenticationCode(_ bytes: [UInt8], _ purpose: KeyPurpose) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: secret(purpose).symmetric))
    }

    /// The same 32 bytes as a secret of their own.
    func derivedSecret(_ bytes: [UInt8], _ purpose: KeyPurpose) -> SecretKey {
        let code = HMAC<SHA256>.authenticationCode(for: bytes, using: secret(purpose).symmetric)
        return SecretKey(ofRightSize: SymmetricKey(data: code))
    }

    /// Derives 32 bytes with HKDF-SHA-256 (RFC 5869) from the key of a purpose.
    func derivedKey(_ purpose: KeyPurpose, salt: [UInt8], info: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: secret(purpose).symmetric, salt: salt, info: info, outputByteCount: 32)
    }

    func secret(_ purpose: KeyPurpose) -> SecretKey {
        switch purpose {
        case .lookup: lookup
        case .decoy: decoy
        case .sessions: sessions
        case .idempotency: idempotency
        case .flows: flows
        case .checkpoints: checkpoints
        }
    }
}

extension KeyRing: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the type, and no key.
    public var description: String { "key ring [redacted]" }
    /// Names the type, and no key.
    public var debugDescription: String { description }
    /// Without children, so that `dump` finds no key either.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
