/// A five-character SQLSTATE (PostgreSQL manual, appendix A).
public struct SQLState: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The five characters.
    public let rawValue: String
    /// Wraps five characters as the server sent them.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The five characters; they name a kind of failure and hold no data.
    public var description: String { rawValue }
    /// The first two characters.
    public var classCode: String { String(rawValue.prefix(2)) }

    /// 22012: a division by zero; a statement that must not answer anything else divides by the number of its rows.
    public static let divisionByZero = SQLState(rawValue: "22012")
    /// 23505: a unique key would be broken.
    public static let uniqueViolation = SQLState(rawValue: "23505")
    /// 23503: a foreign key would be broken.
    public static let foreignKeyViolation = SQLState(rawValue: "23503")
    /// 23502: a column would be NULL that must not be.
    public static let notNullViolation = SQLState(rawValue: "23502")
    /// 23514: a check would fail.
    public static let checkViolation = SQLState(rawValue: "23514")
    /// 40001: the transaction cannot be serialised with others.
    public static let serializationFailure = SQLState(rawValue: "40001")
    /// 40P01: the transaction was chosen to end a deadlock.
    public static let deadlockDetected = SQLState(rawValue: "40P01")
    /// 57014: cancelled on request, or by `statement_timeout`.
    public static let queryCanceled = SQLState(rawValue: "57014")
    /// 55P03: a lock was not free, or `lock_timeout` passed.
    public static let lockNotAvailable = SQLState(rawValue: "55P03")
    /// 25P02: the transaction has failed and accepts no more statements.
    public static let inFailedTransaction = SQLState(rawValue: "25P02")
    /// 25P03: `idle_in_transaction_session_timeout` ended the session.
    public static let idleInTransactionTimeout = SQLState(rawValue: "25P03")
    /// 25006: a write in a read-only transaction, or on a server that has become a standby.
    public static let readOnlyTransaction = SQLState(rawValue: "25006")
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
    /// 53300: the server has no connection left.
    public static let tooManyConnections = SQLState(rawValue: "53300")
    /// P0001: `RAISE EXCEPTION` without a code.
    public static let raiseException = SQLState(rawValue: "P0001")
}
