import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger

/// Follows who may decide about keys in one tenant's ledger: from the founder's first key, by statements, to every other.
///
/// A decision has to be signed by a key that was authorized before it and not revoked, or by the authority key of an
/// app's secret, and to be about this tenant, this employee and this key. Its memory grows with the keys of a tenant.
struct AuthorityTrail: Sendable {
    /// The secrets of all apps, from the system ledger; nil when it is not there to ask.
    let apps: AppAuthorities?
    private var founder: UUID?
    private var owners: [PublicKeyBytes: UUID] = [:]
    private var presented: [PublicKeyBytes: [UInt8]] = [:]
    /// The leaf hashes of events that give an employee authority.
    private var roles: Set<[UInt8]> = []
    /// The founder's first key, which everything is traced to.
    private(set) var root: PublicKeyBytes?

    init(apps: AppAuthorities?) { self.apps = apps }

    /// Takes the next event; says what is wrong, or nil.
    mutating func follow(_ event: RecordedEvent) -> String? {
        switch event.type {
        case EmployeeRegistered.type:
            if founder == nil {
                founder = event.data["employeeId"]?.uuid
                roles.insert(event.leaf)
            }
        case AdminAppointed.type, SecurityAdminSucceeded.type: roles.insert(event.leaf)
        case EmployeeKeyPresented.type:
            if let key = key(event) { presented[key] = event.leaf }
        case EmployeeKeyAuthorized.type: return authorized(event)
        case EmployeeKeyRefused.type, EmployeeKeyRevoked.type:
            guard let key = key(event) else { return "the event has no key" }
            let words = decision(event, key)
            owners[key] = nil
            presented[key] = nil
            return words
        default: return signer(event)
        }
        return signer(event)
    }

    private func key(_ event: RecordedEvent) -> PublicKeyBytes? {
        event.data["key"]?.bytes.flatMap { PublicKeyBytes($0) }
    }

    private mutating func authorized(_ event: RecordedEvent) -> String? {
        guard let key = key(event), let employee = event.data["employeeId"]?.uuid,
            let by = AuthorityMember(event)
        else { return "the event has no key" }
        defer {
            owners[key] = employee
            presented[key] = nil
        }
        if by.kind == "founding" {
            guard root == nil, employee == founder else {
                return "a key that is not the founder's first has no signature"
            }
            root = key
            return nil
        }
        guard by.signed != nil else { return "a key is authorized without a signature" }
        return decision(event, key)
    }

    /// A signed decision about a key: what the statement says is what the event says.
    private func decision(_ event: RecordedEvent, _ key: PublicKeyBytes) -> String? {
        if let words = signer(event) { return words }
        guard let signed = AuthorityMember(event)?.signed else { return nil }
        let action: KeyStatement.Action =
            switch event.type {
            case EmployeeKeyAuthorized.type: .authorize
            case EmployeeKeyRefused.type: .refuse
            default: .revoke
            }
        guard let statement = try? KeyStatement(parsing: signed.statement, expecting: action.tag) else {
            return "the statement is not one about a key"
        }
        guard statement.context.tenant == event.ledger.uuid, statement.employee == event.data["employeeId"]?.uuid,
            statement.employeeKey.bytes == key.bytes, statement.context.signer.bytes == signed.key
        else { return "the statement is about another key" }
        if action == .authorize, statement.presentedHash != presented[key] {
            return "the statement is about another presentation of the key"
        }
        guard apps?.leaves.contains(statement.context.authority) ?? true || roles.contains(statement.context.authority)
        else {
            return "the statement names no event that gives authority"
        }
        return statement.context.ledgerSize < event.position ? nil : "the statement saw events that came later"
    }

    /// Whoever signed had the key at that time.
    private func signer(_ event: RecordedEvent) -> String? {
        guard let by = AuthorityMember(event), let signed = by.signed else { return nil }
        guard let key = PublicKeyBytes(signed.key) else { return "the signer's key is no key" }
        switch by.kind {
        case "employee": return owners[key] == by.employee ? nil : "the signer's key was not authorized then"
        case "app":
            guard let apps else { return nil }
            let isIssued = by.secret.flatMap { apps.secrets[$0] }.map { $0.app == by.app && $0.key == key } ?? false
            return isIssued ? nil : "the app has no secret with that key"
        default: return "nobody of that kind signs"
        }
    }
}

/// The keys that apps vouch with, as the system ledger records them.
struct AppAuthorities: Sendable {
    /// By secret: the app and the public half of the key derived from the secret.
    private(set) var secrets: [UUID: (app: UUID, key: PublicKeyBytes)] = [:]
    /// The leaf hashes of the events that issued them.
    private(set) var leaves: Set<[UInt8]> = []

    /// Takes an event of the system ledger.
    mutating func follow(_ event: RecordedEvent) {
        guard event.type == AppSecretIssued.type, let app = event.data["appId"]?.uuid,
            let secret = event.data["secretId"]?.uuid,
            let key = event.data["authorityKey"]?.bytes.flatMap({ PublicKeyBytes($0) })
        else { return }
        secrets[secret] = (app, key)
        leaves.insert(event.leaf)
    }
}
