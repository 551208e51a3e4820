/// The rate limit of a token bucket, from which each call takes as many tokens as it costs.
package struct RateLimit: Sendable, Hashable {
    /// The number of tokens that are added per second.
    package var perSecond: Double
    /// The capacity of the bucket: the tokens available after a pause.
    package var burst: Int
    /// The number of callers with buckets of their own; further callers share one bucket.
    package var addresses: Int

    /// A client address is an IPv4 address or the first 64 bits of an IPv6 address.
    package init(perSecond: Double, burst: Int, addresses: Int = 16_384) {
        self.perSecond = perSecond
        self.burst = burst
        self.addresses = addresses
    }
}

/// A bucket of tokens that fills at a steady rate.
package struct TokenBucket: Sendable {
    private var tokens: Double
    private var filledAt: ContinuousClock.Instant

    /// A full bucket.
    package init(_ limit: RateLimit, now: ContinuousClock.Instant) {
        tokens = Double(limit.burst)
        filledAt = now
    }

    /// Takes tokens if there are enough.
    ///
    /// A cost above the burst takes a full bucket, so that no call is refused forever.
    ///
    /// - Returns: `nil` if the tokens were taken, otherwise the whole seconds until there are enough.
    package mutating func take(
        _ limit: RateLimit, cost: Int = 1, now: ContinuousClock.Instant
    ) -> Int? {
        tokens = level(limit, now: now)
        filledAt = max(filledAt, now)
        let cost = Double(min(max(cost, 0), limit.burst))
        guard tokens < cost else {
            tokens -= cost
            return nil
        }
        return max(1, Int(min(3600, (cost - tokens) / limit.perSecond).rounded(.up)))
    }

    /// Returns the number of whole tokens in the bucket.
    package func remaining(_ limit: RateLimit, now: ContinuousClock.Instant) -> Int { Int(level(limit, now: now)) }

    /// Returns the whole seconds until the bucket is full.
    package func secondsUntilFull(_ limit: RateLimit, now: ContinuousClock.Instant) -> Int {
        Int(min(3600, (Double(limit.burst) - level(limit, now: now)) / limit.perSecond).rounded(.up))
    }

    /// Whether the bucket is as full as a new one and need not be kept.
    package func isFull(_ limit: RateLimit, now: ContinuousClock.Instant) -> Bool {
        level(limit, now: now) >= Double(limit.burst)
    }

    private func level(_ limit: RateLimit, now: ContinuousClock.Instant) -> Double {
        let seconds = (now - filledAt) / .seconds(1)
        return min(Double(limit.burst), tokens + max(0, seconds) * limit.perSecond)
    }
}
