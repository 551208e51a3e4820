import Foundation
import Postgres

/// Reports the progress of an operation on standard error. Any task may report.
final class ProgressReport: Sendable {
    private let painter: Lock<ProgressPainter>
    private let make: @Sendable (Int64?) -> ProgressPainter
    private let output: MessageOutput
    private let start = ContinuousClock.now

    init(_ title: String, unit: Noun, total: Int64?, output: MessageOutput = .standardError()) {
        self.output = output
        let terminal = output.terminal
        make = { ProgressPainter(title, unit: unit, total: $0, terminal: terminal) }
        painter = Lock(make(total))
    }

    /// Creates a report beside data that is printed meanwhile. `nil` if both streams are terminals, because a bar would
    /// disturb the lines of the data.
    static func beside(_ data: Output, _ title: String, unit: Noun, total: Int64?) -> ProgressReport? {
        let error = Output.standardError()
        guard !data.terminal.isInteractive || !error.terminal.isInteractive else { return nil }
        return ProgressReport(title, unit: unit, total: total, output: error)
    }

    /// Reports how many items are done, and the total if it was unknown before.
    func update(done: Int64, of total: Int64? = nil) {
        let elapsed = ContinuousClock.now - start
        let text = painter.withLock { [make] painter in
            if let total, painter.meter.total == nil { painter = make(total) }
            return painter.update(done: done, elapsed: elapsed)
        }
        if let text { output.write(text) }
    }

    /// Removes the bar, so that a line can be written in its place.
    func finish() {
        let elapsed = ContinuousClock.now - start
        output.write(painter.withLock { $0.finish(elapsed: elapsed) })
    }
}

/// Computes progress and rate. It has no clock: the caller passes the time.
struct ProgressMeter: Sendable {
    /// The name of the items.
    let unit: Noun
    /// The total; `nil` if unknown.
    let total: Int64?
    /// The number of items that are done.
    private(set) var done: Int64 = 0
    /// The time from the start to the last update.
    private(set) var elapsed: Duration = .zero
    private var samples: [(elapsed: Duration, done: Int64)] = [(.zero, 0)]

    /// The window for the rate: short enough to follow a change of speed, long enough for a steady display.
    private static let window: Duration = .seconds(10)

    init(unit: Noun, total: Int64?) {
        self.unit = unit
        self.total = total
    }

    /// Records that `done` items are done after `elapsed`.
    mutating func update(done: Int64, elapsed: Duration) {
        self.done = done
        self.elapsed = elapsed
        // One sample per half second is sufficient and bounds their number.
        if let last = samples.last, elapsed - last.elapsed >= .milliseconds(500) { samples.append((elapsed, done)) }
        while samples.count > 2, elapsed - samples[1].elapsed > Self.window { samples.removeFirst() }
    }

    /// The items per second within the window; `nil` before the first measurement.
    var rate: Double? {
        guard let first = samples.first else { return nil }
        let seconds = (elapsed - first.elapsed).seconds
        return seconds > 0 && done > first.done ? Double(done - first.done) / seconds : nil
    }

    /// The fraction from 0 to 1; `nil` if the total is unknown.
    var fraction: Double? {
        guard let total else { return nil }
        return total == 0 ? 1 : min(1, Double(done) / Double(total))
    }

    /// The remaining time at the current rate.
    var remaining: Duration? {
        guard let total, let rate, rate > 0 else { return nil }
        return .seconds(Double(max(0, total - done)) / rate)
    }
}

extension Duration {
    /// The duration in seconds, fractions included.
    var seconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
}

/// Decides when to print progress, and what: on a terminal a bar, redrawn at most ten times a second; elsewhere a line
/// every five seconds.
struct ProgressPainter: Sendable {
    private(set) var meter: ProgressMeter
    private let title: String
    private let terminal: Terminal
    private var painted: Duration?

    init(_ title: String, unit: Noun, total: Int64?, terminal: Terminal) {
        self.title = title
        self.terminal = terminal
        self.meter = ProgressMeter(unit: unit, total: total)
    }

    /// The text to write after an update; `nil` if none is due.
    mutating func update(done: Int64, elapsed: Duration) -> String? {
        meter.update(done: done, elapsed: elapsed)
        let pause: Duration = terminal.isInteractive ? .milliseconds(100) : .seconds(5)
        guard elapsed - (painted ?? (terminal.isInteractive ? .zero - pause : .zero)) >= pause else { return nil }
        painted = elapsed
        // A terminal that wraps a full-width line could not redraw it in place.
        return terminal.isInteractive
            ? "\r\u{1B}[K" + ProgressText.bar(title, meter, width: terminal.width - 1)
            : ProgressText.line(title, meter) + "\n"
    }

    /// The text that ends the report. A summary replaces the bar.
    mutating func finish(elapsed: Duration) -> String {
        meter.update(done: meter.done, elapsed: elapsed)
        return (terminal.isInteractive ? "\r\u{1B}[K" : "") + ProgressText.summary(title, meter) + "\n"
    }
}

/// The texts of a progress report.
enum ProgressText {
    /// The line for a terminal: title, bar, percentage, count, rate and remaining time, in at most `width` columns.
    static func bar(_ title: String, _ meter: ProgressMeter, width: Int) -> String {
        let words = facts(meter).joined(separator: "  ")
        guard let fraction = meter.fraction else { return clipped("\(title)  \(words)", to: width) }
        let room = width - DisplayWidth.of(title) - DisplayWidth.of(words) - 6
        guard room >= 8 else { return clipped("\(title)  \(words)", to: width) }
        let cells = min(room, 30)
        let full = Int(fraction * Double(cells))
        let bar = String(repeating: "#", count: full) + String(repeating: ".", count: cells - full)
        return "\(title)  [\(bar)]  \(words)"
    }

    static func line(_ title: String, _ meter: ProgressMeter) -> String {
        "\(title): " + facts(meter).joined(separator: ", ")
    }

    /// The last line of an operation.
    static func summary(_ title: String, _ meter: ProgressMeter) -> String {
        let seconds = meter.elapsed.seconds
        let rate = seconds > 0 ? ", \(count(Int64(Double(meter.done) / seconds)))/s" : ""
        return "\(title): \(count(meter.done)) \(meter.unit.form(for: meter.done)) in \(time(meter.elapsed))\(rate)"
    }

    private static func facts(_ meter: ProgressMeter) -> [String] {
        var facts: [String] = []
        if let fraction = meter.fraction { facts.append("\(Int(fraction * 100)) %") }
        facts.append(
            meter.total.map { "\(count(meter.done)) of \(count($0)) \(meter.unit.form(for: $0))" }
                ?? "\(count(meter.done)) \(meter.unit.form(for: meter.done))")
        if let rate = meter.rate { facts.append("\(count(Int64(rate)))/s") }
        if let remaining = meter.remaining { facts.append("\(time(remaining)) left") }
        return facts
    }

    /// Formats a number with a thousands separator, the same in every locale.
    static func count(_ number: Int64) -> String {
        let digits = Array(String(number.magnitude))
        var result = number < 0 ? "-" : ""
        for (index, digit) in digits.enumerated() {
            if index > 0, (digits.count - index) % 3 == 0 { result.append(",") }
            result.append(digit)
        }
        return result
    }

    /// Formats a duration in its two largest units.
    static func time(_ duration: Duration) -> String {
        let tenths = Int((duration.seconds * 10).rounded())
        if tenths < 100 { return "\(tenths / 10).\(tenths % 10) s" }
        let seconds = tenths / 10
        if seconds < 60 { return "\(seconds) s" }
        if seconds < 3600 { return "\(seconds / 60) min \(seconds % 60) s" }
        return "\(seconds / 3600) h \(seconds % 3600 / 60) min"
    }

    private static func clipped(_ text: String, to width: Int) -> String {
        DisplayWidth.of(text) <= width ? text : String(text.prefix(max(0, width)))
    }
}
