import Crypto

/// Seals the user key under one VOPRF output and opens it again; a copy is 60 bytes.
///
/// output → scrypt (salt SHA-256 of `tenure/v1/scrypt` ‖ credential id ‖ slot byte) → HKDF-SHA256 (no salt, info
/// `tenure/v1/seal/answers` or `tenure/v1/seal/passphrase` ‖ slot byte) → AES-256-GCM: nonce 12 ‖ cipher text 32 ‖
/// tag 16.
enum SealedCopy {
    static let byteCount = 60

    static func seal(
        _ userKey: UserKey, under output: SecretBytes, slot: CopySlot, context: OpeningContext, random: Randomness
    ) throws(CredentialsError) -> [UInt8] {
        let key = try sealingKey(output, slot: slot, context: context)
        do {
            let box = try AES.GCM.seal(
                userKey.secret.bytes, using: key.key, nonce: AES.GCM.Nonce(data: random.bytes(12)),
                authenticating: context.associatedData(for: slot))
            return Array(box.nonce) + Array(box.ciphertext) + Array(box.tag)
        } catch {
            throw CredentialsError(.secretInvalid)
        }
    }

    /// Opens a copy and compares the public half with the context's: AES-GCM alone does not commit to its key.
    static func open(
        _ copy: [UInt8], under output: SecretBytes, slot: CopySlot, context: OpeningContext
    ) throws(CredentialsError) -> UserKey {
        let key = try sealingKey(output, slot: slot, context: context)
        guard copy.count == byteCount, let box = try? AES.GCM.SealedBox(combined: copy),
            let plain = try? AES.GCM.open(box, using: key.key, authenticating: context.associatedData(for: slot)),
            let userKey = try? UserKey(privateBytes: SecretBytes(plain)),
            userKey.publicKey == context.userPublicKey
        else { throw CredentialsError(.cannotOpen) }
        return userKey
    }

    static func sealingKey(
        _ output: SecretBytes, slot: CopySlot, context: OpeningContext
    ) throws(CredentialsError) -> SecretBytes {
        var salted = ByteWriter()
        salted.raw(Tag.scrypt)
        salted.uuid(context.credentialId)
        salted.u8(slot.byte)
        let stretched = try context.kdf.stretch(output, salt: Array(SHA256.hash(data: salted.bytes)))
        let label: [UInt8]
        switch slot {
        case .answers: label = Tag.sealAnswers
        case .passphrase: label = Tag.sealPassphrase
        }
        return SecretBytes(
            HKDF<SHA256>.deriveKey(inputKeyMaterial: stretched.key, info: label + [slot.byte], outputByteCount: 32))
    }
}
