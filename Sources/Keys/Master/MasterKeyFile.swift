/// The file that holds the master keys: JSON as in ``MasterKeys/init(json:)``, readable by its owner only.
///
/// Losing it loses every person's data, so it is created once and never overwritten by ``create()``; two processes that
/// start at the same moment agree on one.
///
/// Calls block for the few system calls they make: they belong at the start of a process or in a command.
public struct MasterKeyFile: Sendable {
    /// Where the file is.
    public let path: String

    /// Names a file; nothing is read or written yet.
    public init(path: String) { self.path = path }

    /// Reads the keys.
    ///
    /// A symbolic link is followed, as secret mounts are made of them; what it leads to has to be a regular file that
    /// neither group nor others may touch.
    ///
    /// - Throws: ``KeysError/Code/masterFileMissing``, ``KeysError/Code/masterFileExposed`` with the command that
    ///   cures it as remedy, ``KeysError/Code/masterFileUnusable``, ``KeysError/Code/masterKeysInvalid``.
    public func load() throws(KeysError) -> MasterKeys {
        let file = try SystemFile.open(path, .reading)
        defer { file.close() }
        return try MasterKeys(json: try contents(of: file))
    }

    /// Makes random keys of version 1 and writes them: whole, on disk, mode 0600, or not at all.
    ///
    /// The bytes go to a new file beside it first; that is then linked to the name, which fails when the name is taken.
    ///
    /// - Throws: ``KeysError/Code/masterFileExists`` when there is anything at the path already, and
    ///   ``KeysError/Code/masterFileUnusable``.
    public func create() throws(KeysError) -> MasterKeys {
        let keys = MasterKeys.random()
        let draft = try write(keys)
        defer { SystemFile.remove(draft) }
        guard try SystemFile.link(draft, to: path) else {
            throw KeysError(
                code: .masterFileExists, reason: "a master key file exists and is never overwritten",
                remedy: "use \(path) as it is; without it nothing in its database can be read")
        }
        try SystemFile.syncDirectory(of: path)
        return keys
    }

    /// Reads the keys, or makes them when there is no file; of processes racing here, one makes and the others read.
    public func loadOrCreate() throws(KeysError) -> MasterKeys {
        do {
            return try load()
        } catch {
            guard error.code == .masterFileMissing else { throw error }
        }
        do {
            return try create()
        } catch {
            guard error.code == .masterFileExists else { throw error }
            return try load()
        }
    }

    /// Replaces the keys by what `change` makes of them: the file is the old one or the new one at every moment.
    ///
    /// A lock on the file makes changes of several processes follow one another; one that waits for three seconds is
    /// refused. Keep a copy of the old file until nothing is wrapped under a version that the new one lacks.
    ///
    /// - Throws: what ``load()`` throws, what `change` throws, and ``KeysError/Code/masterFileUnusable`` when somebody
    ///   else is changing the file.
    @discardableResult
    public func update(_ change: (MasterKeys) throws(KeysError) -> MasterKeys) throws(KeysError) -> MasterKeys {
        let target = try SystemFile.resolved(path)
        let file = try SystemFile.openLocked(target)
        defer { file.close() }
        let keys = try change(try MasterKeys(json: try contents(of: file)))
        let draft = try MasterKeyFile(path: target).write(keys)
        do {
            try SystemFile.rename(draft, to: target)
        } catch {
            SystemFile.remove(draft)
            throw error
        }
        try SystemFile.syncDirectory(of: target)
        return keys
    }

    private func contents(of file: SystemFile) throws(KeysError) -> [UInt8] {
        let status = try file.status()
        guard status.isRegular else {
            throw KeysError(code: .masterFileUnusable, reason: "the master key file is not a regular file")
        }
        guard status.permissions & 0o077 == 0 else {
            throw KeysError(
                code: .masterFileExposed, reason: "others than its owner may touch the master key file",
                remedy: "run: chmod 600 '\(path)'")
        }
        return try file.read(atMost: 65_536)
    }

    /// Writes a new file beside the path, on disk when this returns, and names it.
    private func write(_ keys: MasterKeys) throws(KeysError) -> String {
        let draft = path + ".new." + SystemFile.uniqueSuffix()
        let file = try SystemFile.open(draft, .creating)
        defer { file.close() }
        do {
            try file.write(keys.json())
            try file.sync()
        } catch {
            SystemFile.remove(draft)
            throw error
        }
        return draft
    }
}
