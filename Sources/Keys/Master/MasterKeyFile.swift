import Dispatch
import Postgres
import PrivateFiles

/// The file that holds the master keys: JSON as in ``MasterKeys/init(json:)``, readable by its owner only.
///
/// If the file is lost, every person's data is lost. ``create()`` therefore never overwrites it, and two processes that
/// start at the same moment agree on one.
///
/// Calls block for a few system calls. Use them at the start of a process or in a command.
package struct MasterKeyFile: Sendable {
    /// The longest file that is read, in bytes.
    private static let maximumLength = 65_536

    package let path: String

    /// A file at `path`; nothing is read or written yet.
    package init(path: String) { self.path = path }

    /// Reads the keys.
    ///
    /// It follows symbolic links, because secret mounts consist of them. The target must be a regular file that neither
    /// group nor others may access.
    ///
    /// - Throws: ``KeysError/Code/masterFileMissing``, ``KeysError/Code/masterFileExposed`` with a remedy that names
    ///   the command to run, ``KeysError/Code/masterFileUnusable``, ``KeysError/Code/masterKeysInvalid``.
    package func load() throws(KeysError) -> MasterKeys {
        try MasterKeys(
            json: try using { () throws(PrivateFileError) in
                try PrivateFile.read(path, .secret, atMost: Self.maximumLength)
            })
    }

    /// Generates keys of version 1 and writes them completely, on disk, with mode 0600, or not at all.
    ///
    /// It writes a new file beside the path and then links it to the path, which fails if the path exists.
    ///
    /// - Throws: ``KeysError/Code/masterFileExists`` if anything exists at the path, and
    ///   ``KeysError/Code/masterFileUnusable``.
    package func create() throws(KeysError) -> MasterKeys {
        let keys = MasterKeys.random()
        let isNew = try using { () throws(PrivateFileError) in try PrivateFile.create(path, keys.json(), .secret) }
        guard isNew else {
            throw KeysError(
                code: .masterFileExists, reason: "a master key file exists and is never overwritten",
                remedy: "use \(path) as it is; without it nothing in its database can be read")
        }
        return keys
    }

    /// Reads the keys, or creates them if there is no file. Of several processes that race here, one creates and the
    /// others read.
    ///
    /// - Throws: As ``load()`` and ``create()``.
    package func loadOrCreate() throws(KeysError) -> MasterKeys {
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

    /// Replaces the keys by the result of `change`, atomically.
    ///
    /// The file keeps its owner and its mode, so that the service can read what a command of root has changed.
    ///
    /// A lock on the file serialises changes of several processes; a process that waits for three seconds is refused.
    /// Keep a copy of the old file until nothing is wrapped under a version that the new one lacks.
    ///
    /// - Throws: What ``load()`` throws, what `change` throws, and ``KeysError/Code/masterFileUnusable`` if another
    ///   process is changing the file.
    @discardableResult
    package func update(_ change: (MasterKeys) throws(KeysError) -> MasterKeys) throws(KeysError) -> MasterKeys {
        let file = try using { () throws(PrivateFileError) in try PrivateFile.openLocked(path, .secret) }
        defer { file.close() }
        let old = try using { () throws(PrivateFileError) in try file.contents(atMost: Self.maximumLength) }
        let keys = try change(try MasterKeys(json: old))
        try using { () throws(PrivateFileError) in try file.replace(with: keys.json()) }
        return keys
    }

    /// Runs work on the file and gives its errors the codes of this type.
    private func using<Result>(
        _ work: () throws(PrivateFileError) -> Result
    ) throws(KeysError) -> Result {
        do { return try work() } catch {
            let (code, remedy): (KeysError.Code, String) =
                switch error.code {
                case .missing: (.masterFileMissing, "expected at \(path)")
                case .exposed: (.masterFileExposed, "run: chmod 600 '\(path)'")
                default: (.masterFileUnusable, "check \(path) and its directory")
                }
            throw KeysError(code: code, reason: "the master key file \(error.reason)", remedy: remedy)
        }
    }
}

/// The master keys of a running process, updated from their file when needed.
///
/// A rotation first adds a version to the file and then wraps keys under it. A process that meets an unknown version
/// reads the file again, so no restart is needed and no call fails.
package final class MasterKeyStore: Sendable {
    private let file: MasterKeyFile?
    private let held: Lock<MasterKeys>

    /// A store that starts with `keys`.
    ///
    /// - Parameter file: The file to read later versions from. If it is `nil`, because the keys have another source,
    ///   unknown versions stay unknown.
    package init(_ keys: MasterKeys, file: MasterKeyFile? = nil) {
        self.file = file
        held = Lock(keys)
    }

    /// A store that reads the keys from their file, and again whenever a version is missing.
    ///
    /// - Throws: What ``MasterKeyFile/load()`` throws.
    package convenience init(file: MasterKeyFile) throws(KeysError) {
        self.init(try file.load(), file: file)
    }

    /// The keys as last read.
    package var keys: MasterKeys { held.withLock { $0 } }

    /// Checks that the file can be read and still holds the current key. Does nothing for keys from another source.
    ///
    /// - Throws: What ``MasterKeyFile/load()`` throws, ``KeysError/Code/masterVersionUnknown`` or
    ///   ``KeysError/Code/masterKeysInvalid`` if the file lacks the key that wraps new keys, or has another one.
    package func checkFile() async throws {
        guard let file else { return }
        let fresh = try await Self.read(file), held = keys
        guard try fresh.key(version: held.current) == held.key(version: held.current) else {
            throw MasterKeys.invalid("the file holds another key of version \(held.current)")
        }
    }

    /// A few system calls. They may block, which is not allowed on the threads of tasks.
    private static func read(_ file: MasterKeyFile) async throws(KeysError) -> MasterKeys {
        let read: Result<MasterKeys, KeysError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(KeysError) in try file.load() })
            }
        }
        return try read.get()
    }

    /// Returns keys that include these versions, reading the file again if those in memory do not.
    ///
    /// A version that the file lacks too is not an error here. Unwrapping a key of that version is.
    ///
    /// - Throws: What ``MasterKeyFile/load()`` throws.
    func keys(holding versions: some Sequence<Int>) async throws -> MasterKeys {
        let keys = keys
        let known = Set(keys.heldVersions)
        guard let file, !versions.allSatisfy(known.contains) else { return keys }
        let fresh = try await Self.read(file)
        return held.withLock { held in
            // If two calls read concurrently, the later file wins, whatever their order.
            if fresh.current >= held.current { held = fresh }
            return held
        }
    }
}
