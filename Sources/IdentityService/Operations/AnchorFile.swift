import Keys
public import Ledger

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
        do throws(KeysError) {
            let file = try SystemFile.open(path, .reading)
            defer { file.close() }
            return try parsed(try file.read(atMost: Self.maximumLength))
        } catch {
            guard error.code == .masterFileMissing else { throw unusable("cannot be read", error) }
            guard !SystemFile.isSymbolicLink(path) else {
                throw AnchorFileError(path: path, reason: "is a symbolic link that leads to no file")
            }
            return nil
        }
    }

    /// Writes the first anchor; returns `false` if there is a file already. The anchor is on disk when this returns.
    ///
    /// - Throws: ``AnchorFileError``. There is no file then.
    func create(_ anchor: Anchor) throws(AnchorFileError) -> Bool {
        do throws(KeysError) { return try Self.create(anchor.text, at: path) } catch {
            throw unusable("cannot be written", error)
        }
    }

    /// Replaces an anchor that was read; returns `false` if the file holds another one by now. A reader finds the old
    /// anchor or the new one, which is on disk when this returns.
    ///
    /// - Throws: ``AnchorFileError``. The file is as it was then.
    func replace(_ old: Anchor, with new: Anchor) throws(AnchorFileError) -> Bool {
        do throws(KeysError) {
            let target = try SystemFile.resolved(path)
            let file = try SystemFile.openLocked(target)
            defer { file.close() }
            guard try parsed(try file.read(atMost: Self.maximumLength)) == old else { return false }
            let draft = try Self.write(new.text, beside: target)
            do throws(KeysError) {
                try SystemFile.rename(draft, to: target)
            } catch {
                SystemFile.remove(draft)
                throw error
            }
            try SystemFile.syncDirectory(of: target)
            return true
        } catch {
            if error.code == .masterFileMissing { return false }
            throw unusable("cannot be written", error)
        }
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
        do throws(KeysError) { _ = try Self.create(text, at: beside) } catch {
            throw unusable("and a checkpoint that does not contain it cannot both be kept", error)
        }
        return beside
    }

    private static func create(_ text: String, at path: String) throws(KeysError) -> Bool {
        let draft = try write(text, beside: path)
        defer { SystemFile.remove(draft) }
        guard try SystemFile.link(draft, to: path) else { return false }
        try SystemFile.syncDirectory(of: path)
        return true
    }

    /// Writes a text beside a file and waits for the disk. A full disk leaves nothing behind.
    private static func write(_ text: String, beside target: String) throws(KeysError) -> String {
        let draft = target + ".new." + SystemFile.uniqueSuffix()
        let file = try SystemFile.open(draft, .creatingReadable)
        defer { file.close() }
        do throws(KeysError) {
            try file.write(Array(text.utf8))
            try file.sync()
        } catch {
            SystemFile.remove(draft)
            throw error
        }
        return draft
    }

    private func parsed(_ bytes: [UInt8]) throws(KeysError) -> Anchor {
        guard !bytes.isEmpty else { throw KeysError(code: .masterFileUnusable, reason: "is empty") }
        do throws(ProofError) { return try Anchor(parsing: String(decoding: bytes, as: UTF8.self)) } catch {
            throw KeysError(code: .masterFileUnusable, reason: "does not hold an anchor: \(error.reason)")
        }
    }

    /// The system's reason without the words that are about a master key file.
    private func unusable(_ what: String, _ error: KeysError) -> AnchorFileError {
        let subject = "the master key file ", verdict = "cannot be used: "
        guard error.reason.hasPrefix(subject) else { return AnchorFileError(path: path, reason: error.reason) }
        let reason = error.reason.dropFirst(subject.count)
        guard reason.hasPrefix(verdict) else { return AnchorFileError(path: path, reason: String(reason)) }
        return AnchorFileError(path: path, reason: "\(what) (\(reason.dropFirst(verdict.count)))")
    }
}
