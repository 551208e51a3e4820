public import Canonical
import TenureAPI

/// The tokens of one session, as a store keeps them.
public struct SessionTokens: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The token that authorizes calls.
    public var accessToken: String
    /// The time when the access token expires.
    public var expiresAt: Timestamp
    /// The token that obtains new tokens, once.
    public var refreshToken: String

    /// Describes tokens.
    public init(accessToken: String, expiresAt: Timestamp, refreshToken: String) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
    }

    init(_ response: SessionResponse) {
        self.init(
            accessToken: response.accessToken, expiresAt: response.expiresAt, refreshToken: response.refreshToken)
    }

    /// Reads bytes that ``storedBytes`` produced.
    init?(storedBytes: [UInt8]) {
        guard let response = try? SessionResponse(bytes: storedBytes) else { return nil }
        self.init(response)
    }

    /// The bytes for a store: JSON with the members of the service's response.
    var storedBytes: [UInt8] {
        SessionResponse(accessToken: accessToken, expiresAt: expiresAt, refreshToken: refreshToken).bytes
    }

    /// Always `[redacted]`, so that no token reaches a log.
    public var description: String { "[redacted]" }
    /// Always `[redacted]`, so that no token reaches a log.
    public var debugDescription: String { description }
}

/// Stores session tokens, one session for each account.
public protocol SessionStore: Sendable {
    /// Returns the tokens of an account; `nil` if there are none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``, or an error of the
    ///   implementation.
    func tokens(of account: AccountName) async throws -> SessionTokens?
    /// Stores tokens and replaces existing ones.
    ///
    /// - Throws: As ``tokens(of:)``.
    func keep(_ tokens: SessionTokens, of account: AccountName) async throws
    /// Removes the tokens of an account. Succeeds if there are none.
    ///
    /// - Throws: As ``tokens(of:)``.
    func removeTokens(of account: AccountName) async throws
}

/// A session store in memory.
public actor MemorySessionStore: SessionStore {
    private var all: [AccountName: SessionTokens] = [:]

    /// Creates an empty store.
    public init() {}

    /// Returns the tokens of an account, or `nil` if there are none.
    public func tokens(of account: AccountName) -> SessionTokens? { all[account] }
    /// Stores tokens.
    public func keep(_ tokens: SessionTokens, of account: AccountName) { all[account] = tokens }
    /// Removes tokens.
    public func removeTokens(of account: AccountName) { all[account] = nil }
}

/// A session store with one file for each account that only its owner may read, like ``FileDeviceKeyStore``.
public struct FileSessionStore: SessionStore {
    private let directory: String

    /// Creates a store in `directory`, `$XDG_DATA_HOME/tenure/sessions` by default.
    public init(directory: String? = nil) { self.directory = directory ?? DataDirectory.standard() + "/sessions" }

    /// Returns the tokens of an account, or `nil` if there are none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func tokens(of account: AccountName) async throws -> SessionTokens? {
        let path = path(of: account)
        return try await Self.guarded {
            guard let bytes = try PrivateFile.read(path, maximumBytes: 4_096) else { return nil }
            guard let tokens = SessionTokens(storedBytes: bytes) else { throw StorageFailure() }
            return tokens
        }
    }

    /// Stores tokens. After a crash the file has either the old tokens or the new ones.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func keep(_ tokens: SessionTokens, of account: AccountName) async throws {
        let path = path(of: account)
        try await Self.guarded { try PrivateFile.replace(path, tokens.storedBytes) }
    }

    /// Removes the file.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func removeTokens(of account: AccountName) async throws {
        let path = path(of: account)
        try await Self.guarded { try PrivateFile.remove(path) }
    }

    private func path(of account: AccountName) -> String { "\(directory)/\(account.identifier).json" }

    private static func guarded<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        do { return try await BlockingWork.run(work) } catch { throw TenureClientError(.storageFailed) }
    }
}

/// The default session store of a platform: the key chain on Apple platforms, files elsewhere.
public enum PlatformSessionStore {
    /// Returns the default store.
    public static func standard() -> any SessionStore {
        #if canImport(Security)
        KeychainSessionStore()
        #else
        FileSessionStore()
        #endif
    }
}
