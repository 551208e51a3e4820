import Canonical
import Credentials

/// Keeps each key in a file that only its owner may read (0600), in a directory that only its owner may enter (0700).
///
/// The keys are as safe as the account of the operating system: a program of the same user can read them. It is the
/// store of platforms without a key chain.
public struct FileDeviceKeyStore: DeviceKeyStore {
    private let directory: String

    /// A store in `directory`, which is made when the first key is; `$XDG_DATA_HOME/tenure/keys` by default.
    public init(directory: String? = nil) { self.directory = directory ?? DataDirectory.standard() + "/keys" }

    /// Reads a key.
    public func key(of account: AccountName) async throws -> (any DeviceKey)? {
        let path = path(of: account)
        return try await Self.guarded { try Self.load(path) }
    }

    /// Makes a key. Of several callers at once, in this process or in others, one makes it and all get the same.
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
