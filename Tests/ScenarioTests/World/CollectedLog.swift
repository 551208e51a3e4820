import Foundation
import Logging

/// Everything that was logged, with metadata, so that tests can look for what must not be there.
///
/// `@unchecked Sendable`: the lines are read and written only while `lock` is held.
final class CollectedLog: @unchecked Sendable {
    private let lock = NSLock()
    private var collected: [String] = []

    /// The lines so far.
    var lines: [String] { lock.withLock { collected } }

    /// A logger that writes here, at every level.
    var logger: Logger {
        var logger = Logger(label: "tenure") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    fileprivate func add(_ line: String) { lock.withLock { collected.append(line) } }

    private struct Handler: LogHandler {
        let log: CollectedLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let all = metadata.merging(event.metadata ?? [:]) { _, new in new }
            let error = event.error.map { " error=\($0)" } ?? ""
            log.add(
                "\(event.level) \(event.message)\(error) \(all.map { "\($0)=\($1)" }.sorted().joined(separator: " "))")
        }
    }
}
