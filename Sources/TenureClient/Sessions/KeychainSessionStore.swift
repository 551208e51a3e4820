#if canImport(Security)
import Foundation

/// Keeps tokens in the key chain of this device.
public struct KeychainSessionStore: SessionStore {
    private let keychain: Keychain

    /// A store whose items have this `kSecAttrService`.
    public init(service: String = "tenure.sessions") { keychain = Keychain(service: service) }

    /// Reads tokens.
    public func tokens(of account: AccountName) async throws -> SessionTokens? {
        let (keychain, name) = (keychain, account.identifier)
        return try await Self.guarded {
            guard let data = try keychain.read(name) else { return nil }
            guard let tokens = SessionTokens(storedBytes: Array(data)) else { throw StorageFailure() }
            return tokens
        }
    }

    /// Writes tokens.
    public func keep(_ tokens: SessionTokens, of account: AccountName) async throws {
        let (keychain, name) = (keychain, account.identifier)
        try await Self.guarded { try keychain.replace(name, Data(tokens.storedBytes)) }
    }

    /// Removes tokens.
    public func removeTokens(of account: AccountName) async throws {
        let (keychain, name) = (keychain, account.identifier)
        try await Self.guarded { try keychain.remove(name) }
    }

    private static func guarded<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        do { return try await BlockingWork.run(work) } catch { throw TenureClientError(.storageFailed) }
    }
}
#endif
