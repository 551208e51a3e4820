import Dispatch
import Postgres

/// The master keys of a running process: those of its start, and those that their file holds by now.
///
/// A rotation first adds a version to the file and then wraps keys under it. A process that meets a version it does not
/// hold reads the file again; so nothing has to be restarted, and no call fails.
public final class MasterKeyStore: Sendable {
    private let file: MasterKeyFile?
    private let held: Lock<MasterKeys>

    /// Holds keys.
    ///
    /// - Parameter file: Where later versions are found; nil when the keys come from elsewhere, and then a version that
    ///   is not held stays unknown.
    public init(_ keys: MasterKeys, file: MasterKeyFile? = nil) {
        self.file = file
        held = Lock(keys)
    }

    /// Reads the keys from their file, and again whenever a version is missing.
    ///
    /// - Throws: what ``MasterKeyFile/load()`` throws.
    public convenience init(file: MasterKeyFile) throws(KeysError) {
        self.init(try file.load(), file: file)
    }

    /// The keys as they were read last.
    public var keys: MasterKeys { held.withLock { $0 } }

    /// Keys that hold these versions, from the file when those in memory do not.
    ///
    /// A version that the file does not hold either is no error here: opening what is wrapped under it is.
    ///
    /// - Throws: what ``MasterKeyFile/load()`` throws.
    func keys(holding versions: some Sequence<Int>) async throws -> MasterKeys {
        let keys = keys
        let known = Set(keys.heldVersions)
        guard let file, !versions.allSatisfy(known.contains) else { return keys }
        // A few system calls, once in a rotation; they may block, which the threads of tasks must not.
        let read: Result<MasterKeys, KeysError> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(KeysError) in try file.load() })
            }
        }
        let fresh = try read.get()
        return held.withLock { held in
            // Of two that read at once the later file wins, whoever comes last.
            if fresh.current >= held.current { held = fresh }
            return held
        }
    }
}
