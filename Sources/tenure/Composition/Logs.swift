import Logging

/// The log of the process: lines on standard error, which belongs to words; standard output belongs to data.
enum Logs {
    /// A logger that writes from `level` on.
    static func logger(level: Logger.Level) -> Logger {
        var logger = Logger(label: "tenure") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = level
        return logger
    }

    /// The level that a setting names.
    static func level(_ settings: Settings, default fallback: Logger.Level) throws -> Logger.Level {
        guard let text = settings.text(.logLevel) else { return fallback }
        guard let level = Logger.Level(rawValue: text.lowercased()) else {
            let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.usage, "\(Settings.Name.logLevel.variable) must be one of \(names)")
        }
        return level
    }
}
