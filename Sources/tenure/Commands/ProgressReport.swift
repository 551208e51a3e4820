import Foundation
import Postgres

/// Tells on standard error how far a piece of work has come; any task may report.
final class ProgressReport: Sendable {
    private let painter: Lock<ProgressPainter>
    private let make: @Sendable (Int64?) -> ProgressPainter
    private let output: Output
    private let start = ContinuousClock.now

    init(_ title: String, unit: String, total: Int64?, output: Output = .standardError()) {
        self.output = output
        let terminal = output.terminal
        make = { ProgressPainter(title, unit: unit, total: $0, terminal: terminal) }
        painter = Lock(make(total))
    }

    /// Reports how many are done, of how many where that was not known before.
    func update(done: Int64, of total: Int64? = nil) {
        let elapsed = ContinuousClock.now - start
        let text = painter.withLock { [make] painter in
            if let total, painter.meter.total == nil { painter = make(total) }
            return painter.update(done: done, elapsed: elapsed)
        }
        if let text { output.write(text) }
    }

    /// Takes the bar away, so that a line can be written where it stood.
    func finish() {
        let elapsed = ContinuousClock.now - start
        output.write(painter.withLock { $0.finish(elapsed: elapsed) })
    }
}
