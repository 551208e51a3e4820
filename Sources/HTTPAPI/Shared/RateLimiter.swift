import Canonical
import ErrorCodes
import HTTPLimits
import IdentityService
import TenureAPI

/// Limits the request rate of one address, one app or one tenant.
///
/// It protects the service from load and lives in memory. The attempt budget is separate: it is persisted and exact.
actor RateLimiter {
    private let limit: RateLimit
    private var buckets: [String: TokenBucket] = [:]
    private var shared: TokenBucket
    private var sweptAt: ContinuousClock.Instant

    init(_ limit: RateLimit, now: ContinuousClock.Instant = .now) {
        self.limit = limit
        shared = TokenBucket(limit, now: now)
        sweptAt = now
    }

    /// Draws the cost of a request from a caller's bucket under the named policy.
    func draw(
        _ policy: RateDraw.Policy, for caller: String, cost: Int = 1, now: ContinuousClock.Instant = .now
    ) -> RateDraw {
        let key = policy == .address ? ClientNetwork.of(caller) : caller
        if buckets[key] == nil {
            if buckets.count >= limit.addresses { sweep(now) }
            // When active callers occupy every bucket, new callers share one, so that memory stays bounded.
            guard buckets.count < limit.addresses else {
                return Self.draw(policy, &shared, limit, cost, now)
            }
        }
        return Self.draw(policy, &buckets[key, default: TokenBucket(limit, now: now)], limit, cost, now)
    }

    /// The number of callers that have a bucket of their own.
    var addresses: Int { buckets.count }

    private static func draw(
        _ policy: RateDraw.Policy, _ bucket: inout TokenBucket, _ limit: RateLimit, _ cost: Int,
        _ now: ContinuousClock.Instant
    ) -> RateDraw {
        let wait = bucket.take(limit, cost: cost, now: now)
        return RateDraw(
            policy: policy, limit: limit, remaining: bucket.remaining(limit, now: now),
            secondsUntilFull: bucket.secondsUntilFull(limit, now: now), wait: wait)
    }

    private func sweep(_ now: ContinuousClock.Instant) {
        guard now - sweptAt >= .seconds(1) else { return }
        sweptAt = now
        buckets = buckets.filter { !$0.value.isFull(limit, now: now) }
    }
}

/// The draw of one request from one limit.
struct RateDraw: Sendable {
    /// The name of the limit in the headers.
    enum Policy: String, Sendable {
        case address
        case app
        case company
    }

    let policy: Policy
    let limit: RateLimit
    /// The tokens that are left.
    let remaining: Int
    /// The seconds until the bucket is full again.
    let secondsUntilFull: Int
    /// The seconds to wait if too few tokens were left, or `nil` if the request may proceed.
    let wait: Int?
}

extension RateDraw {
    /// Adds `RateLimit-Policy` and `RateLimit` for the limits that a request drew on
    /// (draft-ietf-httpapi-ratelimit-headers).
    ///
    /// A bucket is described as a quota (`q`) for the window (`w`) in which it fills. `r` is the number of tokens left,
    /// and `t` the number of seconds until the bucket is full.
    static func addFields(_ draws: [RateDraw], to headers: inout [String: String]) {
        guard !draws.isEmpty else { return }
        headers["RateLimit-Policy"] = draws.map(\.policyItem).joined(separator: ", ")
        headers["RateLimit"] = draws.map(\.item).joined(separator: ", ")
    }

    private var policyItem: String {
        let window = max(1, Int(min(1e9, (Double(limit.burst) / limit.perSecond).rounded(.up))))
        return "\"\(policy.rawValue)\";q=\(limit.burst);w=\(window)"
    }

    private var item: String { "\"\(policy.rawValue)\";r=\(remaining);t=\(secondsUntilFull)" }
}

/// The limits that each request draws on: first the address, then the authenticated caller's app and tenant.
///
/// Only callers who hold a secret of the app or a session in the tenant count against its limit, so an outsider cannot
/// exhaust it. The requests of one app about one tenant have a limit of their own, so no app can exhaust the tenant's
/// limit for others.
struct RequestLimiters: Sendable {
    private let addresses: RateLimiter?
    private let apps: RateLimiter?
    private let companies: RateLimiter?

    init(_ configuration: HTTPConfiguration) {
        addresses = configuration.rateLimit.map { RateLimiter($0) }
        apps = configuration.appRateLimit.map { RateLimiter($0) }
        companies = configuration.companyRateLimit.map { RateLimiter($0) }
    }

    /// Draws on the limit of an address.
    ///
    /// - Throws: `request.rate_limited`.
    func draw(address: String, cost: Int, _ trace: inout Trace) async throws {
        try record(await addresses?.draw(.address, for: address, cost: cost), &trace)
    }

    /// Draws on the limits of a caller and of the tenant that the path names.
    ///
    /// - Throws: `request.rate_limited`.
    func draw(caller: Caller, company: String, cost: Int, _ trace: inout Trace) async throws {
        switch caller {
        case .app(let app):
            let id = app.appId.lowercased
            try record(await apps?.draw(.app, for: id, cost: cost), &trace)
            guard !company.isEmpty else { return }
            // Every spelling of a name draws on the limit of its tenant. Malformed names, which are refused, share one.
            let pair = "app/\(id)/\(CompanySpelling.canonical(company) ?? "")"
            try record(await companies?.draw(.company, for: pair, cost: cost), &trace)
        case .employee(let employee):
            try record(await companies?.draw(.company, for: employee.tenantId.lowercased, cost: cost), &trace)
        }
    }

    private func record(_ draw: RateDraw?, _ trace: inout Trace) throws(Refusal) {
        guard let draw else { return }
        trace.draws.append(draw)
        if let seconds = draw.wait { throw Refusal(.requestRateLimited, retryAfter: seconds) }
    }
}

extension Endpoint {
    /// The seconds of a long poll that cost one token.
    private static let waitPerToken: Int64 = 5

    /// The tokens that a request takes: those of the call, and one for each five seconds that it may wait. What `wait`
    /// may not be is refused later.
    func cost(of rawQuery: Substring) -> Int {
        guard method == "GET", template.text.hasSuffix("/authorizations") else { return cost }
        guard var query = try? QueryReader(rawQuery), let seconds = try? query.integer("wait", in: 0...20) else {
            return cost
        }
        return cost + Int((seconds + Self.waitPerToken - 1) / Self.waitPerToken)
    }

    /// The tokens that a call takes from each limit: one for a read, two for a change. A call that computes with
    /// secrets takes as many more as it takes longer.
    var cost: Int {
        switch template.text.split(separator: "/").last {
        // The call may open or seal ten copies. The page that asks for them computes nothing.
        case "answers", "credentials": method == "GET" ? 1 : 10
        case "passphrase": method == "GET" ? 1 : 4
        case "evaluations", "proof", "pass2": 4
        // A filter may read twenty pages of the ledger.
        case "events": 4
        // The link of each tenant of the page is read from its ledger.
        case "companies": 4
        // A read in the form of a POST, so that no token is in a path.
        case "introspect": 1
        // Each stores a request or a code, by GET too.
        case "authorize", "logout": 2
        default: method == "GET" ? 1 : 2
        }
    }
}
