import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Verifies the recoveries of each user in one directory: the statements of two people about one key, or that of a
/// single admin, and the record that names them.
///
/// The tenant's ledger has the same events, and the signers' authority is verified there. Here each event must match
/// its statement, follow the event that the statement names, and be used once.
struct RecoveryTrail: Sendable {
    /// The tolerance for the clocks of different processes when a recovery ends, in microseconds.
    private static let grace: Int64 = 900_000_000

    private struct Open: Sendable {
        let event: RecoveryOpened
        let leaf: [UInt8]
        var confirmed: [UInt8]?
        var isConfirmedByOwner = false
    }
    private var open: [UUID: Open] = [:]
    /// The leaf hash of each user's latest event.
    private var latest: [UUID: [UInt8]] = [:]

    /// The event types of recoveries.
    static let types: Set<String> = [RecoveryOpened.type, RecoveryConfirmed.type, RecoveryCancelled.type]

    /// Takes the next event of a user, of any type, and returns what is wrong with it or `nil`.
    mutating func follow(_ event: RecordedEvent) -> String? {
        guard event.stream.kind == "user" else { return nil }
        let user = event.stream.id
        defer { latest[user] = event.leaf }
        do {
            switch try Self.types.contains(event.type) ? EventCodec.payload(of: event) : nil {
            case let payload as RecoveryOpened: return opened(payload, event, user)
            case let payload as RecoveryConfirmed: return confirmed(payload, event, user)
            case let payload as RecoveryCancelled: return cancelled(payload, user)
            default:
                if event.type == UserErased.type || event.type == CredentialsChanged.type { open[user] = nil }
                return nil
            }
        } catch {
            return "the event about a recovery cannot be read"
        }
    }

    /// Takes an event of a user that changes nothing.
    mutating func pass(_ event: RecordedEvent) {
        if event.stream.kind == "user" { latest[event.stream.id] = event.leaf }
    }

    /// Returns what is wrong with a record that a recovery made, or `nil`. The record must name the two events, and the
    /// flow's device must have the key that they name. Called before ``follow(_:)``.
    ///
    /// - Parameter earliest: The earliest time at which the event may have been appended; `nil` if that is unknown.
    func judge(
        _ record: CredentialsRecord, _ challenge: Challenge, _ event: RecordedEvent, at earliest: Timestamp?
    ) -> String? {
        guard let recovery = open[event.stream.id],
            let confirmed = recovery.confirmed ?? (recovery.event.soleAdmin ? ApprovedRecovery.noConfirmation : nil),
            record.content.authority == .recovered(recovery.leaf, confirmed)
        else { return "the record names no approvals that were in force" }
        let fields = challenge.fields
        guard fields.purpose == .recovery, fields.tenant == recovery.event.tenant.uuid,
            fields.employeeKey.fingerprint == recovery.event.fingerprint.description,
            recovery.event.credentialID.uuid == fields.credential
        else { return "the credentials were set with another key than the approved one" }
        let time = earliest ?? event.time
        guard time.microseconds <= recovery.event.expiresAt.microseconds + Self.grace else {
            return "the recovery had expired"
        }
        return nil
    }

    private mutating func opened(_ payload: RecoveryOpened, _ event: RecordedEvent, _ user: UUID) -> String? {
        let follows = latest[user]
        open[user] = Open(event: payload, leaf: event.leaf)
        guard let statement = Self.statement(payload.by, .open) else {
            return "a recovery is opened without a signature"
        }
        guard payload.userID.uuid == user, payload.openerID != payload.userID else {
            return "a person opened their own recovery"
        }
        guard statement.user == user, statement.employee == payload.employeeID.uuid,
            statement.context.tenant == payload.tenant.uuid, statement.keyHash == payload.fingerprint.bytes,
            statement.followsHash == follows, let seconds = statement.seconds,
            payload.expiresAt.microseconds <= event.time.microseconds + seconds * 1_000_000
        else { return "the statement is about another recovery" }
        return nil
    }

    private mutating func confirmed(_ payload: RecoveryConfirmed, _ event: RecordedEvent, _ user: UUID) -> String? {
        guard let recovery = open[user], recovery.event.recoveryID == payload.recoveryID else {
            return "a recovery is confirmed that is closed or unknown"
        }
        let isByOwner = if case .employee(payload.employeeID, _) = payload.by { true } else { false }
        // A known key of the user may confirm after an admin, which makes the recovery available at once.
        guard recovery.confirmed == nil || (isByOwner && !recovery.isConfirmedByOwner) else {
            return "a recovery is confirmed twice"
        }
        open[user]?.confirmed = event.leaf
        open[user]?.isConfirmedByOwner = isByOwner
        guard payload.confirmerID != recovery.event.openerID else {
            return "one person opened and confirmed the same recovery"
        }
        guard let statement = Self.statement(payload.by, .confirm) else {
            return "a recovery is confirmed without a signature"
        }
        guard isAbout(recovery, payload.userID, payload.tenant, payload.employeeID, statement),
            payload.opened.bytes == recovery.leaf
        else { return "the statement is about another recovery" }
        return nil
    }

    private mutating func cancelled(_ payload: RecoveryCancelled, _ user: UUID) -> String? {
        guard let recovery = open[user], recovery.event.recoveryID == payload.recoveryID else {
            return "a recovery is cancelled that is closed or unknown"
        }
        open[user] = nil
        // An owner who logs in signs no statement: the log-in is the reason, and cancelling gains an attacker nothing.
        guard case .employee(_, .some) = payload.by else { return nil }
        guard let statement = Self.statement(payload.by, .cancel),
            isAbout(recovery, payload.userID, payload.tenant, payload.employeeID, statement)
        else { return "the statement is about another recovery" }
        return nil
    }

    private func isAbout(
        _ recovery: Open, _ user: UserID, _ tenant: TenantID, _ employee: EmployeeID, _ statement: RecoveryStatement
    ) -> Bool {
        let event = recovery.event
        return event.userID == user && event.tenant == tenant && event.employeeID == employee
            && statement.user == user.uuid && statement.employee == employee.uuid
            && statement.context.tenant == tenant.uuid && statement.keyHash == event.fingerprint.bytes
            && statement.followsHash == recovery.leaf
    }

    private static func statement(_ by: Authority, _ action: RecoveryStatement.Action) -> RecoveryStatement? {
        guard case .employee(_, let signed?) = by else { return nil }
        return try? RecoveryStatement(parsing: signed.statement, expecting: action.tag)
    }
}

/// Compares the copies of recovery decisions in tenants' ledgers and in users' directories.
///
/// Tenants' ledgers are read first. Every decision in a directory must be in the tenant's ledger, and every decision
/// there must follow in the directory.
struct RecoveryCopyTrail: Sendable {
    private struct Place: Sendable {
        let ledger: LedgerID
        let position: Int64
    }
    private struct Copy: Hashable, Sendable {
        let type: String
        let user: UUID
        let data: [UInt8]

        init?(_ event: RecordedEvent) {
            guard RecoveryTrail.types.contains(event.type), let user = event.data["userId"]?.uuid else { return nil }
            type = event.type
            self.user = user
            data = event.data.canonicalBytes()
        }
    }
    private var places: [Copy: Place] = [:]
    /// The tenants whose ledgers were read completely.
    private var companies: Set<LedgerID> = []
    /// The time of the last event read in each ledger: a later decision in a directory may not have been there yet.
    private var times: [LedgerID: Timestamp] = [:]
    /// The recoveries that a key confirmed which was in force for the whole delay before.
    private var confirmedByKnownKey: Set<UUID> = []
    /// Each user's most recent recovery in a directory.
    private var open: [UUID: RecoveryOpened] = [:]

    /// Takes an event of a tenant's ledger.
    mutating func follow(_ event: RecordedEvent) {
        times[event.ledger] = event.time
        guard let copy = Copy(event) else { return }
        places[copy] = Place(ledger: event.ledger, position: event.position)
    }

    /// Takes an event of a directory, and returns what is wrong with it or `nil`.
    mutating func match(_ event: RecordedEvent) -> String? {
        if event.type == CredentialsChanged.type { return early(event) }
        if event.type == RecoveryOpened.type, let opened = try? EventCodec.payload(of: event) as? RecoveryOpened {
            open[opened.userID.uuid] = opened
        }
        guard let copy = Copy(event), let tenant = event.data["tenant"]?.uuid else { return nil }
        guard places.removeValue(forKey: copy) == nil, companies.contains(LedgerID(tenant)),
            let last = times[LedgerID(tenant)], event.time < last
        else { return nil }
        return "the company's ledger has no such decision about a recovery"
    }

    /// Checks that credentials were not set before the waiting time of their recovery, unless a known key of the user
    /// confirmed.
    ///
    /// The tenant's ledger tells whether one did. Nothing is reported if that ledger was not read.
    private func early(_ event: RecordedEvent) -> String? {
        guard let recovery = open[event.stream.id], event.time < recovery.availableAt,
            let bytes = event.data["record"]?.bytes, let record = try? StoredCredentials(bytes: bytes).record,
            case .recovered = record.content.authority, companies.contains(LedgerID(recovery.tenant.uuid)),
            !confirmedByKnownKey.contains(recovery.recoveryID.uuid)
        else { return nil }
        return "new credentials were set before the waiting time of the recovery was over"
    }

    /// Notes that a tenant's ledger was read completely, and which recoveries a known key confirmed.
    mutating func complete(_ company: LedgerID, confirmedByKnownKey: Set<UUID>) {
        companies.insert(company)
        self.confirmedByKnownKey.formUnion(confirmedByKnownKey)
    }

    mutating func merge(_ other: RecoveryCopyTrail) {
        places.merge(other.places) { first, _ in first }
        companies.formUnion(other.companies)
        times.merge(other.times) { first, _ in first }
        confirmedByKnownKey.formUnion(other.confirmedByKnownKey)
    }

    /// The directories that must have the other copies.
    var directories: Set<LedgerID> { Set(places.keys.map { .directory(of: UserID($0.user)) }) }

    var users: Set<UUID> { Set(places.keys.map(\.user)) }

    /// The part whose other copies must be in one directory.
    func part(of directory: LedgerID) -> RecoveryCopyTrail {
        var part = self
        part.places = places.filter { LedgerID.directory(of: UserID($0.key.user)) == directory }
        return part
    }

    /// The decisions without another copy, after a whole directory was read.
    var violations: [Violation] {
        places.values.map { place in
            Violation(
                .signature, ledger: place.ledger, position: place.position,
                "the user's directory has no such decision about a recovery")
        }
    }
}
