import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// The passkeys that were ever authorized, as tenants' ledgers have them: one of them signs for the first secret of its
/// user, which is recorded in a directory.
///
/// The ledgers have no common order, so a passkey that was revoked before counts too.
struct AuthorizedPasskeys: Sendable {
    static let words = "a first secret is set by a key that is no authorized passkey of its user"

    private struct Passkey: Hashable, Sendable {
        let tenant: UUID
        let user: UUID
        let key: PublicKeyBytes
    }

    private var found: [Passkey: PasskeyIdentity] = [:]
    /// The tenants whose ledgers were read to the end.
    private var tenants: Set<UUID> = []

    var directories: Set<LedgerID> { Set(found.keys.map { .directory(of: UserID($0.user)) }) }

    /// Takes an event of a tenant's ledger, after the employees have.
    mutating func follow(_ event: RecordedEvent, _ employees: [EmployeeID: Employee.State]) {
        guard event.type == EmployeeKeyAuthorized.type, let employee = employees[EmployeeID(event.stream.id)],
            let user = employee.account?.user.uuid, let key = event.data["key"]?.bytes.flatMap({ PublicKeyBytes($0) }),
            let known = employee.keys[key], known.authorized != nil, let facts = known.passkey?.facts
        else { return }
        found[Passkey(tenant: event.ledger.uuid, user: user, key: key)] = PasskeyIdentity(
            rpID: facts.rpID, credentialID: facts.credentialID, isBackupEligible: facts.isBackupEligible)
    }

    mutating func complete(_ ledger: LedgerID) { tenants.insert(ledger.uuid) }

    /// Returns what is wrong with a first secret in a directory, or `nil`. Of a tenant that was not read nothing is said,
    /// unless all were.
    ///
    /// - Parameter releases: What was read of tenants' ledgers.
    func match(_ event: RecordedEvent, _ releases: ReleaseTrail) -> String? {
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
                Passkey(tenant: challenge.fields.tenant, user: payload.userID.uuid, key: key)],
            let evidence = try? DeviceEvidence(bytes: payload.deviceSignature.bytes),
            let origin = evidence.assertion?.clientData.origin,
            (try? evidence.check(identity, origins: [origin])) != nil
        else { return Self.words }
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
