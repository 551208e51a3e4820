/// Tokens that fill up at a steady rate; a request takes one.
struct TokenBucket {
    private var tokens: Double
    private var filledAt: ContinuousClock.Instant

    /// Makes a full bucket.
    init(_ limit: RateLimit, now: ContinuousClock.Instant) {
        tokens = Double(limit.burst)
        filledAt = now
    }

    /// Takes a token; answers nil when there was one, otherwise how many whole seconds to wait for the next.
    mutating func take(_ limit: RateLimit, now: ContinuousClock.Instant) -> Int? {
        tokens = level(limit, now: now)
        filledAt = max(filledAt, now)
        guard tokens < 1 else {
            tokens -= 1
            return nil
        }
        return max(1, Int(min(3600, (1 - tokens) / limit.perSecond).rounded(.up)))
    }

    /// Whether the bucket is as full as a new one, and so need not be kept.
    func isFull(_ limit: RateLimit, now: ContinuousClock.Instant) -> Bool {
        level(limit, now: now) >= Double(limit.burst)
    }

    private func level(_ limit: RateLimit, now: ContinuousClock.Instant) -> Double {
        min(Double(limit.burst), tokens + max(0, (now - filledAt).inSeconds) * limit.perSecond)
    }
}
