/// Keeps the tokens of each account in a file that only its owner may read, as ``FileDeviceKeyStore`` keeps keys.
public struct FileSessionStore: SessionStore {
    private let directory: String

    /// A store in `directory`; `$XDG_DATA_HOME/tenure/sessions` by default.
    public init(directory: String? = nil) { self.directory = directory ?? DataDirectory.standard() + "/sessions" }

    /// Reads the tokens of an account.
    public func tokens(of account: AccountName) async throws -> SessionTokens? {
        let path = path(of: account)
        return try await Self.guarded {
            guard let bytes = try PrivateFile.read(path, maximumBytes: 4_096) else { return nil }
            guard let tokens = SessionTokens(storedBytes: bytes) else { throw StorageFailure() }
            return tokens
        }
    }

    /// Writes tokens; a crash leaves the old ones or the new ones.
    public func keep(_ tokens: SessionTokens, of account: AccountName) async throws {
        let path = path(of: account)
        try await Self.guarded { try PrivateFile.replace(path, tokens.storedBytes) }
    }

    /// Removes the file.
    public func removeTokens(of account: AccountName) async throws {
        let path = path(of: account)
        try await Self.guarded { try PrivateFile.remove(path) }
    }

    private func path(of account: AccountName) -> String { "\(directory)/\(account.identifier).json" }

    private static func guarded<Value: Sendable>(_ work: @Sendable @escaping () throws -> Value) async throws -> Value {
        do { return try await BlockingWork.run(work) } catch { throw TenureClientError(.storageFailed) }
    }
}
