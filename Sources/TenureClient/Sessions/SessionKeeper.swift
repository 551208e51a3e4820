import Canonical
import ErrorCodes

/// Keeps the tokens of one account: returns a valid access token and refreshes it once for all concurrent callers.
actor SessionKeeper {
    /// Exchanges a refresh token under an idempotency key.
    typealias Refresh = @Sendable (_ refreshToken: String, _ idempotencyKey: String) async throws -> SessionTokens

    /// The margin before expiry within which a token is refreshed before use.
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

    /// Stores the tokens of a new session.
    func begin(_ tokens: SessionTokens) async throws {
        let (store, account) = (store, account)
        try await store.exclusively(account) { try await store.keep(tokens, of: account) }
    }

    /// Whether there are tokens, valid or not.
    func isOpen() async throws -> Bool { try await store.tokens(of: account) != nil }

    /// Removes the tokens of the session.
    func end() async throws {
        let (store, account) = (store, account)
        try await store.exclusively(account) { try await store.removeTokens(of: account) }
    }

    /// Returns an access token that has not expired. `refused` is a token that the service has just reported as
    /// expired.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/notLoggedIn`` if there is no session, or the error
    ///   of the refresh, the same for every caller who waited for it.
    func accessToken(
        refused: String? = nil, refresh: @escaping Refresh
    ) async throws -> String {
        if let tokens = try await usable(refused) { return tokens.accessToken }
        let renewed = try await flight.run { [self] in try await renew(refused, refresh) }
        // A caller may have joined a refresh that returned the token which the service has meanwhile refused to that
        // caller.
        guard renewed.accessToken != refused else { throw TenureClientError(.init(.sessionExpired)) }
        return renewed.accessToken
    }

    private func usable(_ refused: String?) async throws -> SessionTokens? {
        guard let tokens = try await store.tokens(of: account) else { throw TenureClientError(.notLoggedIn) }
        return tokens.accessToken != refused && now().adding(Self.margin) < tokens.expiresAt ? tokens : nil
    }

    /// Returns the token that has replaced `token`, which the service does not know any more; `nil` if none has.
    ///
    /// It waits for a refresh of another process.
    func replacement(of token: String) async throws -> String? {
        try await store.exclusively(account) { [self] in
            guard try await isOpen() else { return nil }
            return try await usable(token)?.accessToken
        }
    }

    private func renew(_ refused: String?, _ refresh: @escaping Refresh) async throws -> SessionTokens {
        try await store.exclusively(account) { [self] in
            // Read again: an earlier caller, or another process with the same store, may have refreshed the tokens.
            if let tokens = try await usable(refused) { return tokens }
            return try await exchange(refresh)
        }
    }

    /// Refreshes the tokens.
    ///
    /// The idempotency key is stored before the request is sent. If the response is lost, the next refresh repeats the
    /// request and gets the same response, in this process or in another one.
    private func exchange(_ refresh: Refresh) async throws -> SessionTokens {
        guard var old = try await store.tokens(of: account) else { throw TenureClientError(.notLoggedIn) }
        let hasBegun = old.refreshSecret != nil
        let key = old.refreshKey()
        if !hasBegun { try await store.keep(old, of: account) }
        do {
            let tokens = try await refresh(old.refreshToken, key)
            try await store.keep(tokens, of: account)
            return tokens
        } catch let error as TenureClientError where error.kind.endsSession {
            // The service does not know the session. Tokens that another process has stored in the meantime stay.
            if try await store.tokens(of: account) == old { try await store.removeTokens(of: account) }
            throw error
        }
    }
}

extension TenureClientError.Kind {
    /// Whether the session of a refused refresh token has ended.
    fileprivate var endsSession: Bool { self == .sessionInvalid || self == .sessionExpired || self == .sessionReused }
}

/// The keepers of a client, one for each account, so that all users of an account share its refresh.
actor SessionRegistry {
    private let store: any SessionStore
    private let now: @Sendable () -> Timestamp
    private var keepers: [AccountName: SessionKeeper] = [:]

    init(store: any SessionStore, now: @escaping @Sendable () -> Timestamp = { .now() }) {
        self.store = store
        self.now = now
    }

    func keeper(of account: AccountName) -> SessionKeeper {
        if let keeper = keepers[account] { return keeper }
        let keeper = SessionKeeper(account: account, store: store, now: now)
        keepers[account] = keeper
        return keeper
    }
}

/// Shares one run of an operation between concurrent callers.
///
/// The run belongs to none of them. A cancelled caller leaves at once with `CancellationError`, and the others still
/// get the result.
actor SingleFlight<Value: Sendable> {
    private var waiting: [Int: CheckedContinuation<Value, any Error>] = [:]
    private var next = 0
    private var isRunning = false

    /// Joins the run in progress, or starts `work`.
    func run(_ work: @Sendable @escaping () async throws -> Value) async throws -> Value {
        let ticket = next
        next += 1
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The task was cancelled before it could wait, so the handler below found nothing to resume.
                guard !Task.isCancelled else { return continuation.resume(throwing: CancellationError()) }
                waiting[ticket] = continuation
                start(work)
            }
        } onCancel: {
            Task { await self.leave(ticket) }
        }
    }

    private func start(_ work: @Sendable @escaping () async throws -> Value) {
        guard !isRunning else { return }
        isRunning = true
        Task {
            do { finish(.success(try await work())) } catch { finish(.failure(error)) }
        }
    }

    private func finish(_ result: Result<Value, any Error>) {
        isRunning = false
        let all = waiting
        waiting = [:]
        for continuation in all.values { continuation.resume(with: result) }
    }

    private func leave(_ ticket: Int) { waiting.removeValue(forKey: ticket)?.resume(throwing: CancellationError()) }
}
