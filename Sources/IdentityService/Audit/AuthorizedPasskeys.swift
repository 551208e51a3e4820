import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// The passkeys that were ever authorized, as tenants' ledgers have them: one of them signs for the first secret of its
/// user, and for an account of a user without one in another tenant. Both are recorded in a directory. A synced one sets
/// an admin's first secret on the day of the registration only.
///
/// The ledgers have no common order, so a passkey that was revoked a moment before counts too, and a role counts from a
/// minute after it was given until a minute before it ends.
struct AuthorizedPasskeys: Sendable {
    static let words = "a first secret is set by a key that is no authorized passkey of its user"
    static let late = "a synced passkey sets the first secret of an admin after the day of the registration"
    static let joinedWords =
        "a company is joined by a key that is no authorized passkey of the account that its challenge names"
    /// The events by which somebody gets or loses a role, besides the first one of a ledger.
    private static let ofRoles: Set<String> = [
        AdminAppointed.type, AdminDismissed.type, SecurityAdminSucceeded.type, EmployeeCancelled.type,
        EmployeeReinstated.type, EmailReclaimed.type, EmployeeIdReleased.type, EmployeeErased.type,
    ]

    private struct Passkey: Hashable, Sendable {
        let tenant: UUID
        let user: UUID
        let key: PublicKeyBytes
    }

    /// An account while it has a role.
    private struct Role: Sendable {
        let employee: EmployeeID
        let user: UserID
        let registeredAt: Timestamp
        let since: Timestamp
        var until: Timestamp?

        /// Whether a synced passkey set the first secret too late.
        func forbids(_ event: RecordedEvent, at earliest: Timestamp) -> Bool {
            let slack = Duration.seconds(60), end = registeredAt.adding(User.firstSecretTime)
            return max(since, end).adding(slack) < earliest
                && until.map { event.time.adding(slack) < $0 } ?? true
        }
    }

    private struct Known: Sendable {
        let identity: PasskeyIdentity
        let employee: UUID
        /// When the key or the account ended.
        var ended: Timestamp?
    }

    private static let ending = [
        EmployeeKeyRevoked.type, EmployeeCancelled.type, EmailReclaimed.type, EmployeeErased.type,
    ]
    /// By how much the times of two ledgers may differ.
    private static let leeway = Duration.seconds(120)

    private var found: [Passkey: Known] = [:]
    private var roles: [Role] = []
    /// The tenants whose ledgers were read to the end.
    private var tenants: Set<UUID> = []

    var users: Set<UUID> { Set(found.keys.map(\.user)) }

    /// Takes an event of a tenant's ledger, after the employees have.
    mutating func follow(
        _ event: RecordedEvent, _ tenant: Tenant.State, _ employees: [EmployeeID: Employee.State]
    ) {
        if event.position == 1 || Self.ofRoles.contains(event.type) { keepRoles(event.time, tenant, employees) }
        let isEnding = Self.ending.contains(event.type)
        guard isEnding || event.type == EmployeeKeyAuthorized.type,
            let employee = employees[EmployeeID(event.stream.id)], let user = employee.account?.user.uuid
        else { return }
        for key in employee.keys.values where key.authorized != nil {
            guard let facts = key.passkey?.facts else { continue }
            let place = Passkey(tenant: event.ledger.uuid, user: user, key: key.key)
            if isEnding, key.status != .authorized, found[place]?.ended == nil { found[place]?.ended = event.time }
            if found[place] == nil {
                let identity = PasskeyIdentity(
                    rpID: facts.rpID, credentialID: facts.credentialID, isBackupEligible: facts.isBackupEligible)
                found[place] = Known(identity: identity, employee: event.stream.id)
            }
        }
    }

    private mutating func keepRoles(
        _ time: Timestamp, _ tenant: Tenant.State, _ employees: [EmployeeID: Employee.State]
    ) {
        let holders = Set(tenant.admins.keys).union([tenant.securityAdmin].compactMap(\.self))
        let accounts = holders.compactMap { employees[$0]?.account }.filter { !$0.isCancelled }
        for index in roles.indices where roles[index].until == nil {
            if !accounts.contains(where: { $0.id == roles[index].employee }) { roles[index].until = time }
        }
        for account in accounts where !roles.contains(where: { $0.employee == account.id && $0.until == nil }) {
            roles.append(
                Role(
                    employee: account.id, user: account.user, registeredAt: account.registeredAt, since: time))
        }
    }

    mutating func complete(_ ledger: LedgerID) { tenants.insert(ledger.uuid) }

    /// Returns what is wrong with a first secret in a directory, or with a passkey that joins a tenant, or `nil`.
    /// Of a tenant that was not read nothing is said, unless all were.
    ///
    /// - Parameters:
    ///   - earliest: The earliest time at which it may have been appended; `nil` if that is unknown.
    ///   - releases: What was read of tenants' ledgers.
    func match(_ event: RecordedEvent, at earliest: Timestamp?, _ releases: ReleaseTrail) -> String? {
        if event.type == JoinedByPasskey.type { return join(event, releases) }
        guard event.type == CredentialsChanged.type,
            let payload = try? EventCodec.payload(of: event) as? CredentialsChanged,
            let record = try? StoredCredentials(kept: payload.record).record, record.content.authority == .passkey,
            let challenge = try? Challenge(parsing: payload.challenge)
        else { return nil }
        guard payload.deviceSignature.isOfPasskey else { return Self.words }
        guard releases.isComplete || tenants.contains(challenge.fields.tenant), releases.isRead(event) else {
            return nil
        }
        guard let key = PublicKeyBytes(challenge.fields.employeeKey.bytes),
            let identity = found[
                Passkey(tenant: challenge.fields.tenant, user: payload.userID.uuid, key: key)]?.identity,
            let evidence = try? DeviceEvidence(bytes: payload.deviceSignature.bytes),
            let origin = evidence.assertion?.clientData.origin,
            (try? evidence.check(identity, origins: [origin])) != nil
        else { return Self.words }
        let isLate = roles.contains {
            $0.user == payload.userID && $0.forbids(event, at: earliest ?? event.time)
        }
        return identity.isBackupEligible && isLate ? Self.late : nil
    }

    private func join(_ event: RecordedEvent, _ releases: ReleaseTrail) -> String? {
        guard let payload = try? EventCodec.payload(of: event) as? JoinedByPasskey,
            let fields = try? PasskeyChallenge(parsing: payload.challenge).fields, let tenant = fields.tenant
        else { return Self.joinedWords }
        guard releases.isComplete || tenants.contains(tenant), releases.isRead(event) else { return nil }
        guard let known = found[Passkey(tenant: tenant, user: payload.userID.uuid, key: payload.key)],
            known.employee == fields.employee, known.identity.rpID == fields.rpID,
            known.ended.map({ event.time <= $0.adding(Self.leeway) }) ?? true,
            let evidence = try? DeviceEvidence(bytes: payload.evidence.bytes),
            let origin = evidence.assertion?.clientData.origin,
            (try? evidence.check(known.identity, origins: [origin])) != nil
        else { return Self.joinedWords }
        return nil
    }

    mutating func merge(_ other: AuthorizedPasskeys) {
        found.merge(other.found) { first, _ in first }
        roles += other.roles
        tenants.formUnion(other.tenants)
    }

    /// What one directory needs.
    func part(of directory: LedgerID) -> AuthorizedPasskeys {
        var part = self
        part.found = found.filter { .directory(of: UserID($0.key.user)) == directory }
        part.roles = roles.filter { .directory(of: $0.user) == directory }
        return part
    }
}
