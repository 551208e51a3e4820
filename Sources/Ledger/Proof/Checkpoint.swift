public import Canonical
public import Crypto
public import Postgres

/// The size and root of a log at one moment (C2SP tlog-checkpoint).
public struct Checkpoint: Sendable, Equatable {
    /// The log: `<name>/<ledger id>`.
    public let origin: String
    /// The number of entries.
    public let size: Int64
    /// The root of the tree over them (RFC 6962 §2.1), 32 bytes.
    public let root: [UInt8]

    /// A checkpoint of `origin` at `size`. It is not validated.
    public init(origin: String, size: Int64, root: [UInt8]) {
        self.origin = origin
        self.size = size
        self.root = root
    }

    /// The text that is signed: origin, size and root in base64, each on a line.
    public var text: String { "\(origin)\n\(size)\n\(Base64.encode(root))\n" }

    /// Parses the text of a checkpoint. Lines after the root are refused, because this log never writes any.
    ///
    /// - Throws: ``ProofError/Code/malformed``.
    public init(parsing text: String) throws(ProofError) {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        guard lines.count == 4, lines[3].isEmpty, NoteKey.isName(lines[0]), let size = DecimalNumber.parse(lines[1]),
            let root = Base64.decode(lines[2]), root.count == 32
        else { throw ProofError(.malformed, "the text is not a checkpoint") }
        self.init(origin: lines[0], size: size, root: root)
    }
}

/// A checkpoint and the note that carries it.
public struct SignedCheckpoint: Sendable, Equatable {
    /// The checkpoint that was signed.
    public let checkpoint: Checkpoint
    /// The note.
    public let note: SignedNote

    /// Parses a note whose body is a checkpoint. The signature is not verified; see ``verify(_:)``.
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

    /// The ledger that the origin names, or `nil` if it names none.
    public var ledger: LedgerID? { LogKey.ledger(ofOrigin: checkpoint.origin) }

    /// Verifies that `key` signed this checkpoint for the ledger that it names.
    ///
    /// Only the public key counts, not the installation's name at the time: an installation may be renamed.
    ///
    /// - Throws: ``ProofError/Code/signatureInvalid``.
    public func verify(_ key: LogKey) throws(ProofError) {
        guard ledger != nil, let own = key.noteKey(origin: checkpoint.origin), note.isSigned(by: own) else {
            throw ProofError(.signatureInvalid, "a checkpoint is not signed by the key of this log")
        }
    }
}

/// The newest checkpoint of the system ledger with the key that signed it, for an auditor to keep elsewhere.
///
/// ```swift
/// let anchor = try Anchor(key: key, checkpoint: checkpoint)
/// let kept = anchor.text                                // store it outside the installation
/// let later = try Anchor(parsing: kept, key: key)       // verifies the signature
/// ```
///
/// The system ledger records the checkpoints of all ledgers, so an anchor covers the whole log. Its text is the key on
/// a line, an empty line, and the checkpoint as a signed note that other tools can read. A service that keeps its newest
/// anchor adds a line after the key that names the server: `server <system identifier>/<timeline>`. Nobody signs it.
public struct Anchor: Sendable, Equatable {
    /// The key that signed.
    public let key: LogKey
    /// The checkpoint of the system ledger.
    public let checkpoint: SignedCheckpoint
    /// The server that the log was on; `nil` if the anchor does not say.
    public let server: ServerIdentity?

    /// Verifies that `key` signed `checkpoint`, and combines them.
    ///
    /// - Throws: ``ProofError/Code/signatureInvalid`` if it did not, and ``ProofError/Code/malformed`` if the
    ///   checkpoint is not one of the system ledger.
    public init(
        key: LogKey, checkpoint: SignedCheckpoint, server: ServerIdentity? = nil
    ) throws(ProofError) {
        guard checkpoint.ledger == .system else {
            throw ProofError(.malformed, "an anchor is a checkpoint of the system ledger")
        }
        try checkpoint.verify(key)
        self.key = key
        self.checkpoint = checkpoint
        self.server = server
    }

    /// A copy that names the server that the log is on.
    public func on(_ server: ServerIdentity?) -> Anchor { Anchor(self, server) }

    private init(_ other: Anchor, _ server: ServerIdentity?) {
        key = other.key
        checkpoint = other.checkpoint
        self.server = server
    }

    private static let serverPrefix = "server "

    /// The key, the server if it is known, an empty line and the note.
    public var text: String {
        "\(key)\n\(server.map { "\(Self.serverPrefix)\($0)\n" } ?? "")\n\(checkpoint.note.text)"
    }

    /// Parses an anchor, or a note alone if its key is given.
    ///
    /// - Throws: ``ProofError/Code/malformed``, and ``ProofError/Code/signatureInvalid`` if the key did not sign it or
    ///   differs from the given one.
    public init(parsing text: String, key given: LogKey? = nil) throws(ProofError) {
        let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw ProofError(.malformed, "the text is not an anchor") }
        let head = parts[0].split(separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
        guard let own = LogKey(String(head[0])) else {
            guard let given else {
                throw ProofError(.malformed, "the anchor does not contain its key; give the key too")
            }
            try self.init(key: given, checkpoint: try SignedCheckpoint(parsing: text))
            return
        }
        guard given == nil || given == own else {
            throw ProofError(.signatureInvalid, "the anchor is signed with another key than the one given")
        }
        var server: ServerIdentity?
        if head.count > 1 {
            server = ServerIdentity(String(head[1].dropFirst(Self.serverPrefix.count)))
            guard head[1].hasPrefix(Self.serverPrefix), server != nil else {
                throw ProofError(.malformed, "the line after the anchor's key does not name a server")
            }
        }
        try self.init(key: own, checkpoint: try SignedCheckpoint(parsing: String(parts[1])), server: server)
    }
}

/// Signs checkpoints for all ledgers of an installation.
public struct CheckpointSigner: Sendable, Redacted {
    /// The public key, which verifies the checkpoints.
    public let key: LogKey
    private let secret: Curve25519.Signing.PrivateKey

    /// A signer for the installation called `name`.
    ///
    /// - Throws: ``ProofError/Code/malformed`` if the name is empty, has white space or `+`, or exceeds 255 bytes.
    public init(name: String, secret: Curve25519.Signing.PrivateKey) throws(ProofError) {
        guard let key = LogKey(name: name, publicKey: secret.publicKey) else {
            throw ProofError(
                .malformed, "the log's name is not valid: it has no white space, no + and at most 255 bytes")
        }
        self.key = key
        self.secret = secret
    }

    /// Signs a checkpoint: the ledger has this size and this root.
    ///
    /// - Throws: ``ProofError/Code/signatureInvalid`` if the cryptography library refuses to sign.
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
