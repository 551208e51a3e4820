import NIOConcurrencyHelpers
import TenureServer
import Testing

/// The collector of the metrics with parts that do not answer.
@Suite(.timeLimit(.minutes(5))) struct MetricsCollectorTests {
    /// A part that answers once it is let go.
    private final class Stuck: Sendable {
        private let (stream, end) = AsyncStream.makeStream(of: Void.self)
        let calls = NIOLockedValueBox(0)

        func text() async -> String {
            calls.withLockedValue { $0 += 1 }
            for await _ in stream {}
            return "stuck \(calls.withLockedValue { $0 })\n"
        }

        func letGo() { end.finish() }
    }

    private func age(_ text: String, _ section: String) -> Substring? {
        text.split(separator: "\n").first { $0.contains("section=\"\(section)\"") }?.split(separator: " ").last
    }

    @Test func `a part that waits delays nobody beyond the patience, and is asked once`() async {
        let stuck = Stuck(), quick = NIOLockedValueBox(0)
        let collector = MetricsCollector(
            [
                MetricSection("stuck") { await stuck.text() },
                MetricSection("quick") {
                    quick.withLockedValue { count in
                        count += 1
                        return "quick \(count)\n"
                    }
                },
            ], patience: .milliseconds(50))
        for scrape in 1...3 {
            let began = ContinuousClock.now
            let text = await collector.text()
            #expect(text.hasPrefix("quick \(scrape)\n"))
            // A busy machine may take seconds between the two parts of a scrape.
            #expect(age(text, "stuck") == "+Inf" && age(text, "quick").flatMap { Double($0) }?.isFinite == true)
            #expect(ContinuousClock.now - began < .seconds(30))
        }
        #expect(stuck.calls.withLockedValue { $0 } == 1)
        stuck.letGo()
        var text = await collector.text()
        while !text.hasPrefix("stuck") { text = await collector.text() }
        #expect(text.contains("\nquick "))
    }

    @Test func `without delay every scrape is new`() async {
        let count = NIOLockedValueBox(0)
        let section = MetricSection("a") {
            count.withLockedValue { count in
                count += 1
                return "a \(count)\n"
            }
        }
        let collector = MetricsCollector([section], patience: .seconds(60))
        for scrape in 1...5 { #expect(await collector.text().hasPrefix("a \(scrape)\n")) }
        #expect(await MetricsCollector([]).text() == "")
    }
}
