import Testing

@testable import Projections

struct PollPaceTests {
    private let start = ContinuousClock.now

    @Test func `the first look is due at once, and the next after the shortest pause when something was found`() {
        var pace = PollPace()
        #expect(pace.isDue(at: start))
        pace.looked(.changes, took: .milliseconds(1), at: start)
        #expect(!pace.isDue(at: start + PollPace.shortest - .nanoseconds(1)))
        #expect(pace.isDue(at: start + PollPace.shortest))
    }

    @Test func `pauses grow while nothing is found, up to the longest`() {
        var pace = PollPace()
        for _ in 0..<20 { pace.looked(.nothing, took: .zero, at: start) }
        #expect(!pace.isDue(at: start + PollPace.longest - .nanoseconds(1)))
        #expect(pace.isDue(at: start + PollPace.longest))
        pace.looked(.changes, took: .zero, at: start)
        #expect(pace.isDue(at: start + PollPace.shortest))
    }

    @Test func `a look in vain that takes long is followed by a pause of four times that`() {
        var pace = PollPace()
        pace.looked(.nothing, took: .milliseconds(500), at: start)
        #expect(!pace.isDue(at: start + .milliseconds(1_999)))
        #expect(pace.isDue(at: start + .milliseconds(2_000)))
        pace.looked(.changes, took: .milliseconds(500), at: start)
        #expect(pace.isDue(at: start + PollPace.shortest))
    }

    @Test func `while only positions move pauses grow, and never beyond the longest however long a look takes`() {
        var pace = PollPace()
        pace.looked(.positions, took: .zero, at: start)
        #expect(!pace.isDue(at: start + PollPace.shortest))
        #expect(pace.isDue(at: start + PollPace.shortest * 3 / 2))
        for _ in 0..<20 { pace.looked(.positions, took: .seconds(3), at: start) }
        #expect(!pace.isDue(at: start + PollPace.longest - .nanoseconds(1)))
        #expect(pace.isDue(at: start + PollPace.longest))
        pace.looked(.changes, took: .zero, at: start)
        #expect(pace.isDue(at: start + PollPace.shortest))
    }

    @Test func `nudges right after a look share the next one`() {
        var pace = PollPace()
        #expect(pace.gap(at: start) == .zero)
        pace.looked(.changes, took: .zero, at: start)
        #expect(pace.gap(at: start) == PollPace.nudged)
        #expect(pace.gap(at: start + .milliseconds(4)) == PollPace.nudged - .milliseconds(4))
        #expect(pace.gap(at: start + .seconds(1)) == .zero)
    }

    @Test func `a failure and another program's turn are followed by a long pause`() {
        var pace = PollPace()
        pace.failed(at: start)
        #expect(!pace.isDue(at: start + .milliseconds(999)))
        pace.waits(at: start)
        #expect(!pace.isDue(at: start + PollPace.longest - .nanoseconds(1)))
        #expect(pace.isDue(at: start + PollPace.longest))
    }
}
