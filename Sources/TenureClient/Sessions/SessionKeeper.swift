import Canonical

/// The tokens of one account: gives out an access token that is good, and renews it once for everybody who asks.
actor SessionKeeper {
    /// A token that ends within this time is renewed before it is used.
    static let margin: Duration = .seconds(30)

    private let account: AccountName
    private let store: any SessionStore
    private let now: @Sendable () -> Timestamp
    private let flight = SingleFlight<SessionTokens>()

    init(account: AccountName, store: any SessionStore, now: @escaping @Sendable () -> Timestamp) {
        self.account = account
        self.store = store
        self.now = now
    }

    /// Keeps the tokens of a new session.
    func begin(_ tokens: SessionTokens) async throws { try await store.keep(tokens, of: account) }

    /// Whether there are tokens, good or not.
    func isOpen() async throws -> Bool { try await store.tokens(of: account) != nil }

    /// Forgets the session.
    func end() async throws { try await store.removeTokens(of: account) }

    /// An access token that has not ended; `refused` is one that the service has just called expired.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/notLoggedIn`` when there is no session; what the
    ///   refresh threw, the same for every caller who waited for it.
    func accessToken(
        refused: String? = nil, refresh: @Sendable @escaping (String) async throws -> SessionTokens
    ) async throws -> String {
        if let tokens = try await usable(refused) { return tokens.accessToken }
        let renewed = try await flight.run { [self] in try await renew(refused, refresh) }
        // A caller may have joined a run whose result is the very token that was refused to it meanwhile.
        guard renewed.accessToken != refused else { throw TenureClientError(.init(rawValue: "session.expired")) }
        return renewed.accessToken
    }

    private func usable(_ refused: String?) async throws -> SessionTokens? {
        guard let tokens = try await store.tokens(of: account) else { throw TenureClientError(.notLoggedIn) }
        return tokens.accessToken != refused && now().adding(Self.margin) < tokens.expiresAt ? tokens : nil
    }

    private func renew(
        _ refused: String?, _ refresh: @Sendable (String) async throws -> SessionTokens
    ) async throws -> SessionTokens {
        // Read again: whoever was here before, also another process with the same store, may have renewed them.
        if let tokens = try await usable(refused) { return tokens }
        guard let old = try await store.tokens(of: account) else { throw TenureClientError(.notLoggedIn) }
        do {
            let tokens = try await refresh(old.refreshToken)
            try await store.keep(tokens, of: account)
            return tokens
        } catch let error as TenureClientError where error.kind == .sessionInvalid || error.kind == .sessionExpired {
            // The service knows the session no more. Tokens that somebody else has put there meanwhile stay.
            if try await store.tokens(of: account) == old { try await store.removeTokens(of: account) }
            throw error
        }
    }
}

/// The keepers of a client, one for each account, so that everybody who uses an account shares its refresh.
actor SessionRegistry {
    private let store: any SessionStore
    private let now: @Sendable () -> Timestamp
    private var keepers: [AccountName: SessionKeeper] = [:]

    init(store: any SessionStore, now: @escaping @Sendable () -> Timestamp = { .now() }) {
        self.store = store
        self.now = now
    }

    /// The keeper of an account.
    func keeper(of account: AccountName) -> SessionKeeper {
        if let keeper = keepers[account] { return keeper }
        let keeper = SessionKeeper(account: account, store: store, now: now)
        keepers[account] = keeper
        return keeper
    }
}
