import Canonical
import Testing
@testable import IdentityService

@Suite struct WaitNoticeTests {
    private let now = MailScene.start

    private func minutes(_ minutes: Int64) -> Timestamp { now.adding(.seconds(minutes * 60)) }

    @Test func `the first mail is due at once, or when the person had time to help themselves`() {
        #expect(WaitNotice.due(after: nil, delay: .zero, at: now) == now)
        #expect(WaitNotice.due(after: nil, delay: .seconds(600), at: now) == minutes(10))
    }

    @Test func `a further mail is due an hour after the last one, and nobody is forgotten`() {
        #expect(WaitNotice.due(after: minutes(-5), delay: .zero, at: now) == minutes(55))
        #expect(WaitNotice.due(after: minutes(-55), delay: .seconds(600), at: now) == minutes(10))
        #expect(WaitNotice.due(after: minutes(-60), delay: .zero, at: now) == now)
        #expect(WaitNotice.due(after: minutes(-90), delay: .zero, at: now) == now)
    }

    @Test func `no mail is queued while one waits for its hour`() {
        #expect(WaitNotice.due(after: minutes(20), delay: .zero, at: now) == nil)
    }

    @Test func `a flood of an hour makes two mails`() {
        var due: [Timestamp] = []
        for second in 0..<3_600 as Range<Int64> {
            let time = now.adding(.seconds(second))
            if let next = WaitNotice.due(after: due.last, delay: .zero, at: time) { due.append(next) }
        }
        #expect(due == [now, minutes(60)])
    }
}
