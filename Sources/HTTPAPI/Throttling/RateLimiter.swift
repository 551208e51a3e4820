/// Bounds how many requests one address, or one app, may send.
///
/// It is a fence in front of the service, not the limit of attempts: that one is stored and exact.
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

    /// Answers nil when the address may go on, otherwise how many whole seconds to wait.
    func wait(for address: String, now: ContinuousClock.Instant = .now) -> Int? {
        let key = Self.network(of: address)
        if buckets[key] == nil {
            if buckets.count >= limit.addresses { sweep(now) }
            // When every place is taken by an active address, newcomers share one bucket: memory stays bounded.
            guard buckets.count < limit.addresses else { return shared.take(limit, now: now) }
        }
        return buckets[key, default: TokenBucket(limit, now: now)].take(limit, now: now)
    }

    /// How many addresses are told apart now.
    var addresses: Int { buckets.count }

    private func sweep(_ now: ContinuousClock.Instant) {
        guard now - sweptAt >= .seconds(1) else { return }
        sweptAt = now
        buckets = buckets.filter { !$0.value.isFull(limit, now: now) }
    }

    /// One household has one IPv4 address, or all the addresses below 64 bits of IPv6.
    static func network(of address: String) -> String {
        guard address.contains(":"), !address.contains("."), let text = address.split(separator: "%").first else {
            return address
        }
        guard let gap = text.firstRange(of: "::") else {
            return text.split(separator: ":").prefix(4).joined(separator: ":")
        }
        let head = text[..<gap.lowerBound].split(separator: ":")
        let tail = text[gap.upperBound...].split(separator: ":")
        let zeros = Array(repeating: Substring("0"), count: max(0, 8 - head.count - tail.count))
        return (head + zeros + tail).prefix(4).joined(separator: ":")
    }
}
