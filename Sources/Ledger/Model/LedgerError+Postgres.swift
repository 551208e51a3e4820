import Postgres

extension LedgerError {
    /// What a failure of the database means to a caller whose content is not to blame.
    init(_ error: PostgresError) {
        if error.sqlState == .lockNotAvailable {
            self.init(.busy, "a ledger was locked for too long (\(error))")
        } else if error.code == .cancelled {
            self.init(.cancelled, "the task was cancelled")
        } else {
            self.init(.unavailable, "the database is not available (\(error))")
        }
    }

    /// The same for any error of a call into the database.
    init(wrapping error: any Error) {
        switch error {
        case let error as LedgerError: self = error
        case let error as PostgresError: self.init(error)
        default: self.init(.unavailable, "the database answered out of contract")
        }
    }
}
