import Canonical
public import Crypto

/// Signs checkpoints for all ledgers of an installation.
public struct CheckpointSigner: Sendable {
    /// The public half, which verifies what this signs.
    public let key: LogKey
    private let secret: Curve25519.Signing.PrivateKey

    /// A signer for an installation.
    ///
    /// - Throws: ``ProofError/Code/malformed`` when the name has white space or `+`, or more than 255 bytes.
    public init(name: String, secret: Curve25519.Signing.PrivateKey) throws(ProofError) {
        guard let key = LogKey(name: name, publicKey: secret.publicKey) else {
            throw ProofError(.malformed, "a log cannot have this name: no white space, no +, at most 255 bytes")
        }
        self.key = key
        self.secret = secret
    }

    /// Says that a ledger has this size and this root.
    ///
    /// - Throws: ``ProofError/Code/signatureInvalid`` when the library refuses to sign.
    public func sign(_ ledger: LedgerID, size: Int64, root: [UInt8]) throws(ProofError) -> SignedCheckpoint {
        let checkpoint = Checkpoint(origin: key.origin(of: ledger), size: size, root: root)
        guard let name = key.noteKey(origin: checkpoint.origin),
            let bytes = try? secret.signature(for: Array(checkpoint.text.utf8))
        else { throw ProofError(.signatureInvalid, "a checkpoint could not be signed") }
        let signature = SignedNote.Signature(name: name.name, keyID: name.id, bytes: Array(bytes))
        return SignedCheckpoint(
            checkpoint: checkpoint, note: SignedNote(body: checkpoint.text, signatures: [signature]))
    }
}

extension CheckpointSigner: CustomStringConvertible, CustomReflectable {
    /// Names the type, and no key.
    public var description: String { "checkpoint signer [redacted]" }
    /// Without children, so that `dump` finds no key either.
    public var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }
}
