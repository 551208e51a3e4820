import CLibPQ
import Logging

/// Hands the server's notices to the logger; without it libpq prints them to standard error.
///
/// It also keeps the reason for which the server ended an idle session: libpq takes a FATAL that comes between two
/// commands for a notice, and reports the next command's loss without it.
final class NoticeReceiver: Sendable {
    private let logger: Logger
    private let reason = Lock<PostgresError?>(nil)

    /// Why the server ended the session, when it said so between two commands.
    var fatal: PostgresError? { reason.withLock { $0 } }

    init(logger: Logger) { self.logger = logger }

    /// Installs the receiver, which must outlive the connection.
    func install(on connection: OpaquePointer) {
        _ = unsafe PQsetNoticeReceiver(
            connection,
            { context, result in
                guard let context = unsafe context, let result = unsafe result else { return }
                unsafe Unmanaged<NoticeReceiver>.fromOpaque(context).takeUnretainedValue().receive(result)
            }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func receive(_ notice: OpaquePointer) {
        if let failure = unsafe QueryResult.fatal(notice) { reason.withLock { $0 = failure } }
        let severity = unsafe QueryResult.field(CLIBPQ_DIAG_SEVERITY, of: notice) ?? "NOTICE"
        let level: Logger.Level = ["WARNING", "ERROR", "FATAL"].contains(severity) ? .warning : .debug
        // The text may quote data, so it is metadata of its own that a log handler can drop.
        logger.log(
            level: level, "notice from the database",
            metadata: [
                "severity": "\(severity)",
                "sqlstate": "\(unsafe QueryResult.field(CLIBPQ_DIAG_SQLSTATE, of: notice) ?? "")",
                "notice": "\(unsafe QueryResult.field(CLIBPQ_DIAG_MESSAGE, of: notice) ?? "")",
            ])
    }
}
