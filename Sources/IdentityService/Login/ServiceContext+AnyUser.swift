import EventCoding
import Identity
import Ledger
import Postgres

extension ServiceContext {
    /// What log-ins share.
    struct Login: Sendable {
        /// A user, whichever: their streams are read for an address that nobody holds, and discarded, so that the answer
        /// takes the same time. Reading a stream that does not exist would be faster.
        let someUser = Lock<UserID?>(nil)
        /// An account with a passkey, for the same reason.
        let someAccount = Lock<(TenantID, EmployeeID)?>(nil)
    }

    /// A user with credentials; `nil` if there is none. The first call of a process looks for one: the first event of a
    /// directory is a user's.
    func anyUser() async throws -> UserID? {
        if let id = login.someUser.withLock(\.self) { return id }
        for directory in UInt8.min...UInt8.max {
            let ledger = LedgerID.directory(directory)
            guard let first = try await reader.read(StreamsQuery([], foundingOf: ledger)).founding else { continue }
            let user = UserID(first.stream.id)
            guard first.stream == .user(user), try await credentialHolder(user).state.credentials != nil else {
                continue
            }
            login.someUser.withLock { $0 = user }
            return user
        }
        return nil
    }
}
