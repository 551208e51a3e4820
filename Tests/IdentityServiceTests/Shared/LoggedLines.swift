import Logging
import Synchronization

/// What a logger wrote, line by line.
final class LoggedLines: Sendable {
    private let lines = Mutex<[String]>([])

    /// The lines so far.
    var all: [String] { lines.withLock { $0 } }
    /// Writes here.
    var handler: some LogHandler { Handler(lines: self) }

    private struct Handler: LogHandler {
        let lines: LoggedLines
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let metadata = (event.metadata ?? [:]).sorted { $0.key < $1.key }
            let words = metadata.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ")
            lines.lines.withLock { $0.append("\(event.level) \(event.message) [\(words)]") }
        }
    }
}
