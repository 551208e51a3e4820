/// What an auditor keeps elsewhere: the newest checkpoint of the system ledger, in which the checkpoints of all ledgers
/// are recorded, and the key that signed it.
///
/// As a text: the key on a line, an empty line, and the checkpoint as a signed note, which other tools read.
public struct Anchor: Sendable, Equatable {
    /// The key that signed.
    public let key: LogKey
    /// The checkpoint of the system ledger.
    public let checkpoint: SignedCheckpoint

    /// Puts an anchor together.
    ///
    /// - Throws: ``ProofError/Code/signatureInvalid`` unless the key signed the checkpoint, and
    ///   ``ProofError/Code/malformed`` unless it is one of the system ledger.
    public init(key: LogKey, checkpoint: SignedCheckpoint) throws(ProofError) {
        guard checkpoint.ledger == .system else {
            throw ProofError(.malformed, "an anchor is a checkpoint of the system ledger")
        }
        try checkpoint.verify(key)
        self.key = key
        self.checkpoint = checkpoint
    }

    /// Key, empty line, note.
    public var text: String { "\(key)\n\n\(checkpoint.note.text)" }

    /// Reads an anchor, or a note alone when its key is given.
    ///
    /// - Throws: ``ProofError/Code/malformed``, and ``ProofError/Code/signatureInvalid`` when the key did not sign it or
    ///   is not the given one.
    public init(parsing text: String, key given: LogKey? = nil) throws(ProofError) {
        let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw ProofError(.malformed, "a text is not an anchor") }
        guard let own = LogKey(String(parts[0])) else {
            guard let given else { throw ProofError(.malformed, "an anchor without its key needs the key") }
            try self.init(key: given, checkpoint: try SignedCheckpoint(parsing: text))
            return
        }
        guard given == nil || given == own else {
            throw ProofError(.signatureInvalid, "the anchor is signed with another key than the one given")
        }
        try self.init(key: own, checkpoint: try SignedCheckpoint(parsing: String(parts[1])))
    }
}
