import Canonical
public import Credentials
import PrivateFiles

/// A device key in a file of mode 0600: 32 bytes in lower-case hex and a newline.
public enum FileDeviceKey {
    /// Reads the key at `path`, or creates one if the file does not exist.
    ///
    /// A new key is complete and on disk before it has this name, and never accessible to others.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid`` if others may read the file, it
    ///   belongs to another user, is a link, or contains no key. Existing files are never overwritten.
    public static func loadOrCreate(at path: String) throws -> EmployeeKey {
        let key = try EmployeeKey.generate()
        do throws(PrivateFileError) {
            let isNew = try PrivateFile.create(path, Array((Hex.encode(key.privateBytes) + "\n").utf8), .personal)
            if isNew { return key }
        } catch { throw TenureClientError(.keyFileInvalid) }
        return try load(at: path)
    }

    /// Reads the key at `path`.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid``.
    public static func load(at path: String) throws -> EmployeeKey {
        guard let bytes = try? PrivateFile.read(path, .personal, atMost: maximumBytes), let key = try? key(in: bytes)
        else { throw TenureClientError(.keyFileInvalid) }
        return key
    }

    /// The longest file that is read.
    fileprivate static let maximumBytes = 128

    /// Parses the content of a key file.
    fileprivate static func key(in bytes: [UInt8]) throws -> EmployeeKey {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let scalar = Hex.decode(text.hasSuffix("\n") ? String(text.dropLast()) : text) else {
            throw StorageFailure()
        }
        return try EmployeeKey(privateBytes: scalar)
    }
}

/// A key store with one file for each key, mode 0600, in a directory of mode 0700.
///
/// The keys are as safe as the operating system's user account, because every program of the same user can read them.
/// It is the default on platforms without a key chain.
public struct FileDeviceKeyStore: DeviceKeyStore {
    private let directory: String

    /// Creates a store in `directory`, `$XDG_DATA_HOME/tenure/keys` by default. The directory is created with the first
    /// key.
    public init(directory: String? = nil) { self.directory = directory ?? DataDirectory.standard() + "/keys" }

    /// Returns the key of an account, or `nil` if there is none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid``.
    public func key(of account: AccountName) async throws -> (any DeviceKey)? {
        let path = path(of: account)
        return try await Self.guarded { try Self.load(path) }
    }

    /// Creates a key. If several callers compete, in this or in other processes, one of them creates the key and all
    /// get it.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid``.
    public func makeKey(of account: AccountName) async throws -> any DeviceKey {
        let path = path(of: account)
        return try await Self.guarded {
            let key = try EmployeeKey.generate()
            if try DeviceFile.create(path, Array((Hex.encode(key.privateBytes) + "\n").utf8)) { return key }
            guard let other = try Self.load(path) else { throw StorageFailure() }
            return other
        }
    }

    /// Removes the file of a key.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid``.
    public func removeKey(of account: AccountName) async throws {
        let path = path(of: account)
        try await Self.guarded { try DeviceFile.remove(path) }
    }

    private func path(of account: AccountName) -> String { "\(directory)/\(account.identifier).key" }

    private static func load(_ path: String) throws -> EmployeeKey? {
        try DeviceFile.read(path, maximumBytes: FileDeviceKey.maximumBytes).map { try FileDeviceKey.key(in: $0) }
    }

    private static func guarded<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        do { return try await BlockingWork.run(work) } catch { throw TenureClientError(.keyFileInvalid) }
    }
}
