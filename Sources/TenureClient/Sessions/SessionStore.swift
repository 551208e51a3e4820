/// Keeps the tokens of sessions, one session for each account.
public protocol SessionStore: Sendable {
    /// The tokens of an account; `nil` when there are none.
    func tokens(of account: AccountName) async throws -> SessionTokens?
    /// Keeps tokens in the place of any others.
    func keep(_ tokens: SessionTokens, of account: AccountName) async throws
    /// Forgets the tokens of an account; none is fine.
    func removeTokens(of account: AccountName) async throws
}

/// Keeps tokens for as long as it lives.
public actor MemorySessionStore: SessionStore {
    private var all: [AccountName: SessionTokens] = [:]

    /// An empty store.
    public init() {}

    /// The tokens of an account.
    public func tokens(of account: AccountName) -> SessionTokens? { all[account] }
    /// Keeps tokens.
    public func keep(_ tokens: SessionTokens, of account: AccountName) { all[account] = tokens }
    /// Forgets tokens.
    public func removeTokens(of account: AccountName) { all[account] = nil }
}
