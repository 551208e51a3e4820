import EventCoding
import FoundationEssentials
import Identity
import Ledger
import Synchronization

/// Remembers a user, whichever: their streams are read for an address that nobody holds, and discarded, so that the
/// answer takes the same time. Reading a stream that does not exist would be faster.
final class SomeUser: Sendable {
    private let known = Mutex<UserID?>(nil)

    /// The user; `nil` before one was found.
    var id: UserID? { known.withLock { $0 } }

    /// Remembers a user, or that nobody is known any more.
    func remember(_ id: UserID?) { known.withLock { $0 = id } }
}

extension ServiceContext {
    /// A user with credentials; `nil` if there is none. The first call of a process looks for one: the first event of a
    /// directory is a user's.
    func anyUser() async throws -> UserID? {
        if let id = someUser.id { return id }
        for directory in UInt8.min...UInt8.max {
            let ledger = LedgerID.directory(directory)
            guard let first = try await reader.read(StreamsQuery([], foundingOf: ledger)).founding else { continue }
            let user = UserID(first.stream.id)
            guard first.stream == .user(user), try await credentialHolder(user).state.credentials != nil else {
                continue
            }
            someUser.remember(user)
            return user
        }
        return nil
    }

    /// A user as far as ``StateLoader/credentials(of:_:)`` reads.
    func credentialHolder(_ user: UserID) async throws -> UserSnapshot {
        let read = try await reader.read(StreamsQuery([], tail: StateLoader.credentials(of: user, reader.codes)))
        return try StateLoader.user(user, read.streams[.user(user)] ?? [])
    }
}
