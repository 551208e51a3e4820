import Testing

@testable import IdentityService

struct TokenBucketTests {
    private let start = ContinuousClock.now
    private let limit = RateLimit(perSecond: 2, burst: 10)

    @Test func `a call takes as many tokens as it costs`() {
        var bucket = TokenBucket(limit, now: start)
        let first = bucket.take(limit, cost: 8, now: start)
        #expect(first == nil)
        #expect(bucket.remaining(limit, now: start) == 2)
        #expect(bucket.secondsUntilFull(limit, now: start) == 4)
        let dear = bucket.take(limit, cost: 5, now: start)
        let cheap = bucket.take(limit, cost: 2, now: start)
        #expect(dear == 2 && cheap == nil)
        #expect(bucket.remaining(limit, now: start) == 0)
        let later = bucket.take(limit, cost: 4, now: start + .seconds(2))
        #expect(later == nil)
    }

    @Test func `a cost above the burst takes a full bucket instead of being refused for ever`() {
        var bucket = TokenBucket(limit, now: start)
        let first = bucket.take(limit, cost: 50, now: start)
        let soon = bucket.take(limit, cost: 50, now: start + .seconds(1))
        let later = bucket.take(limit, cost: 50, now: start + .seconds(5))
        #expect(first == nil && soon == 4 && later == nil)
    }
}
