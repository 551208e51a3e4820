/// A failure of the client library, the connection or the server.
///
/// `description` is safe to show to anyone: it holds codes and names of the schema, but no values, statements or server
/// messages. `String(reflecting:)` adds the server's message, for operators.
public struct PostgresError: Error, Sendable {
    /// The kind of failure. It is a struct, so that kinds can be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        private let name: String
        /// The stable name of the kind.
        public var description: String { name }

        /// The connection could not be opened, or is lost. A statement that was running may or may not have taken
        /// effect.
        public static let connection = Code(name: "connection")
        /// The server refused the statement; see ``PostgresError/sqlState``.
        public static let server = Code(name: "server")
        /// The Swift task was cancelled.
        public static let cancelled = Code(name: "cancelled")
        /// A time limit passed: connect, statement (57014), lock (55P03), acquire, or the wait for a silent server.
        ///
        /// The server does not say whether 57014 was its timeout or an operator's `pg_cancel_backend`, nor whether
        /// 55P03 was a timeout or `NOWAIT`.
        public static let timeout = Code(name: "timeout")
        /// No connection became free in time, too many callers wait, or the pool has stopped.
        public static let poolExhausted = Code(name: "poolExhausted")
        /// A value from the server is not of the requested type.
        public static let decoding = Code(name: "decoding")
        /// A value cannot be sent: NUL in text, a timestamp out of range, too many or too large parameters.
        public static let encoding = Code(name: "encoding")
        /// The call is not allowed here: a nested transaction, COPY in `query`, a malformed configuration.
        public static let usage = Code(name: "usage")
        /// The transaction's body returned, but a statement in it had failed, so nothing was committed.
        public static let transactionAborted = Code(name: "transactionAborted")
        /// The server is behind the newest one seen and is not used; see ``NewestServer``. The description says what
        /// to do.
        public static let serverBehind = Code(name: "serverBehind")
        /// The database stores text in another encoding than UTF-8, which has no place for every text.
        public static let databaseEncoding = Code(name: "databaseEncoding")
    }

    /// The server's severity of a failure.
    public struct Severity: RawRepresentable, Sendable, Hashable {
        /// The severity as sent by the server, untranslated: `ERROR`, `FATAL`, `PANIC`.
        public let rawValue: String
        /// A severity as sent by the server.
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
    /// The reason in this library's words, without data.
    public internal(set) var reason: String
    /// The server's SQLSTATE, if it answered.
    public internal(set) var sqlState: SQLState?
    /// The server's severity, if it answered.
    public internal(set) var severity: Severity?
    /// The constraint that the statement violated.
    public internal(set) var constraint: String?
    /// The table of ``constraint``.
    public internal(set) var table: String?
    /// The index of the failed statement in the list given to `pipeline`, from 0.
    public internal(set) var statementIndex: Int?
    /// Whether the answer to COMMIT was lost: the transaction may or may not be committed.
    public internal(set) var isOutcomeUnknown = false
    /// The message of the server or of libpq. It may quote data, so only `debugDescription` shows it.
    var serverMessage: String?
    /// The server's message without its details and its context, where values of parameters may be.
    var primaryMessage: String?
    /// Whether a cached prepared statement was stale. A second attempt prepares it again.
    var isStaleStatement = false
    /// Whether the transaction was already committed when this failure occurred.
    var isCommitted = false

    init(_ code: Code, _ reason: String, serverMessage: String? = nil) {
        self.code = code
        self.reason = reason
        self.serverMessage = serverMessage
    }

    /// The error for several hosts of which none can be used: that of a server that is behind, because something must
    /// be done about it, else the last one. It has the messages of all.
    init(joining failures: [PostgresError]) {
        self =
            failures.last { $0.code == .serverBehind } ?? failures.last { $0.code == .connection }
            ?? failures.last ?? PostgresError(.connection, "no host is given")
        let messages = failures.compactMap(\.serverMessage)
        if !messages.isEmpty { serverMessage = messages.joined(separator: "\n") }
    }

    /// Whether the whole transaction may be run again: after 40001, 40P01, or a prepared statement that a migration
    /// made stale.
    public var isRetryable: Bool {
        guard !isCommitted else { return false }
        return sqlState == .serializationFailure || sqlState == .deadlockDetected || isStaleStatement
    }

    /// Whether the connection is lost and closed. Use another one.
    public internal(set) var isConnectionLost = false
}

extension PostgresError: CustomStringConvertible, CustomDebugStringConvertible {
    /// Codes and names of the schema, safe to show to anyone.
    public var description: String {
        var text = "PostgresError(\(code)): \(reason)"
        if let sqlState { text += ", SQLSTATE \(sqlState)" }
        if let constraint { text += ", constraint \(constraint)" }
        if let statementIndex { text += ", statement \(statementIndex)" }
        return text
    }

    /// The description with the server's message, which may quote data: for operators only.
    public var debugDescription: String {
        guard let serverMessage else { return description }
        return description + ", server: " + serverMessage
    }
}

extension PostgresError {
    /// What libpq or the server gave as the cause, in one line: why no connection could be opened or why it was lost,
    /// and failures of the server itself. `nil` for every other failure, because its message may quote data.
    public var cause: String? {
        let isAboutServer = sqlState.map { Self.classesOfServer.contains($0.classCode) } ?? false
        let message = isAboutServer ? primaryMessage : code == .connection ? serverMessage : nil
        guard let message else { return nil }
        let lines = message.split(whereSeparator: \.isNewline).map { line in
            String(String.UnicodeScalarView(line.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
        }
        let text = lines.joined(separator: "; ")
        return text.isEmpty ? nil : String(text.prefix(500))
    }

    /// SQLSTATE classes that are about the connection, the log-in, a read-only server, its resources, its operator or
    /// its system, and never about the values of a statement.
    private static let classesOfServer: Set<String> = ["08", "25", "28", "53", "57", "58"]
}

extension PostgresError: CustomReflectable {
    /// A mirror with the code only, because `dump` must not show what `description` hides.
    public var customMirror: Mirror { Mirror(self, children: [("code", code)]) }
}

/// A five-character SQLSTATE (PostgreSQL manual, appendix A).
public struct SQLState: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The five characters.
    public let rawValue: String
    /// An SQLSTATE as sent by the server.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The five characters; they name a kind of failure and hold no data.
    public var description: String { rawValue }
    /// The first two characters.
    public var classCode: String { String(rawValue.prefix(2)) }

    /// 22012: a division by zero.
    public static let divisionByZero = SQLState(rawValue: "22012")
    /// 23505: a unique constraint is violated.
    public static let uniqueViolation = SQLState(rawValue: "23505")
    /// 23502: a NOT NULL constraint is violated.
    public static let notNullViolation = SQLState(rawValue: "23502")
    /// 40001: the transaction cannot be serialised with others.
    public static let serializationFailure = SQLState(rawValue: "40001")
    /// 40P01: the transaction was chosen to end a deadlock.
    public static let deadlockDetected = SQLState(rawValue: "40P01")
    /// 57014: cancelled on request, or by `statement_timeout`.
    public static let queryCanceled = SQLState(rawValue: "57014")
    /// 55P03: a lock was not free, or `lock_timeout` passed.
    public static let lockNotAvailable = SQLState(rawValue: "55P03")
    /// 25P03: `idle_in_transaction_session_timeout` ended the session.
    public static let idleInTransactionTimeout = SQLState(rawValue: "25P03")
    /// 26000: the prepared statement does not exist.
    public static let invalidStatementName = SQLState(rawValue: "26000")
    /// 0A000: not supported; also "cached plan must not change result type".
    public static let featureNotSupported = SQLState(rawValue: "0A000")
    /// 57P01: the session was ended by an administrator or a shutdown.
    public static let adminShutdown = SQLState(rawValue: "57P01")
    /// 42501: the role lacks a privilege.
    public static let insufficientPrivilege = SQLState(rawValue: "42501")
    /// 42P01: no such table.
    public static let undefinedTable = SQLState(rawValue: "42P01")
    /// 42601: not valid SQL.
    public static let syntaxError = SQLState(rawValue: "42601")
    /// 53100: the disk of the server is full.
    public static let diskFull = SQLState(rawValue: "53100")
}
