import Canonical

/// What is said of a log: how many entries it has and the root over them (C2SP tlog-checkpoint).
public struct Checkpoint: Sendable, Equatable {
    /// The log: `<name>/<ledger id>`.
    public let origin: String
    /// The number of entries.
    public let size: Int64
    /// The root of the tree over them (RFC 6962 §2.1), 32 bytes.
    public let root: [UInt8]

    /// Makes a checkpoint.
    public init(origin: String, size: Int64, root: [UInt8]) {
        self.origin = origin
        self.size = size
        self.root = root
    }

    /// The text that is signed: origin, size and root in base64, each on a line.
    public var text: String { "\(origin)\n\(size)\n\(Base64.encode(root))\n" }

    /// Reads the text. Lines after the root are refused: this log has never written any.
    ///
    /// - Throws: ``ProofError/Code/malformed``.
    public init(parsing text: String) throws(ProofError) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 4, lines[3].isEmpty, NoteKey.isName(lines[0]), let size = DecimalNumber.parse(lines[1]),
            let root = Base64.decode(lines[2]), root.count == 32
        else { throw ProofError(.malformed, "a text is not a checkpoint") }
        self.init(origin: lines[0], size: size, root: root)
    }
}

/// A checkpoint and the note that carries it.
public struct SignedCheckpoint: Sendable, Equatable {
    /// What was signed.
    public let checkpoint: Checkpoint
    /// The note.
    public let note: SignedNote

    /// Reads a note whose body is a checkpoint; the signature is not verified.
    ///
    /// - Throws: ``ProofError/Code/malformed``.
    public init(parsing text: String) throws(ProofError) {
        note = try SignedNote(parsing: text)
        checkpoint = try Checkpoint(parsing: note.body)
    }

    init(checkpoint: Checkpoint, note: SignedNote) {
        self.checkpoint = checkpoint
        self.note = note
    }

    /// The ledger that the origin names, or nil when it names none.
    public var ledger: LedgerID? { LogKey.ledger(ofOrigin: checkpoint.origin) }

    /// Verifies that the installation of `key` signed this for the ledger it names.
    ///
    /// The key is what counts, by whatever name it went when it signed: an installation may get another name.
    ///
    /// - Throws: ``ProofError/Code/signatureInvalid``.
    public func verify(_ key: LogKey) throws(ProofError) {
        guard ledger != nil, let own = key.noteKey(origin: checkpoint.origin), note.isSigned(by: own) else {
            throw ProofError(.signatureInvalid, "a checkpoint is not signed by the key of this log")
        }
    }
}
