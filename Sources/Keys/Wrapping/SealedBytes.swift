import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// AES-256-GCM as this service stores it: nonce (12) ‖ cipher text ‖ tag (16).
enum SealedBytes {
    /// What a seal adds to the clear text, in bytes.
    static let overhead = 28

    /// Seals; the nonce is random unless a test fixes it.
    ///
    /// - Throws: ``KeysError/Code/cipherFailed``, which the library has no reason for with a key of 32 bytes.
    static func seal(
        _ clear: [UInt8], under key: SymmetricKey, authenticating data: [UInt8], nonce: AES.GCM.Nonce = AES.GCM.Nonce()
    ) throws(KeysError) -> [UInt8] {
        guard let box = try? AES.GCM.seal(clear, using: key, nonce: nonce, authenticating: data) else {
            throw KeysError(code: .cipherFailed, reason: "the cipher refused to seal")
        }
        return Array(nonce) + Array(box.ciphertext) + Array(box.tag)
    }

    /// Opens, or nil: why it did not open is nobody's business.
    static func open(_ sealed: [UInt8], under key: SymmetricKey, authenticating data: [UInt8]) -> [UInt8]? {
        guard sealed.count >= overhead, let box = try? AES.GCM.SealedBox(combined: sealed),
            let clear = try? AES.GCM.open(box, using: key, authenticating: data)
        else { return nil }
        return Array(clear)
    }
}
