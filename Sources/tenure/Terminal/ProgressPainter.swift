/// Decides when a progress report is due and what it says: a bar that redraws itself on a terminal, at most ten times a
/// second; a line every five seconds elsewhere.
struct ProgressPainter: Sendable {
    private(set) var meter: ProgressMeter
    private let title: String
    private let terminal: Terminal
    private var painted: Duration?

    init(_ title: String, unit: String, total: Int64?, terminal: Terminal) {
        self.title = title
        self.terminal = terminal
        self.meter = ProgressMeter(unit: unit, total: total)
    }

    /// The text to write after an update, or `nil` when none is due.
    mutating func update(done: Int64, elapsed: Duration) -> String? {
        meter.update(done: done, elapsed: elapsed)
        let pause: Duration = terminal.isInteractive ? .milliseconds(100) : .seconds(5)
        guard elapsed - (painted ?? (terminal.isInteractive ? .zero - pause : .zero)) >= pause else { return nil }
        painted = elapsed
        // A terminal that wraps a line of its full width would not be redrawn in place.
        return terminal.isInteractive
            ? "\r\u{1B}[K" + ProgressText.bar(title, meter, width: terminal.width - 1)
            : ProgressText.line(title, meter) + "\n"
    }

    /// The text that ends the report; the bar gives way to the summary.
    mutating func finish(elapsed: Duration) -> String {
        meter.update(done: meter.done, elapsed: elapsed)
        return (terminal.isInteractive ? "\r\u{1B}[K" : "") + ProgressText.summary(title, meter) + "\n"
    }
}
