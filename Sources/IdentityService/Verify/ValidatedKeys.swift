import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// A user key that a validation was signed with, as the company's ledger has it.
struct ValidatedKey: Hashable, Sendable {
    let credential: UUID
    let user: UUID
    let key: PublicKeyBytes

    /// Reads it from a validation; nil for any other event.
    init?(validation event: RecordedEvent) {
        guard event.type == AnswersValidated.type || event.type == PassphraseValidated.type,
            let credential = event.data["credentialId"]?.uuid, let user = event.data["userId"]?.uuid,
            let key = event.data["userKey"]?.bytes.flatMap({ PublicKeyBytes($0) })
        else { return nil }
        self.credential = credential
        self.user = user
        self.key = key
    }

    /// Reads it from an event with a credential record, whatever its type; nil for any other event.
    init?(record event: RecordedEvent) {
        guard let bytes = event.data["record"]?.bytes,
            let context = try? StoredCredentials(bytes: bytes).record.sealed.context,
            let key = PublicKeyBytes(context.userPublicKey.bytes)
        else { return nil }
        credential = context.credentialId
        user = context.userId
        self.key = key
    }
}

/// The user keys of validations, each with where it came first: they are in companies' ledgers, and the records that say
/// whether they are right in those of users.
///
/// Companies are read first: whatever was validated there has its record in a directory that is read later. Memory grows
/// with the credentials that were ever used.
struct ValidatedKeys: Sendable {
    private struct Place: Sendable {
        let ledger: LedgerID
        let position: Int64
    }
    private var places: [ValidatedKey: Place] = [:]
    /// What else companies' ledgers and directories have to say alike.
    var recoveries = RecoveryCopies()

    /// Takes an event of a company's ledger.
    mutating func follow(_ event: RecordedEvent) {
        recoveries.follow(event)
        guard let key = ValidatedKey(validation: event), places[key] == nil else { return }
        places[key] = Place(ledger: event.ledger, position: event.position)
    }

    /// Takes an event of a directory's ledger: what has a record is right. Says what is wrong with a recovery, or nil.
    mutating func match(_ event: RecordedEvent) -> String? {
        if !places.isEmpty, let key = ValidatedKey(record: event) { places[key] = nil }
        return recoveries.match(event)
    }

    mutating func merge(_ other: ValidatedKeys) {
        places.merge(other.places) { first, _ in first }
        recoveries.merge(other.recoveries)
    }

    /// Those whose records lie in each of these directories, and in each that has one.
    func byDirectory(_ wanted: Set<LedgerID> = []) -> [LedgerID: ValidatedKeys] {
        var directories: [LedgerID: ValidatedKeys] = [:]
        for (key, place) in places {
            directories[.directory(of: UserID(key.user)), default: ValidatedKeys()].places[key] = place
        }
        for directory in wanted.union(recoveries.directories).union(directories.keys) {
            directories[directory, default: ValidatedKeys()].recoveries = recoveries.part(of: directory)
        }
        return directories
    }

    /// Whose keys and recoveries they are.
    var users: Set<UUID> { Set(places.keys.map(\.user)).union(recoveries.users) }

    /// What has no record, once a whole directory was read.
    var violations: [Violation] { missing + recoveries.violations }

    private var missing: [Violation] {
        places.values.map { place in
            Violation(
                .signature, ledger: place.ledger, position: place.position,
                "the user key is not one of the user's credentials")
        }
    }
}
