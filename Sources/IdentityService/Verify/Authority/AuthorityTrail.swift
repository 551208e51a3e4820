import Canonical
import Credentials
import FoundationEssentials
import Identity
import Ledger
import Projections

/// Follows who may decide in one tenant's ledger: from the founder's first key, by statements, to every other.
///
/// A decision has to be signed by a key that was authorized before it and not ended, or by the authority key of an
/// app's secret; to name the event that gives the signer authority, and a view of the ledger that it really had; and to
/// be about what the event says. Its memory grows with the keys of a tenant and by some 40 bytes for each event.
struct AuthorityTrail: Sendable {
    /// One key of one employee; two accounts of one person may share a key.
    struct Holder: Hashable, Sendable {
        let employee: UUID
        let key: PublicKeyBytes
    }

    /// The secrets of all apps, from the system ledger; nil when it is not there to ask.
    let apps: AppAuthorities?
    var founder: UUID?
    /// The keys in force, each with the leaf hash of the event that authorized it.
    var keys: [Holder: [UInt8]] = [:]
    var presented: [Holder: [UInt8]] = [:]
    /// The security admin and the admins, each with the leaf hash of the event that gives authority.
    var securityAdmin: (employee: UUID, leaf: [UInt8])?
    var admins: [UUID: [UInt8]] = [:]
    /// The user behind each employee.
    var users: [UUID: UUID] = [:]
    /// The recoveries that were opened.
    var recoveries: [UUID: RecoveryOpened] = [:]
    /// The leaf hash of the event that set the policy in force.
    var policy: [UInt8]?
    var roots = RootHistory()
    /// How each key came to be authorized, as the log has it.
    var chains = AuthorityChains()
    /// The founder's first key, which everything is traced to.
    private(set) var root: PublicKeyBytes?

    init(apps: AppAuthorities?) { self.apps = apps }

    /// Takes the next event; says what is wrong, or nil.
    mutating func follow(_ event: RecordedEvent) -> String? {
        defer { roots.append(event.leaf, at: event.position) }
        let words = decide(event)
        learn(event)
        return words
    }

    /// Takes an event that says nothing about authority: it is part of the tree that statements saw.
    mutating func pass(_ leaf: [UInt8], at position: Int64) { roots.append(leaf, at: position) }

    /// Takes what an event says into account, right or wrong: later events were decided upon it.
    private mutating func learn(_ event: RecordedEvent) {
        let employee = event.data["employeeId"]?.uuid
        if event.type == EmployeeRegistered.type, let employee { users[employee] = event.data["userId"]?.uuid }
        switch event.type {
        case EmployeeRegistered.type where founder == nil:
            founder = employee
            securityAdmin = employee.map { ($0, event.leaf) }
        case RecoveryOpened.type:
            if let opened = try? EventCodec.payload(of: event) as? RecoveryOpened {
                recoveries[opened.recoveryID.uuid] = opened
            }
        case AdminAppointed.type: if let employee { admins[employee] = event.leaf }
        case AdminDismissed.type: if let employee { admins[employee] = nil }
        case SecurityAdminSucceeded.type: securityAdmin = employee.map { ($0, event.leaf) }
        case TenantPolicyChanged.type: policy = event.leaf
        case EmployeeKeyPresented.type: if let holder = holder(event) { presented[holder] = event.leaf }
        case EmployeeKeyAuthorized.type:
            guard let holder = holder(event) else { return }
            keys[holder] = event.leaf
            presented[holder] = nil
            chains.authorize(holder, event)
        case EmployeeKeyRefused.type, EmployeeKeyRevoked.type:
            guard let holder = holder(event) else { return }
            keys[holder] = nil
            presented[holder] = nil
            chains.end(holder)
        case EmailReclaimed.type, EmployeeErased.type:
            for holder in keys.keys where holder.employee == employee { keys[holder] = nil }
        case AppLinked.type, AppUnlinked.type: chains.link(event)
        default: break
        }
    }

    private func holder(_ event: RecordedEvent) -> Holder? {
        guard let employee = event.data["employeeId"]?.uuid,
            let key = event.data["key"]?.bytes.flatMap({ PublicKeyBytes($0) })
        else { return nil }
        return Holder(employee: employee, key: key)
    }

    private mutating func decide(_ event: RecordedEvent) -> String? {
        switch event.type {
        case EmployeeKeyAuthorized.type:
            guard let holder = holder(event), let by = AuthorityMember(event) else { return "the event has no key" }
            if by.kind == "founding" {
                guard root == nil, holder.employee == founder else {
                    return "a key that is not the founder's first has no signature"
                }
                root = holder.key
                return nil
            }
            guard by.signed != nil else { return "a key is authorized without a signature" }
        case RecoveryOpened.type, RecoveryConfirmed.type:
            guard AuthorityMember(event)?.signed != nil else { return "a recovery is decided without a signature" }
        case EmployeeKeyRefused.type, EmployeeKeyRevoked.type:
            guard holder(event) != nil else { return "the event has no key" }
        default: break
        }
        return signer(event) ?? statement(event)
    }

    /// Whoever signed had the key at that time.
    private func signer(_ event: RecordedEvent) -> String? {
        guard let by = AuthorityMember(event), let signed = by.signed else { return nil }
        guard let key = PublicKeyBytes(signed.key) else { return "the signer's key is no key" }
        switch by.kind {
        case "employee":
            let isInForce = by.employee.map { keys[Holder(employee: $0, key: key)] != nil } ?? false
            return isInForce ? nil : "the signer's key was not authorized then"
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
    /// A secret: its app, the public half of the key derived from it, and the leaf hash of the event that issued it.
    struct Secret: Sendable {
        let app: UUID
        let key: PublicKeyBytes
        let leaf: [UInt8]
    }

    /// By secret.
    private(set) var secrets: [UUID: Secret] = [:]

    /// Takes an event of the system ledger.
    mutating func follow(_ event: RecordedEvent) {
        guard event.type == AppSecretIssued.type, let app = event.data["appId"]?.uuid,
            let secret = event.data["secretId"]?.uuid,
            let key = event.data["authorityKey"]?.bytes.flatMap({ PublicKeyBytes($0) })
        else { return }
        secrets[secret] = Secret(app: app, key: key, leaf: event.leaf)
    }
}
