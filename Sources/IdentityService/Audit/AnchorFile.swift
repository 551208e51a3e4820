public import Ledger
import PrivateFiles

/// The file with the newest anchor, for copying it to another place and for the next start of the service.
///
/// It is evidence: ``AnchorKeeper`` replaces an anchor only by a checkpoint that contains it. Several processes may
/// write one file. Calls block for a few system calls.
public struct AnchorFile: Sendable {
    /// The longest anchor that is read, in bytes. A signed note has at most 64 KiB.
    private static let maximumLength = 128 << 10

    /// The path of the file.
    public let path: String

    /// The file at a path; nothing is read or written yet.
    public init(path: String) { self.path = path }

    /// Reads the anchor; `nil` if there is no file.
    ///
    /// - Throws: ``AnchorFileError`` for a file that cannot be read, is empty or holds something else. This type writes
    ///   no such file, so an anchor was lost in it.
    public func read() throws(AnchorFileError) -> Anchor? {
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
