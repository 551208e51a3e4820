import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Follows each user's credentials in one directory: every record follows exactly the one before it, and a change is
/// signed by the key that it replaces, or names two persons' decisions.
///
/// Its memory grows with the users of one directory.
struct CredentialTrail: Sendable {
    private var recoveries = RecoveryTrail()
    private var inForce: [UUID: (credential: UUID, record: PreviousCredentials)] = [:]

    /// Takes the next event; says what is wrong, or nil.
    mutating func follow(_ event: RecordedEvent) -> String? {
        let words = judge(event)
        return recoveries.follow(event) ?? words
    }

    private mutating func judge(_ event: RecordedEvent) -> String? {
        switch event.type {
        case CredentialsSet.type, CredentialsChanged.type: break
        case UserErased.type:
            if let user = event.data["userId"]?.uuid { inForce[user] = nil }
            return nil
        default: return nil
        }
        guard let user = event.data["userId"]?.uuid, let credential = event.data["credentialId"]?.uuid,
            let bytes = event.data["record"]?.bytes, let record = try? StoredCredentials(bytes: bytes).record
        else { return "the event has no record" }
        defer { inForce[user] = (credential, PreviousCredentials(record)) }
        guard event.type == CredentialsChanged.type else {
            return inForce[user] == nil ? nil : "credentials are set where there are some"
        }
        guard let before = inForce[user], before.credential == event.data["previousCredentialId"]?.uuid,
            let challenge = event.data["challenge"]?.bytes.flatMap({ try? Challenge(parsing: $0) }),
            (try? record.verify(employeeKey: challenge.fields.employeeKey, previous: before.record)) != nil
        else { return "the record does not follow the one it replaces" }
        switch record.content.authority {
        case .changed: return challenge.fields.purpose == .change ? nil : "the challenge is for another purpose"
        case .recovered: return recoveries.judge(record, challenge, event)
        case .initial: return "the record is not signed by the replaced key"
        }
    }
}
