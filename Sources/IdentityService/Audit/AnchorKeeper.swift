import Crypto
package import Ledger
import PrivateFiles

/// Keeps the newest anchor of a log in a file, and never replaces one that the log does not contain.
///
/// ```swift
/// let tree = LedgerHashes(reader: LedgerReader(pool: readerPool, storesTiles: false), ledger: .system)
/// let keeper = AnchorKeeper(AnchorFile(path: "/var/lib/tenure/anchor"), tree: tree)
/// _ = try await keeper.keep(anchor)
/// ```
///
/// A log that was restored from an older backup grows beyond the anchor and has other entries below it. So the size
/// proves nothing: a consistency proof (RFC 6962 §2.1.2) of the log's own tree must lead from the file's root to the
/// root of the new checkpoint.
package struct AnchorKeeper: Sendable {
    package let file: AnchorFile
    private let tree: any MerkleHashes

    /// Keeps anchors in `file` and takes proofs from `tree`, the tree of the system ledger.
    ///
    /// The tree need not be trusted: each proof is verified against the two roots.
    package init(_ file: AnchorFile, tree: any MerkleHashes) {
        self.file = file
        self.tree = tree
    }

    /// Writes an anchor to the file, unless the file holds a later one that contains it.
    ///
    /// - Parameters:
    ///   - anchor: The newest anchor.
    ///   - last: The anchor that this process wrote last. `anchor` must contain it also if the file is gone.
    /// - Returns: The anchor that the file holds now.
    /// - Throws: ``AnchorFileError``: ``AnchorFileError/Code/conflict`` if `anchor` does not contain what the file
    ///   holds. The file is untouched then, and `anchor` is kept beside it. The errors of the tree's source.
    package func keep(_ anchor: Anchor, after last: Anchor? = nil) async throws -> Anchor {
        for _ in 0..<10 {
            let found = try file.read()
            if let last, last.checkpoint != found?.checkpoint { _ = try await isContinued(last, by: anchor) }
            guard let found else {
                if try file.create(anchor) { return anchor }
                continue
            }
            guard try await isContinued(found, by: anchor) else { return found }
            if found == anchor { return anchor }
            if try file.replace(found, with: anchor) { return anchor }
        }
        throw AnchorFileError(path: file.path, reason: "is being replaced by another process all the time")
    }

    /// Checks before the service starts that the log contains the file's anchor.
    ///
    /// - Parameters:
    ///   - key: The key that signs the log's checkpoints.
    ///   - reader: Reads the log; it writes nothing.
    /// - Throws: ``AnchorFileError``: ``AnchorFileError/Code/conflict`` if it does not. The file is untouched then, and
    ///   the log's newest checkpoint is kept beside it. `LedgerError` if the log cannot be read.
    package func requireContinuation(by key: LogKey, reader: LedgerReader) async throws {
        guard let kept = try file.read() else { return }
        try requireKey(of: kept, key)
        let size = try await reader.head(.system)?.size ?? 0
        guard size >= kept.checkpoint.checkpoint.size else { throw lacking(kept) }
        var prover = MerkleProver(size: size, source: tree)
        let now = Checkpoint(
            origin: key.origin(of: .system), size: size, root: try await prover.root())
        guard try await contains(kept.checkpoint.checkpoint, in: now) else {
            let sealed = try? await reader.checkpoint(.system)
            let other = sealed.flatMap { try? Anchor(key: key, checkpoint: $0) }
            guard let other, other.checkpoint.checkpoint.size >= kept.checkpoint.checkpoint.size else {
                // Nothing that contradicts the file was signed, and nothing is signed for that.
                throw try conflict(kept, now, "\(now.text)(not signed)\n")
            }
            throw try conflict(kept, other.checkpoint.checkpoint, other.text)
        }
    }

    /// Whether `later` contains `earlier`; `false` if it is the other way round.
    private func isContinued(_ earlier: Anchor, by later: Anchor) async throws -> Bool {
        try requireKey(of: earlier, later.key)
        let old = earlier.checkpoint.checkpoint, new = later.checkpoint.checkpoint
        let isNewer = old.size <= new.size
        do {
            if try await isNewer ? contains(old, in: new) : contains(new, in: old) { return isNewer }
        } catch let error as LedgerError where error.code == .invalidEntry || error.code == .beyondHead {
            throw lacking(earlier)
        } catch let error as ProofError where error.code == .hashesMissing {
            throw lacking(earlier)
        }
        throw try conflict(earlier, new, later.text)
    }

    private func contains(_ earlier: Checkpoint, in later: Checkpoint) async throws -> Bool {
        var prover = MerkleProver(size: later.size, source: tree)
        return MerkleProof.isConsistent(
            size: earlier.size, root: earlier.root, laterSize: later.size, laterRoot: later.root,
            path: try await prover.consistency(from: earlier.size))
    }

    /// Only the public key counts: an installation may be renamed.
    private func requireKey(of anchor: Anchor, _ key: LogKey) throws(AnchorFileError) {
        guard anchor.key.publicKey.rawRepresentation == key.publicKey.rawRepresentation else {
            throw AnchorFileError(
                path: file.path, reason: "holds an anchor of another log: another key signed it",
                remedy: "Name a file of this log in TENURE_ANCHOR_FILE or --output.")
        }
    }

    private func conflict(
        _ kept: Anchor, _ other: Checkpoint, _ text: String
    ) throws(AnchorFileError) -> AnchorFileError {
        let beside = try file.keepBeside(text, of: other)
        let size = kept.checkpoint.checkpoint.size
        return AnchorFileError(
            path: file.path,
            reason: """
                vouches for \(size) entries of the system ledger, and the log has others in their place: it was \
                restored from an older backup and has grown since, or it was changed
                """,
            remedy: """
                Both are kept: the file as it was, and the log's checkpoint in \(beside). Use the database that has \
                these entries; tenure verify --anchor \(file.path) shows the first that differs. If they are lost, keep both \
                files for the auditors, move the anchor file away and start again.
                """, code: .conflict)
    }

    private func lacking(_ kept: Anchor) -> AnchorFileError {
        AnchorFileError(
            path: file.path,
            reason:
                "vouches for \(kept.checkpoint.checkpoint.size) entries of the system ledger, and the log lacks some",
            remedy: """
                Use the database that has these entries. If they are lost or another log was restored, keep a copy of \
                the file for the auditors, move the file away and start again.
                """, code: .conflict)
    }
}

/// The anchor file cannot be used. Without it the service might take a log that lacks what the anchor vouches for.
package struct AnchorFileError: Error, CustomStringConvertible {
    /// The stable code of an error. More may be added.
    package struct Code: Sendable, Hashable {
        /// The identifier, such as `anchor.conflict`.
        package let rawValue: String

        package init(rawValue: String) { self.rawValue = rawValue }

        /// The file cannot be read or written, or does not hold an anchor of this log.
        package static let unusable = Code(rawValue: "anchor.unusable")
        /// The log does not contain the file's anchor.
        package static let conflict = Code(rawValue: "anchor.conflict")
    }

    package let code: Code
    package let path: String
    /// What is wrong with it.
    package let reason: String
    /// What to do next; it may name files.
    package let remedy: String
    /// The file, and what is wrong with it.
    package var description: String { "the anchor file \(path) \(reason)" }

    init(path: String, reason: String, remedy: String? = nil, code: Code = .unusable) {
        self.code = code
        self.path = path
        self.reason = reason
        self.remedy =
            remedy
            ?? "Let the service read and replace it, restore it from a copy, or move it away to begin without one."
    }
}

/// The file with the newest anchor, for copying it to another place and for the next start of the service.
///
/// It is evidence: ``AnchorKeeper`` replaces an anchor only by a checkpoint that contains it. Several processes may
/// write one file. Calls block for a few system calls.
package struct AnchorFile: Sendable {
    /// The longest anchor that is read, in bytes. A signed note has at most 64 KiB.
    private static let maximumLength = 128 << 10

    package let path: String

    /// The file at a path; nothing is read or written yet.
    package init(path: String) { self.path = path }

    /// Reads the anchor; `nil` if there is no file.
    ///
    /// - Throws: ``AnchorFileError`` for a file that cannot be read, is empty or holds something else. This type writes
    ///   no such file, so an anchor was lost in it.
    package func read() throws(AnchorFileError) -> Anchor? {
        let bytes: [UInt8]
        do throws(PrivateFileError) {
            bytes = try PrivateFile.read(path, .evidence, atMost: Self.maximumLength)
        } catch {
            guard error.code == .missing else { throw unusable("read", error) }
            guard !PrivateFile.isSymbolicLink(path) else {
                throw AnchorFileError(path: path, reason: "is a symbolic link that leads to no file")
            }
            return nil
        }
        return try parsed(bytes)
    }

    /// Writes the first anchor; returns `false` if there is a file already. The anchor is on disk when this returns.
    ///
    /// - Throws: ``AnchorFileError``. There is no file then.
    func create(_ anchor: Anchor) throws(AnchorFileError) -> Bool {
        try using { () throws(PrivateFileError) in try PrivateFile.create(path, Array(anchor.text.utf8), .evidence) }
    }

    /// Replaces an anchor that was read; returns `false` if the file holds another one by now. A reader finds the old
    /// anchor or the new one, which is on disk when this returns. The file keeps its owner and its mode.
    ///
    /// - Throws: ``AnchorFileError``. The file is as it was then.
    func replace(_ old: Anchor, with new: Anchor) throws(AnchorFileError) -> Bool {
        let file: PrivateFile
        do throws(PrivateFileError) {
            file = try PrivateFile.openLocked(path, .evidence)
        } catch {
            if error.code == .missing { return false }
            throw unusable("written", error)
        }
        defer { file.close() }
        let bytes = try using { () throws(PrivateFileError) in try file.contents(atMost: Self.maximumLength) }
        guard try parsed(bytes) == old else { return false }
        try using { () throws(PrivateFileError) in try file.replace(with: Array(new.text.utf8)) }
        return true
    }

    /// Keeps a checkpoint that does not contain the file's anchor beside the file, and returns its path. The file
    /// itself is not touched, and an earlier one of that name is left as it is.
    ///
    /// - Throws: ``AnchorFileError``.
    func keepBeside(_ text: String, of checkpoint: Checkpoint) throws(AnchorFileError) -> String {
        let root = checkpoint.root.prefix(4).map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0\(digits)" : digits
        }
        let beside = "\(path).conflict-\(checkpoint.size)-\(root.joined())"
        do throws(PrivateFileError) { _ = try PrivateFile.create(beside, Array(text.utf8), .evidence) } catch {
            throw AnchorFileError(
                path: path, reason: "and a checkpoint that does not contain it cannot both be kept: it \(error.reason)")
        }
        return beside
    }

    private func parsed(_ bytes: [UInt8]) throws(AnchorFileError) -> Anchor {
        guard !bytes.isEmpty else { throw AnchorFileError(path: path, reason: "is empty") }
        do throws(ProofError) { return try Anchor(parsing: String(decoding: bytes, as: UTF8.self)) } catch {
            throw AnchorFileError(path: path, reason: "does not hold an anchor: \(error.reason)")
        }
    }

    /// Runs work that writes the file, and gives its errors the type of this one.
    private func using<Result>(
        _ work: () throws(PrivateFileError) -> Result
    ) throws(AnchorFileError) -> Result {
        do { return try work() } catch { throw unusable("written", error) }
    }

    private func unusable(_ what: String, _ error: PrivateFileError) -> AnchorFileError {
        AnchorFileError(path: path, reason: "cannot be \(what): it \(error.reason)")
    }
}
