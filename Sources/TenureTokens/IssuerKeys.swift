import AccessTokens
import Canonical

/// The keys of one issuer, fetched by discovery and cached.
///
/// At most one fetch runs at a time, and one begins at most every ten seconds, whatever tokens arrive.
actor IssuerKeys {
    /// The bounds of the keys' lifetime, in seconds. The upper one is also how long a withdrawn key lives at most while
    /// the issuer answers.
    static let lifetime: ClosedRange<Int64> = 60...3_600
    /// How long keys past their lifetime are used while the issuer is away, in seconds.
    static let staleTime: Int64 = 3_600
    /// The time from the beginning of a fetch to the next one, in seconds.
    static let interval: Int64 = 10

    private struct Cached {
        let keys: TokenKeySet
        /// The end of the lifetime, on the clock of `uptime`.
        let end: Int64
    }

    private let location: IssuerLocation
    private let fetch: IssuerDocument.Fetch
    /// Seconds of a clock that never goes back.
    private let uptime: @Sendable () -> Int64
    private var cached: Cached?
    /// Why the last fetch failed, or `nil` if it succeeded.
    private var failure: TokenIssuerError?
    private var nextFetch = Int64.min
    private var running: Task<Void, Never>?

    init(_ location: IssuerLocation, fetch: @escaping IssuerDocument.Fetch, uptime: @escaping @Sendable () -> Int64) {
        self.location = location
        self.fetch = fetch
        self.uptime = uptime
    }

    /// The keys, fetched if there are none or their lifetime is over.
    ///
    /// If the last fetch failed, keys past their lifetime are returned at once, while the next fetch runs.
    func current() async throws(TokenIssuerError) -> TokenKeySet {
        let now = uptime()
        if let cached, now < cached.end { return cached.keys }
        let refreshing = refresh()
        if let cached, failure != nil, now < cached.end + Self.staleTime { return cached.keys }
        await refreshing?.value
        if let cached, uptime() < cached.end + Self.staleTime { return cached.keys }
        throw failure ?? TokenIssuerError(.unreachable, "The issuer's keys are not fetched yet. Try again.")
    }

    /// The keys after those in which a `kid` was unknown: fetched anew, unless that was done or tried just now.
    func renewed(after seen: TokenKeySet) async -> TokenKeySet {
        if let cached, cached.keys != seen { return cached.keys }
        await refresh()?.value
        return cached?.keys ?? seen
    }

    /// The fetch that runs, or a new one. Returns `nil` if the last one began less than ``interval`` ago.
    private func refresh() -> Task<Void, Never>? {
        if let running { return running }
        let now = uptime()
        guard now >= nextFetch else { return nil }
        nextFetch = now + Self.interval
        // A task of its own: a caller that is cancelled does not take the fetch from the others.
        let task = Task { await self.replace() }
        running = task
        return task
    }

    private func replace() async {
        do {
            cached = try await discover()
            failure = nil
        } catch {
            failure = error
        }
        running = nil
    }

    /// Fetches the metadata and then the keys that it names.
    private func discover() async throws(TokenIssuerError) -> Cached {
        let document = try await get(location.metadata)
        guard let json = try? StrictJSON.parse(document.body), json["issuer"] == .string(location.issuer) else {
            throw TokenIssuerError(
                .document, "\(location.metadata) is not the metadata of the configured issuer. Compare both URLs.")
        }
        guard case .string(let url) = json["jwks_uri"], location.isOwn(url) else {
            throw TokenIssuerError(.document, "jwks_uri in \(location.metadata) is not of the issuer's origin.")
        }
        let answer = try await get(url)
        do {
            return Cached(keys: try TokenKeySet(answer.body), end: uptime() + answer.lifetime(within: Self.lifetime))
        } catch {
            throw TokenIssuerError(.document, "\(url): \(error)")
        }
    }

    private func get(_ url: String) async throws(TokenIssuerError) -> IssuerDocument {
        let document: IssuerDocument
        do {
            document = try await fetch(url)
        } catch {
            throw TokenIssuerError(
                .unreachable, "\(url) cannot be fetched (\(error)). Check the network and the issuer.")
        }
        guard document.status == 200 else {
            throw TokenIssuerError(.unreachable, "\(url) answered with \(document.status). Check the issuer's URL.")
        }
        guard document.body.count <= IssuerDocument.byteLimit else {
            throw TokenIssuerError(.document, "\(url) is longer than \(IssuerDocument.byteLimit) bytes.")
        }
        return document
    }
}
