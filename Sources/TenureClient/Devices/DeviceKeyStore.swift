public import Credentials

/// A device's P-256 key, wherever it is stored.
///
/// The methods receive values that the client has parsed and checked. An implementation must sign nothing else.
public protocol DeviceKey: Sendable {
    /// The public key.
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
