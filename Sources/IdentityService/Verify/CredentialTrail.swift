import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Follows each user's credentials in one directory: every record stands in its user's stream, follows exactly the one
/// before it, has an id of its own, and is signed by the key that it replaces or names two persons' decisions; none comes
/// after the user was erased.
///
/// Its memory grows with the users and the credentials of one directory.
struct CredentialTrail: Sendable {
    private enum Standing {
        case inForce(credential: UUID, PreviousCredentials)
        case erased
    }
    private var recoveries = RecoveryTrail()
    private var standings: [UUID: Standing] = [:]
    private var credentials: Set<UUID> = []

    /// Takes the next event; says what is wrong, or nil.
    mutating func follow(_ event: RecordedEvent) -> String? {
        let words = judge(event)
        return recoveries.follow(event) ?? words
    }

    private mutating func judge(_ event: RecordedEvent) -> String? {
        switch event.type {
        case CredentialsSet.type, CredentialsChanged.type: return take(event)
        case UserErased.type:
            if let user = event.data["userId"]?.uuid { standings[user] = .erased }
            return nil
        default: return nil
        }
    }

    private mutating func take(_ event: RecordedEvent) -> String? {
        guard let user = event.data["userId"]?.uuid, let credential = event.data["credentialId"]?.uuid,
            let bytes = event.data["record"]?.bytes, let record = try? StoredCredentials(bytes: bytes).record
        else { return "the event has no record" }
        let standing = standings[user], isNew = credentials.insert(credential).inserted
        // Right or wrong, it is what later events were decided upon; but nothing brings an erased user back.
        if case .erased = standing { return "credentials of a user who was erased" }
        standings[user] = .inForce(credential: credential, PreviousCredentials(record))
        guard event.stream == .user(UserID(user)) else { return "the event is not in its user's stream" }
        guard isNew else { return "the credential's id was used before" }
        guard event.type == CredentialsChanged.type else {
            return standing == nil ? nil : "credentials are set where there are some"
        }
        guard case .inForce(let before, let previous) = standing, before == event.data["previousCredentialId"]?.uuid,
            let challenge = event.data["challenge"]?.bytes.flatMap({ try? Challenge(parsing: $0) }),
            (try? record.verify(employeeKey: challenge.fields.employeeKey, previous: previous)) != nil
        else { return "the record does not follow the one it replaces" }
        switch record.content.authority {
        case .changed: return challenge.fields.purpose == .change ? nil : "the challenge is for another purpose"
        case .recovered: return recoveries.judge(record, challenge, event)
        case .initial: return "the record is not signed by the replaced key"
        }
    }
}
