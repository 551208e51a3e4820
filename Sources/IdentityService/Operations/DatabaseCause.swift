import Ledger
import Postgres

/// The cause of a database's failure, as libpq or the server gave it, for the log of the operator.
package enum DatabaseCause {
    /// Returns the cause; `nil` for other errors, and for a failure whose message may quote data.
    package static func of(_ error: any Error) -> String? {
        switch error {
        case let error as PostgresError: error.cause
        case let error as LedgerError: error.cause
        case let error as ServiceError: error.cause
        default: nil
        }
    }
}
