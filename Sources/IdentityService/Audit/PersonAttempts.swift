import Canonical
import EventCoding
import FoundationEssentials
package import Identity
package import Ledger

/// The attempts at one person's credentials, which the ledger of the person's directory records.
///
/// A charge names credentials, and no employee or tenant. The log has no charge for a decoy, so attempts at a name that
/// does not exist belong to nobody.
package struct PersonAttempts: Sendable {
    /// The types of the events of an attempt.
    package static let types = [AttemptCharged.type, AttemptsCleared.type, CredentialsLocked.type]

    /// The ledger that has them.
    package let directory: LedgerID
    /// All credentials that the person ever had.
    let credentials: Set<UUID>

    /// Loads the credentials of the person who has an account.
    package init(of user: UserID, _ reader: LedgerReader) async throws {
        directory = .directory(of: user)
        credentials = Set(try await StateLoader(reader: reader).user(user).state.everyCredential.map(\.uuid))
    }

    /// Whether an event of the directory belongs to an attempt at the person.
    package func contains(_ event: RecordedEvent) -> Bool {
        Self.types.contains(event.type) && (event.data["credentialId"]?.uuid.map(credentials.contains) ?? false)
    }
}
