import Canonical
public import Credentials
import PrivateFiles

/// A device's P-256 key, wherever it is stored.
///
/// The methods receive values that the client has parsed and checked. An implementation must sign nothing else.
public protocol DeviceKey: Sendable {
    var publicKey: EmployeePublicKey { get }
    /// Signs the challenge of a flow.
    ///
    /// - Throws: An error if the key cannot sign.
    func signature(over challenge: Challenge) async throws -> Signature
    /// Signs a new record of credentials.
    ///
    /// - Throws: An error if the key cannot sign.
    func signature(over credentials: NewCredentials) async throws -> Signature
    /// Signs a statement, which the caller has compared with the requested decision.
    ///
    /// - Throws: An error if the key cannot sign.
    func signature(over statement: some Statement) async throws -> Signature
}

/// A device key in memory.
extension EmployeeKey: DeviceKey {
    /// Signs the challenge of a flow.
    ///
    /// - Throws: `CredentialsError`.
    public func signature(over challenge: Challenge) async throws -> Signature { try sign(challenge) }

    /// Signs a new record of credentials.
    ///
    /// - Throws: `CredentialsError`.
    public func signature(over credentials: NewCredentials) async throws -> Signature { try sign(credentials) }

    /// Signs a statement, which the caller has compared with the requested decision.
    ///
    /// - Throws: `CredentialsError`.
    public func signature<S: Statement>(over statement: S) async throws -> Signature {
        try sign(statement: statement.bytes, as: S.self, tag: statement.tag).1
    }
}

/// Stores the device keys of this device, one for each account.
public protocol DeviceKeyStore: Sendable {
    /// Returns the key of an account; `nil` if this device has none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/keyFileInvalid`` if the stored item is not a key
    ///   that only its owner can read.
    func key(of account: AccountName) async throws -> (any DeviceKey)?
    /// Creates and stores a key. If a concurrent call has stored one first, returns that key.
    ///
    /// - Throws: As ``key(of:)``.
    func makeKey(of account: AccountName) async throws -> any DeviceKey
    /// Removes the key of an account. Succeeds if there is none.
    ///
    /// - Throws: As ``key(of:)``.
    func removeKey(of account: AccountName) async throws
}

extension DeviceKeyStore {
    /// Returns the key of an account and creates one if there is none.
    ///
    /// - Throws: The error of the store, ``TenureClientError/Code/keyFileInvalid`` for the stores of this library.
    public func keyOrNew(of account: AccountName) async throws -> any DeviceKey {
        if let key = try await key(of: account) { return key }
        return try await makeKey(of: account)
    }
}

/// The default key store of a platform: the key chain with the Secure Enclave on Apple platforms, files elsewhere.
public enum PlatformKeyStore {
    /// Returns the default store.
    public static func standard() -> any DeviceKeyStore {
        #if canImport(Security)
        KeychainDeviceKeyStore()
        #else
        FileDeviceKeyStore()
        #endif
    }
}

/// A key store in memory, for tests and for programs that act as a new device each time.
public actor MemoryDeviceKeyStore: DeviceKeyStore {
    private var keys: [AccountName: EmployeeKey]

    /// Creates a store with these keys.
    public init(_ keys: [AccountName: EmployeeKey] = [:]) { self.keys = keys }

    /// Returns the key of an account, or `nil` if there is none.
    public func key(of account: AccountName) -> (any DeviceKey)? { keys[account] }

    /// Returns the key of an account and creates it if there is none.
    ///
    /// - Throws: `CredentialsError`.
    public func makeKey(of account: AccountName) throws -> any DeviceKey {
        if let key = keys[account] { return key }
        let key = try EmployeeKey.generate()
        keys[account] = key
        return key
    }

    /// Removes a key.
    public func removeKey(of account: AccountName) { keys[account] = nil }
}

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
