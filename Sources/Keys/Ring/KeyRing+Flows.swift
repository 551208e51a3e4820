import Canonical
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension KeyRing {
    /// Seals the contents of a flow's row: nonce (12) ‖ cipher text ‖ tag (16).
    ///
    /// AES-256-GCM under HKDF-SHA-256(flows key, salt: flow id ‖ secret, info: `tenure/v1/flow`), with the 16 bytes of
    /// the flow id as associated data. A key per flow keeps the number of random nonces under one key small for ever, and
    /// a row does not open as another flow's.
    ///
    /// - Parameter secret: What the caller of the flow alone keeps. The flows key outlives backups; a row in one that
    ///   is sealed with a secret does not open by it.
    public func sealFlow(_ clear: [UInt8], id: UUID, secret: [UInt8] = []) throws(KeysError) -> [UInt8] {
        try SealedBytes.seal(clear, under: flowKey(id, secret), authenticating: id.bytes)
    }

    /// Opens what ``sealFlow(_:id:secret:)`` sealed.
    ///
    /// - Throws: ``KeysError/Code/sealInvalid``.
    public func openFlow(_ sealed: [UInt8], id: UUID, secret: [UInt8] = []) throws(KeysError) -> [UInt8] {
        guard let clear = SealedBytes.open(sealed, under: flowKey(id, secret), authenticating: id.bytes) else {
            throw KeysError(code: .sealInvalid, reason: "a flow's row does not open")
        }
        return clear
    }

    /// The 32 bytes by which a flow handle is stored and found, when it is not the flow id itself.
    ///
    /// HMAC-SHA-256 under the flows key over the length-prefixed list of `tenure/v1/flow-handle` and the handle.
    public func flowHandleDigest(_ handle: [UInt8]) -> [UInt8] {
        var message = LengthPrefixed(tag: "tenure/v1/flow-handle")
        message.append(handle)
        return authenticationCode(message.bytes, .flows)
    }

    private func flowKey(_ id: UUID, _ secret: [UInt8]) -> SymmetricKey {
        derivedKey(.flows, salt: id.bytes + secret, info: Array("tenure/v1/flow".utf8))
    }
}
