import Testing

@testable import tenure

@Suite struct ProgressTests {
    let terminal = Terminal(isInteractive: true, width: 80, environment: [:])
    let pipe = Terminal(isInteractive: false, width: 80, environment: [:])

    @Test func `rate and remaining time follow from the progress`() {
        var meter = ProgressMeter(unit: .event, total: 1_000)
        meter.update(done: 200, elapsed: .seconds(2))
        #expect(meter.rate == 100)
        #expect(meter.remaining == .seconds(8))
        #expect(meter.fraction == 0.2)
    }

    @Test func `the rate reflects recent progress only`() throws {
        var meter = ProgressMeter(unit: .event, total: nil)
        for second in 1...10 { meter.update(done: Int64(second) * 1_000, elapsed: .seconds(second)) }
        for second in 11...40 { meter.update(done: 10_000 + Int64(second - 10) * 10, elapsed: .seconds(second)) }
        let rate = try #require(meter.rate)
        #expect(abs(rate - 10) < 0.001)
        #expect(meter.remaining == nil)
    }

    @Test func `progress without work is complete`() {
        var meter = ProgressMeter(unit: .event, total: 0)
        #expect(meter.fraction == 1)
        meter.update(done: 0, elapsed: .seconds(1))
        #expect(meter.rate == nil)
    }

    @Test func `a terminal sees a bar that redraws itself, at most ten times a second`() throws {
        var painter = ProgressPainter("rebuild", unit: .event, total: 100, terminal: terminal)
        let painted = painter.update(done: 0, elapsed: .zero)
        let first = try #require(painted)
        #expect(first.hasPrefix("\r\u{1B}[K"))
        #expect(painter.update(done: 1, elapsed: .milliseconds(50)) == nil)
        let repainted = painter.update(done: 50, elapsed: .seconds(1))
        let second = try #require(repainted)
        #expect(second.contains("50 %") && second.contains("50/s") && second.contains("1.0 s left"))
        #expect(!second.contains("\n"))
        #expect(second.dropFirst(4).count < 80)
    }

    @Test func `a log gets a line every five seconds`() {
        var painter = ProgressPainter("rebuild", unit: .event, total: 2_000_000, terminal: pipe)
        #expect(painter.update(done: 1, elapsed: .seconds(4)) == nil)
        #expect(
            painter.update(done: 1_000_000, elapsed: .seconds(5))
                == "rebuild: 50 %, 1,000,000 of 2,000,000 events, 200,000/s, 5.0 s left\n")
        #expect(painter.update(done: 1_000_001, elapsed: .seconds(9)) == nil)
    }

    @Test func `the summary shows amount and duration`() {
        var painter = ProgressPainter("replay", unit: .event, total: nil, terminal: pipe)
        _ = painter.update(done: 1_234, elapsed: .seconds(2))
        #expect(painter.finish(elapsed: .seconds(2)) == "replay: 1,234 events in 2.0 s, 617/s\n")
    }

    @Test func `a line never exceeds a narrow terminal`() throws {
        let narrow = Terminal(isInteractive: true, width: 20, environment: [:])
        var painter = ProgressPainter("rebuild", unit: .event, total: 100, terminal: narrow)
        let painted = painter.update(done: 10, elapsed: .seconds(1))
        let text = try #require(painted)
        #expect(text.dropFirst(4).count <= 20)
    }

    @Test(arguments: [
        (Duration.milliseconds(40), "0.0 s"), (.milliseconds(1_940), "1.9 s"), (.seconds(59), "59 s"),
        (.seconds(61), "1 min 1 s"), (.seconds(7_260), "2 h 1 min"),
    ])
    func `a duration is shown in its two largest units`(duration: Duration, text: String) {
        #expect(ProgressText.time(duration) == text)
    }
}
