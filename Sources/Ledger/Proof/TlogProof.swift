import Canonical

/// A proof that an entry is in a log, with the checkpoint it leads to (C2SP tlog-proof, version 1): a file that verifies
/// by itself, with the entry and the log's key.
public struct TlogProof: Sendable, Equatable {
    /// The index of the entry, from 0: its position less one.
    public let index: Int64
    /// The hashes from the leaf's sibling to the root's child.
    public let path: [[UInt8]]
    /// The checkpoint as it was signed.
    public let checkpoint: SignedCheckpoint

    private static let firstLine = "c2sp.org/tlog-proof@v1"

    /// Puts a proof together.
    public init(index: Int64, path: [[UInt8]], checkpoint: SignedCheckpoint) {
        self.index = index
        self.path = path
        self.checkpoint = checkpoint
    }

    /// The text of the file.
    public var text: String {
        ([Self.firstLine, "index \(index)"] + path.map(Base64.encode)).joined(separator: "\n") + "\n\n"
            + checkpoint.note.text
    }

    /// Reads the text of a file; extra data, which nothing authenticates, is refused.
    ///
    /// - Throws: ``ProofError/Code/malformed``.
    public init(parsing text: String) throws(ProofError) {
        let malformed = ProofError(.malformed, "a proof is not in the form of tlog-proof")
        let bytes = Array(text.utf8)
        guard bytes.count <= SignedNote.maximumLength + 8_192,
            let end = bytes.indices.dropLast().first(where: { bytes[$0] == 0x0A && bytes[$0 + 1] == 0x0A })
        else { throw malformed }
        let lines = bytes[..<end].split(separator: 0x0A, omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        guard lines.count >= 2, lines.count <= 66, lines[0] == Self.firstLine, lines[1].hasPrefix("index "),
            let index = DecimalNumber.parse(lines[1].dropFirst(6))
        else { throw malformed }
        var path: [[UInt8]] = []
        for line in lines.dropFirst(2) {
            guard let hash = Base64.decode(line), hash.count == 32 else { throw malformed }
            path.append(hash)
        }
        self.init(
            index: index, path: path,
            checkpoint: try SignedCheckpoint(parsing: String(decoding: bytes[(end + 2)...], as: UTF8.self)))
    }

    /// Verifies that the log of `key` has this entry at the proof's index.
    ///
    /// - Throws: ``ProofError/Code/signatureInvalid`` or ``ProofError/Code/rootMismatch``.
    public func verify(entry: [UInt8], key: LogKey) throws(ProofError) {
        try checkpoint.verify(key)
        let body = checkpoint.checkpoint
        let root = MerkleProof.root(
            leaf: MerkleTree.leafHash(entry), index: index, size: body.size, path: path)
        guard root == body.root else { throw ProofError(.rootMismatch, "the proof does not lead to the root") }
    }
}
