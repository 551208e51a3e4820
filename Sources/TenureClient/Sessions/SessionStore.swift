public import Canonical
import Crypto
import PrivateFiles
import TenureAPI

/// The tokens of one session, as a store keeps them.
public struct SessionTokens: Sendable, Hashable, Redacted {
    /// The token that authorizes calls.
    public var accessToken: String
    /// The time when the access token expires.
    public var expiresAt: Timestamp
    /// The token that obtains new tokens, once.
    public var refreshToken: String
    /// The random bytes of a refresh that has begun; `nil` before. They are stored before the refresh is sent, so that
    /// it can be repeated after its response was lost, by another process too.
    public var refreshSecret: [UInt8]?

    /// Describes tokens.
    public init(accessToken: String, expiresAt: Timestamp, refreshToken: String, refreshSecret: [UInt8]? = nil) {
        self.accessToken = accessToken
        self.expiresAt = expiresAt
        self.refreshToken = refreshToken
        self.refreshSecret = refreshSecret
    }

    /// The idempotency key of the refresh: HMAC-SHA-256 over the refresh token under ``refreshSecret``, which is
    /// generated if there is none.
    ///
    /// The token alone does not give the key. The service can thus tell this device, which repeats a refresh, from
    /// somebody who holds a copy of the token: the copy ends the session.
    mutating func refreshKey() -> String {
        let secret = refreshSecret ?? SymmetricKey(size: .bits256).withUnsafeBytes { Array($0) }
        refreshSecret = secret
        let code = HMAC<SHA256>.authenticationCode(
            for: Array("tenure session refresh ".utf8) + Array(refreshToken.utf8), using: SymmetricKey(data: secret))
        return Base64URL.encode(Array(code))
    }

    init(_ response: SessionResponse) {
        self.init(
            accessToken: response.accessToken, expiresAt: response.expiresAt, refreshToken: response.refreshToken)
    }

    /// Reads bytes that ``storedBytes`` produced.
    init?(storedBytes: [UInt8]) {
        guard let json = try? StrictJSON.parse(storedBytes), let response = try? SessionResponse(json: json, at: "")
        else { return nil }
        self.init(response)
        if case .string(let text)? = json["refreshSecret"] { refreshSecret = Base64URL.decode(text) }
    }

    /// The bytes for a store: JSON with the members of the service's response, and ``refreshSecret`` if there is one.
    var storedBytes: [UInt8] {
        let response = SessionResponse(accessToken: accessToken, expiresAt: expiresAt, refreshToken: refreshToken)
        guard let refreshSecret, case .object(var members) = response.json else { return response.bytes }
        members["refreshSecret"] = .string(Base64URL.encode(refreshSecret))
        return JSONValue.object(members).canonicalBytes()
    }
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
    /// Runs work that reads and then changes the tokens of an account, while no other process with this store does.
    ///
    /// The work may send a request. A store that no other process shares can use the default, which only runs the work.
    ///
    /// - Throws: What `work` throws; as ``tokens(of:)``; ``TenureClientError/Code/connectionLost`` if another process
    ///   waits for the service too long.
    func exclusively<Value: Sendable>(
        _ account: AccountName, _ work: @Sendable () async throws -> Value
    ) async throws -> Value
}

extension SessionStore {
    /// Runs the work.
    public func exclusively<Value: Sendable>(
        _ account: AccountName, _ work: @Sendable () async throws -> Value
    ) async throws -> Value { try await work() }
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
///
/// Processes that share the directory refresh a session one after the other: each account has a lock file.
public struct FileSessionStore: SessionStore {
    /// How long another process may hold the lock. It does so while it waits for the service.
    private static let patience: Duration = .seconds(60)
    /// The time between two attempts to get the lock.
    private static let pause: Duration = .milliseconds(20)
    private let directory: String
    /// Locks a descriptor; `nil` for the system's function.
    private let lock: (@Sendable (Int32, Int32) -> Int32)?

    /// Creates a store in `directory`, `$XDG_DATA_HOME/tenure/sessions` by default.
    public init(directory: String? = nil) { self.init(directory: directory, lock: nil) }

    init(directory: String?, lock: (@Sendable (Int32, Int32) -> Int32)?) {
        self.directory = directory ?? DataDirectory.standard() + "/sessions"
        self.lock = lock
    }

    /// Returns the tokens of an account, or `nil` if there are none.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func tokens(of account: AccountName) async throws -> SessionTokens? {
        let path = path(of: account)
        return try await Self.guarded {
            guard let bytes = try DeviceFile.read(path, maximumBytes: 4_096) else { return nil }
            guard let tokens = SessionTokens(storedBytes: bytes) else { throw StorageFailure() }
            return tokens
        }
    }

    /// Stores tokens. After a crash the file has either the old tokens or the new ones.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func keep(_ tokens: SessionTokens, of account: AccountName) async throws {
        let path = path(of: account)
        try await Self.guarded { try DeviceFile.replace(path, tokens.storedBytes) }
    }

    /// Removes the file.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/storageFailed``.
    public func removeTokens(of account: AccountName) async throws {
        let path = path(of: account)
        try await Self.guarded { try DeviceFile.remove(path) }
    }

    /// Runs work while no other process, and no other store of this directory, changes the session of the account.
    ///
    /// A process that ends releases the lock. Waiting blocks no thread.
    ///
    /// - Throws: What `work` throws; ``TenureClientError`` with ``TenureClientError/Code/storageFailed``, at once and
    ///   with advice if the directory has no file locks, or with ``TenureClientError/Code/connectionLost`` if another
    ///   process waits for the service for a minute.
    public func exclusively<Value: Sendable>(
        _ account: AccountName, _ work: @Sendable () async throws -> Value
    ) async throws -> Value {
        let path = "\(directory)/\(account.identifier).lock"
        let file = try await Self.guarded { try DeviceFile.openForLock(path) }
        defer { file.close() }
        let end = ContinuousClock.now + Self.patience
        while try !isLocked(file) {
            guard ContinuousClock.now < end else { throw TenureClientError(.connectionLost) }
            try await Task.sleep(for: Self.pause)
        }
        return try await work()
    }

    /// Takes the lock if no other process has it. Returns `false` if one has.
    private func isLocked(_ file: PrivateFile) throws(TenureClientError) -> Bool {
        do throws(PrivateFileError) {
            return if let lock { try file.tryLock(lock) } else { try file.tryLock() }
        } catch {
            throw TenureClientError(.storageFailed, nil, nil, ["\(error) \(error.remedy)"])
        }
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
