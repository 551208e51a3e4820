import Canonical
import Foundation
import Logging
import Testing

@testable import IdentityService

@Suite struct `Calls of unlinked apps` {
    private let start = ContinuousClock.now

    @Test func `are counted by app, for companies that exist`() {
        let calls = UnlinkedAppCalls(), app = UUID(), other = UUID()
        #expect(calls.metrics == "")
        calls.count(app, tenantExists: false)
        #expect(calls.metrics == "" && calls.takeDue(now: start) == [])
        for _ in 1...3 { calls.count(app, tenantExists: true) }
        calls.count(other, tenantExists: true)
        let lines = calls.metrics.split(separator: "\n")
        #expect(lines.count == 4)
        #expect(lines.contains("# TYPE tenure_unlinked_app_calls counter"))
        #expect(lines.contains("tenure_unlinked_app_calls{app=\"\(app.lowercased)\"} 3"))
        #expect(lines.contains("tenure_unlinked_app_calls{app=\"\(other.lowercased)\"} 1"))
    }

    @Test func `are reported once a minute for each app`() {
        let calls = UnlinkedAppCalls(), app = UUID(), other = UUID()
        calls.count(app, tenantExists: true)
        calls.count(app, tenantExists: true)
        #expect(calls.takeDue(now: start) == [.init(app: app, calls: 2)])
        calls.count(app, tenantExists: true)
        calls.count(other, tenantExists: true)
        #expect(calls.takeDue(now: start + .seconds(59)) == [.init(app: other, calls: 1)])
        #expect(calls.takeDue(now: start + .seconds(60)) == [.init(app: app, calls: 3)])
        #expect(calls.takeDue(now: start + .seconds(600)) == [], "nothing happened since")
    }

    @Test func `of more than 256 apps are counted together`() {
        let calls = UnlinkedAppCalls()
        let apps = (0..<300).map { _ in UUID() }
        for app in apps + apps { calls.count(app, tenantExists: true) }
        let lines = calls.metrics.split(separator: "\n").filter { !$0.hasPrefix("#") }
        #expect(lines.count == 257)
        #expect(lines.contains("tenure_unlinked_app_calls{app=\"other\"} 88"))
        #expect(lines.contains("tenure_unlinked_app_calls{app=\"\(apps[255].lowercased)\"} 2"))
        #expect(calls.takeDue(now: start).count == 257)
    }

    @Test func `are logged with the app and the number alone`() {
        let lines = LoggedLines()
        let calls = UnlinkedAppCalls(), app = UUID()
        let report = UnlinkedAppReport(calls: calls, logger: Logger(label: "test") { _ in lines.handler })
        report.report(now: start)
        calls.count(app, tenantExists: true)
        for second in 0..<60 { report.report(now: start + .seconds(second)) }
        #expect(
            lines.all == [
                "warning an app calls for a company that it is not linked to; tenure app link links it "
                    + "[\"app\": \(app.lowercased), \"calls\": 1]"
            ])
    }
}
