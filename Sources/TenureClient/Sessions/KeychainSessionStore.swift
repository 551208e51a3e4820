#if canImport(Security)
import Foundation

/// A session store in this device's key chain.
public struct KeychainSessionStore: SessionStore {
    private let keychain: Keychain

    /// Creates a store whose items have this `kSecAttrService`.
    public init(service: String = "tenure.sessions") { keychain = Keychain(service: service) }

    /// Returns the tokens of an account, or `nil` if there are none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func tokens(of account: AccountName) async throws -> SessionTokens? {
        let (keychain, name) = (keychain, account.identifier)
        return try await Self.guarded {
            guard let data = try keychain.read(name) else { return nil }
            guard let tokens = SessionTokens(storedBytes: Array(data)) else { throw StorageFailure() }
            return tokens
        }
    }

    /// Stores tokens and replaces existing ones.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func keep(_ tokens: SessionTokens, of account: AccountName) async throws {
        let (keychain, name) = (keychain, account.identifier)
        try await Self.guarded { try keychain.replace(name, Data(tokens.storedBytes)) }
    }

    /// Removes tokens.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func removeTokens(of account: AccountName) async throws {
        let (keychain, name) = (keychain, account.identifier)
        try await Self.guarded { try keychain.remove(name) }
    }

    private static func guarded<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        do { return try await BlockingWork.run(work) } catch { throw TenureClientError(.storageFailed) }
    }
}
#endif
