/// A failure of the client library, the connection or the server.
///
/// `description` may be shown to a stranger: it holds codes and names of the schema, never values, statements or the
/// server's text. `String(reflecting:)` adds the server's message and is for operators.
public struct PostgresError: Error, Sendable {
    /// The kind of failure; a struct, so that kinds can be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String
        /// The stable name of the kind.
        public var description: String { name }

        /// The connection could not be opened, or is lost. A statement that was running may or may not have happened.
        public static let connection = Code(name: "connection")
        /// The server refused the statement; see ``PostgresError/sqlState``.
        public static let server = Code(name: "server")
        /// The Swift task was cancelled.
        public static let cancelled = Code(name: "cancelled")
        /// Time is over: connect, statement (57014), lock (55P03), acquire, or a server that no longer answers.
        ///
        /// The server does not say whether 57014 was its timeout or an operator's `pg_cancel_backend`, nor whether
        /// 55P03 was a timeout or `NOWAIT`.
        public static let timeout = Code(name: "timeout")
        /// No connection became free in time, too many callers wait, or the pool has stopped.
        public static let poolExhausted = Code(name: "poolExhausted")
        /// A value from the server is not of the type asked for.
        public static let decoding = Code(name: "decoding")
        /// A value cannot be sent: NUL in text, a timestamp out of range, too many or too large parameters.
        public static let encoding = Code(name: "encoding")
        /// The call is not allowed here: nested transaction, COPY in `query`, a malformed configuration.
        public static let usage = Code(name: "usage")
        /// The transaction's body returned, but a statement in it had failed, so nothing was committed.
        public static let transactionAborted = Code(name: "transactionAborted")
    }

    /// The server's word for how bad it is.
    public struct Severity: RawRepresentable, Sendable, Hashable {
        /// The word, not translated: `ERROR`, `FATAL`, `PANIC`.
        public let rawValue: String
        /// Wraps a word as the server sent it.
        public init(rawValue: String) { self.rawValue = rawValue }
        /// The statement failed.
        public static let error = Severity(rawValue: "ERROR")
        /// The session is over.
        public static let fatal = Severity(rawValue: "FATAL")
        /// Every session is over.
        public static let panic = Severity(rawValue: "PANIC")
    }

    /// The kind of failure.
    public internal(set) var code: Code
    /// What went wrong in our own words, without data.
    public internal(set) var reason: String
    /// The five characters of the server, when it answered.
    public internal(set) var sqlState: SQLState?
    /// The server's severity, when it answered.
    public internal(set) var severity: Severity?
    /// The constraint that would have been broken.
    public internal(set) var constraint: String?
    /// The table of ``constraint``.
    public internal(set) var table: String?
    /// The place in the list given to `pipeline` of the statement that failed, from 0.
    public internal(set) var statementIndex: Int?
    /// Whether the answer to COMMIT was lost: the transaction may or may not be durable.
    public internal(set) var isOutcomeUnknown = false
    /// The server's or libpq's own text. It may quote data, so only `debugDescription` shows it.
    var serverMessage: String?
    /// Whether a cached statement had become stale, which a second attempt heals.
    var isStaleStatement = false
    /// Whether the transaction had been committed before this failure.
    var isCommitted = false

    init(_ code: Code, _ reason: String, serverMessage: String? = nil) {
        self.code = code
        self.reason = reason
        self.serverMessage = serverMessage
    }

    /// Whether the whole transaction may be run again: 40001, 40P01, or a prepared statement that a migration made stale.
    public var isRetryable: Bool {
        guard !isCommitted else { return false }
        return sqlState == .serializationFailure || sqlState == .deadlockDetected || isStaleStatement
    }

    /// Whether the connection is gone; it is closed and another one must be used.
    public internal(set) var isConnectionLost = false
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Codes and names of the schema; safe to show a stranger.
    public var description: String {
        var text = "PostgresError(\(code)): \(reason)"
        if let sqlState { text += ", SQLSTATE \(sqlState)" }
        if let constraint { text += ", constraint \(constraint)" }
        if let statementIndex { text += ", statement \(statementIndex)" }
        return text
    }

    /// Also the server's message, which may quote data: for operators only.
    public var debugDescription: String {
        guard let serverMessage else { return description }
        return description + ", server: " + serverMessage
    }
}

extension PostgresError: CustomReflectable {
    /// Nothing: `dump` must not show what `description` hides.
    public var customMirror: Mirror { Mirror(self, children: [("code", code)]) }
}
