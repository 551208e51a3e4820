import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// The passkeys that were ever authorized, as tenants' ledgers have them: one of them signs for the first secret of its
/// user, and for an account of a user without one in another tenant. Both are recorded in a directory.
///
/// The ledgers have no common order, so a passkey that was revoked a moment before counts too.
struct AuthorizedPasskeys: Sendable {
    static let words = "a first secret is set by a key that is no authorized passkey of its user"
    static let joinedWords =
        "a company is joined by a key that is no authorized passkey of the account that its challenge names"

    private struct Passkey: Hashable, Sendable {
        let tenant: UUID
        let user: UUID
        let key: PublicKeyBytes
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
    /// The tenants whose ledgers were read to the end.
    private var tenants: Set<UUID> = []

    var directories: Set<LedgerID> { Set(found.keys.map { .directory(of: UserID($0.user)) }) }

    /// Takes an event of a tenant's ledger, after the employees have.
    mutating func follow(_ event: RecordedEvent, _ employees: [EmployeeID: Employee.State]) {
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

    mutating func complete(_ ledger: LedgerID) { tenants.insert(ledger.uuid) }

    /// Returns what is wrong with a first secret in a directory, or with a passkey that joins a tenant, or `nil`.
    /// Of a tenant that was not read nothing is said.
    func match(_ event: RecordedEvent) -> String? {
        if event.type == JoinedByPasskey.type { return join(event) }
        guard event.type == CredentialsChanged.type,
            let payload = try? EventCodec.payload(of: event) as? CredentialsChanged,
            let record = try? StoredCredentials(kept: payload.record).record, record.content.authority == .passkey,
            let challenge = try? Challenge(parsing: payload.challenge)
        else { return nil }
        guard payload.deviceSignature.isOfPasskey else { return Self.words }
        guard tenants.contains(challenge.fields.tenant) else { return nil }
        guard let key = PublicKeyBytes(challenge.fields.employeeKey.bytes),
            let identity = found[
                Passkey(tenant: challenge.fields.tenant, user: payload.userID.uuid, key: key)]?.identity,
            let evidence = try? DeviceEvidence(bytes: payload.deviceSignature.bytes),
            let origin = evidence.assertion?.clientData.origin,
            (try? evidence.check(identity, origins: [origin])) != nil
        else { return Self.words }
        return nil
    }

    private func join(_ event: RecordedEvent) -> String? {
        guard let payload = try? EventCodec.payload(of: event) as? JoinedByPasskey,
            let fields = try? PasskeyChallenge(parsing: payload.challenge).fields, let tenant = fields.tenant
        else { return Self.joinedWords }
        guard tenants.contains(tenant) else { return nil }
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
        tenants.formUnion(other.tenants)
    }

    /// What one directory needs.
    func part(of directory: LedgerID) -> AuthorizedPasskeys {
        var part = self
        part.found = found.filter { .directory(of: UserID($0.key.user)) == directory }
        return part
    }
}
