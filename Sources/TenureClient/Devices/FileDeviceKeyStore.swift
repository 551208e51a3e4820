import Canonical
public import Credentials
import Foundation

/// A device key in a file of mode 0600: 32 bytes in lower-case hex and a newline.
public enum FileDeviceKey {
    /// Reads the key at `path`, or creates one if the file does not exist.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid`` if others may read the file or it
    ///   contains no key. Existing files are never overwritten.
    public static func loadOrCreate(at path: String) throws -> EmployeeKey {
        if FileManager.default.fileExists(atPath: path) { return try load(at: path) }
        let key = try EmployeeKey.generate()
        let text = Hex.encode(key.privateBytes) + "\n"
        // The key is written to a temporary file and linked into place, so that readers never see a partial key and no
        // key is replaced.
        let temporary = path + "." + UUID().uuidString
        defer { try? FileManager.default.removeItem(atPath: temporary) }
        guard
            FileManager.default.createFile(
                atPath: temporary, contents: Data(text.utf8), attributes: [.posixPermissions: 0o600])
        else { throw TenureClientError(.keyFileInvalid) }
        do { try FileManager.default.linkItem(atPath: temporary, toPath: path) } catch { return try load(at: path) }
        return key
    }

    /// Reads the key at `path`.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid``.
    public static func load(at path: String) throws -> EmployeeKey {
        guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
            let mode = attributes[.posixPermissions] as? NSNumber, mode.intValue & 0o077 == 0,
            let size = attributes[.size] as? NSNumber, size.intValue <= 128,
            let data = FileManager.default.contents(atPath: path), let text = String(data: data, encoding: .utf8),
            let bytes = Hex.decode(text.hasSuffix("\n") ? String(text.dropLast()) : text),
            let key = try? EmployeeKey(privateBytes: bytes)
        else { throw TenureClientError(.keyFileInvalid) }
        return key
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
            if try PrivateFile.create(path, Array((Hex.encode(key.privateBytes) + "\n").utf8)) { return key }
            guard let other = try Self.load(path) else { throw StorageFailure() }
            return other
        }
    }

    /// Removes the file of a key.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid``.
    public func removeKey(of account: AccountName) async throws {
        let path = path(of: account)
        try await Self.guarded { try PrivateFile.remove(path) }
    }

    private func path(of account: AccountName) -> String { "\(directory)/\(account.identifier).key" }

    private static func load(_ path: String) throws -> EmployeeKey? {
        guard let bytes = try PrivateFile.read(path, maximumBytes: 128) else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let scalar = Hex.decode(text.hasSuffix("\n") ? String(text.dropLast()) : text) else {
            throw StorageFailure()
        }
        return try EmployeeKey(privateBytes: scalar)
    }

    private static func guarded<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        do { return try await BlockingWork.run(work) } catch { throw TenureClientError(.keyFileInvalid) }
    }
}
