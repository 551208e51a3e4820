import Canonical
import Credentials
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// Finds events that the service appends only together with another one, and that came without it.
///
/// A registration has a device key beside it. A presented key and a session have a validation in the same append, or
/// new credentials in the user's directory. A session may also end the wait of a flow that was proved before, once. A
/// released address has the decision of a tenant that caused it. Tenants' ledgers are read first, so the events of
/// directories are compared with what these left open.
struct CauseTrail: Sendable {
    private struct Place: Sendable {
        let ledger: LedgerID
        let position: Int64
        let words: String
    }

    /// Credentials that a device must have set in the user's directory.
    private struct Need: Hashable, Sendable {
        let user: UUID
        let key: KeyFingerprint
        /// The flow of a presented key.
        var flow: UUID?
        /// The request of a session.
        var app: UUID?
        var requestID: String?
    }

    /// What the events of one append have in common, and which causes were among them.
    private struct Append: Sendable {
        let time: Timestamp
        let app: UUID?
        let requestID: String?
        /// The flows that were validated.
        var validated: [UUID: Proof] = [:]
        /// The device keys that were authorized, by account.
        var authorized: Set<AuthorityTrail.Holder> = []
        /// The accounts that were registered, and those whose key is still missing with their places.
        var registered: Set<UUID> = []
        var keyless: [UUID: Place] = [:]
        /// The sessions that the ends of waits name, with the places of these.
        var waits: [UUID: Wait] = [:]
        /// The devices that were confirmed by mail and that no app has vouched for yet.
        var mailed: [Device: Place] = [:]
        /// The keys and sessions whose cause may still follow.
        var open: [Open] = []

        init(_ event: RecordedEvent) {
            time = event.time
            app = event.app
            requestID = event.requestId
        }

        func isOf(_ event: RecordedEvent) -> Bool {
            time == event.time && app == event.app && requestID == event.requestId
        }
    }

    /// Who proved a secret, with which device.
    private struct Proof: Sendable {
        let key: KeyFingerprint
        /// The account; `nil` where the event names none.
        let employee: UUID?
        /// Whether a session was opened by it.
        var isUsed = false
    }

    /// A device of an account.
    private struct Device: Hashable, Sendable {
        let employee: UUID
        let key: KeyFingerprint
    }

    /// The end of a wait.
    private struct Wait: Sendable {
        let employee: EmployeeID
        let key: KeyFingerprint
        let place: Place
        /// Whether its session was opened.
        var isUsed = false
    }

    private struct Open: Sendable {
        let employee: EmployeeID
        /// The session; `nil` for a presented key.
        var session: UUID?
        let need: Need
        let place: Place
    }

    static let uncausedKey = "a device key is presented without a registration, a log-in or a recovery"
    static let uncausedSession = "a session is opened without a log-in"
    static let keyless = "an account is registered without a device key"
    static let uncausedRefund = "attempts are given back without a proof"
    static let uncausedRelease = "an address is released without a decision of the company"

    private var append: Append?
    private var waits = WaitTrail()
    /// The flows in which a secret was proved, in a tenant's ledger or to a directory.
    private var proofs: Set<UUID> = [], addressed: Set<UUID> = []
    /// The flows in which a key was presented: each presents one.
    private var flows: Set<UUID> = []
    private var needs: [Need: [Place]] = [:]
    /// The registrations without a key, the waits without a session, and the confirmations without an authorization.
    private var alone: [Place] = []
    /// The users whose address an event of a tenant's ledger may release, by the event's id.
    private var releases: [UUID: UUID] = [:]
    /// The tenants whose ledgers were read completely, with the time of the last event.
    private var ends: [LedgerID: Timestamp] = [:]
    private var last: Timestamp?
    /// When the verification of a database began, less what an append may take: what is older was read.
    var readSince: Timestamp?
    /// Whether all tenants' ledgers were read.
    var isComplete = false

    // MARK: Tenants' ledgers

    /// Takes an event of a tenant's ledger, and returns what is wrong with it or `nil`.
    ///
    /// - Parameter user: The user behind an account.
    mutating func follow(_ event: RecordedEvent, user: (EmployeeID) -> UUID?) -> String? {
        last = event.time
        if append?.isOf(event) != true { close(next: Append(event)) }
        switch event.type {
        case AnswersValidated.type, PassphraseValidated.type, MPinValidated.type: return validated(event)
        case EmployeeRegistered.type:
            let missing = place(event, Self.keyless)
            append?.registered.insert(event.stream.id)
            append?.keyless[event.stream.id] = missing
        case EmployeeKeyAuthorized.type, ReturnCompleted.type:
            waits.authorize(event.stream.id)
            guard let key = event.data["key"]?.bytes.flatMap({ PublicKeyBytes($0) }) else { return nil }
            append?.authorized.insert(AuthorityTrail.Holder(employee: event.stream.id, key: key))
            vouched(event, key)
        case EmployeeKeyPresented.type: return presented(event, user)
        case SessionOpened.type: return opened(event, user)
        case WaitEnded.type: return waited(event)
        case DeviceMailConfirmed.type: return confirmed(event)
        case EmailReclaimed.type, AddressReclaimed.type: releases[event.id] = event.data["userId"]?.uuid
        case EmployeeIdReleased.type:
            releases[event.id] = event.data["employeeId"]?.uuid.flatMap { user(EmployeeID($0)) }
        default: break
        }
        return nil
    }

    /// Takes an event that was not read.
    mutating func pass() { close(next: nil) }

    private mutating func validated(_ event: RecordedEvent) -> String? {
        guard event.streamVersion == 1 else { return "a flow has a second proof" }
        let key = Self.deviceKey(event).map { KeyFingerprint(of: $0) }, employee = event.data["employeeId"]?.uuid
        proofs.insert(event.stream.id)
        append?.validated[event.stream.id] = key.map { Proof(key: $0, employee: employee) }
        if let key, let employee {
            waits.prove(event.stream.id, by: employee, with: key, ofSecret: true, at: event.time)
        }
        return nil
    }

    /// The device key of a validation. Its challenge names the same one, as the event's signatures were checked for.
    private static func deviceKey(_ event: RecordedEvent) -> PublicKeyBytes? {
        if let key = event.data["employeeKey"]?.bytes { return PublicKeyBytes(key) }
        let challenge = event.data["challenge"]?.bytes.flatMap { try? Challenge(kept: $0) }
        return challenge.flatMap { PublicKeyBytes($0.fields.employeeKey.bytes) }
    }

    private mutating func presented(_ event: RecordedEvent, _ user: (EmployeeID) -> UUID?) -> String? {
        guard let payload = try? EventCodec.payload(of: event) as? EmployeeKeyPresented else { return nil }
        append?.keyless[payload.employeeID.uuid] = nil
        guard flows.insert(payload.flow.uuid).inserted else { return Self.uncausedKey }
        let fingerprint = KeyFingerprint(of: payload.key)
        waits.prove(
            payload.flow.uuid, by: payload.employeeID.uuid, with: fingerprint, ofSecret: false, at: event.time)
        guard let user = user(payload.employeeID) else { return nil }
        let need = Need(user: user, key: fingerprint, flow: payload.flow.uuid)
        let place = place(event, Self.uncausedKey)
        append?.open.append(Open(employee: payload.employeeID, need: need, place: place))
        return nil
    }

    private mutating func opened(_ event: RecordedEvent, _ user: (EmployeeID) -> UUID?) -> String? {
        guard event.streamVersion == 1 else { return Self.uncausedSession }
        guard let employee = event.data["employeeId"]?.uuid.map({ EmployeeID($0) }),
            case .string(let text)? = event.data["fingerprint"], let key = KeyFingerprint(hex: text),
            let user = user(employee)
        else { return nil }
        let need = Need(user: user, key: key, app: event.app, requestID: event.requestId)
        let place = place(event, Self.uncausedSession)
        append?.open.append(Open(employee: employee, session: event.stream.id, need: need, place: place))
        return nil
    }

    private mutating func waited(_ event: RecordedEvent) -> String? {
        guard let payload = try? EventCodec.payload(of: event) as? WaitEnded else { return nil }
        if let words = waits.end(payload, at: event.time) { return words }
        let wait = Wait(
            employee: payload.employeeID, key: KeyFingerprint(of: payload.key),
            place: place(event, WaitTrail.sessionless))
        append?.waits[payload.sessionID.uuid] = wait
        return nil
    }

    private mutating func confirmed(_ event: RecordedEvent) -> String? {
        guard let payload = try? EventCodec.payload(of: event) as? DeviceMailConfirmed else { return nil }
        if let words = waits.confirm(payload, at: event.time) { return words }
        let device = Device(employee: payload.employeeID.uuid, key: payload.fingerprint)
        let unvouched = place(event, WaitTrail.unvouched)
        append?.mailed[device] = unvouched
        return nil
    }

    /// Takes the authorization of a key by an app, which a confirmation of the same append stands before.
    private mutating func vouched(_ event: RecordedEvent, _ key: PublicKeyBytes) {
        guard append?.mailed.isEmpty == false,
            let payload = try? EventCodec.payload(of: event) as? EmployeeKeyAuthorized,
            case .app = payload.by
        else { return }
        append?.mailed[Device(employee: event.stream.id, key: KeyFingerprint(of: key))] = nil
    }

    private func place(_ event: RecordedEvent, _ words: String) -> Place {
        Place(ledger: event.ledger, position: event.position, words: words)
    }

    /// Ends an append: what has no cause in it needs one in the user's directory.
    private mutating func close(next: Append?) {
        defer { append = next }
        guard var append else { return }
        alone += append.keyless.values
        for open in append.open {
            if let session = open.session, let wait = append.waits[session], wait.employee == open.employee,
                wait.key == open.need.key
            {
                append.waits[session]?.isUsed = true
            } else if !isCaused(open, &append) {
                needs[open.need, default: []].append(open.place)
            }
        }
        alone += append.waits.values.filter { !$0.isUsed }.map(\.place) + append.mailed.values
    }

    /// A proof opens one session, of the person who gave it, on the device that signed it.
    private func isCaused(_ open: Open, _ append: inout Append) -> Bool {
        if let flow = open.need.flow { return append.validated[flow]?.key == open.need.key }
        let proof = append.validated.first { _, proof in
            proof.key == open.need.key && !proof.isUsed && proof.employee ?? open.employee.uuid == open.employee.uuid
        }
        if let proof { append.validated[proof.key]?.isUsed = true }
        return proof != nil || append.registered.contains(open.employee.uuid)
            || append.authorized.contains {
                $0.employee == open.employee.uuid && KeyFingerprint(of: $0.key) == open.need.key
            }
    }

    /// Notes that a tenant's ledger was read completely.
    mutating func complete(_ company: LedgerID) {
        close(next: nil)
        ends[company] = last ?? .earliest
        flows = []
        waits = WaitTrail()
    }

    /// The events without another one beside them, after a tenant's ledger was read.
    var unresolved: [Violation] { Self.violations(alone) }

    // MARK: Directories

    /// Takes an event of a directory, and returns what is wrong with it or `nil`.
    mutating func match(_ event: RecordedEvent) -> String? {
        switch event.type {
        case CredentialsSet.type, CredentialsChanged.type:
            if !needs.isEmpty { supply(event) }
            return nil
        case EmailReleased.type: return released(event)
        case AddressProved.type:
            if let flow = event.data["flow"]?.uuid { addressed.insert(flow) }
            return nil
        case AttemptsCleared.type: return cleared(event)
        default: return nil
        }
    }

    /// Attempts are given back in the append that records the proof.
    private func cleared(_ event: RecordedEvent) -> String? {
        guard isComplete, let flow = event.data["flow"]?.uuid, !proofs.contains(flow), !addressed.contains(flow) else {
            return nil
        }
        // The directory may be ahead by what was appended after the tenants' ledgers were read.
        return readSince.map { event.time < $0 } ?? true ? Self.uncausedRefund : nil
    }

    private mutating func supply(_ event: RecordedEvent) {
        guard let challenge = event.data["challenge"]?.bytes.flatMap({ try? Challenge(kept: $0) }),
            let key = PublicKeyBytes(challenge.fields.employeeKey.bytes)
        else { return }
        let user = event.stream.id, fingerprint = KeyFingerprint(of: key)
        supply(Need(user: user, key: fingerprint, flow: challenge.fields.flow))
        supply(Need(user: user, key: fingerprint, app: event.app, requestID: event.requestId))
    }

    private mutating func supply(_ need: Need) {
        guard let places = needs[need] else { return }
        needs[need] = places.count > 1 ? Array(places.dropFirst()) : nil
    }

    private mutating func released(_ event: RecordedEvent) -> String? {
        guard let payload = try? EventCodec.payload(of: event) as? EmailReleased else { return nil }
        let tenant = LedgerID(payload.tenant.uuid)
        if releases[payload.cause] == event.stream.id {
            releases[payload.cause] = nil
            return nil
        }
        guard let end = ends[tenant] else { return isComplete ? Self.uncausedRelease : nil }
        // The directory may be ahead by what was appended after the tenant's ledger was read.
        return event.time < max(end, readSince ?? end) ? Self.uncausedRelease : nil
    }

    mutating func merge(_ other: CauseTrail) {
        needs.merge(other.needs) { $0 + $1 }
        proofs.formUnion(other.proofs)
        releases.merge(other.releases) { first, _ in first }
        ends.merge(other.ends) { first, _ in first }
    }

    /// The directories that must have the causes.
    var directories: Set<LedgerID> { Set(needs.keys.map { .directory(of: UserID($0.user)) }) }

    /// The users who must have the causes.
    var users: Set<UUID> { Set(needs.keys.map(\.user)) }

    /// The part that concerns one directory.
    func part(of directory: LedgerID) -> CauseTrail {
        var part = self
        part.needs = needs.filter { LedgerID.directory(of: UserID($0.key.user)) == directory }
        part.releases = releases.filter { LedgerID.directory(of: UserID($0.value)) == directory }
        return part
    }

    /// The events without a cause, after a whole directory was read.
    var violations: [Violation] { Self.violations(needs.values.flatMap(\.self)) }

    private static func violations(_ places: [Place]) -> [Violation] {
        places.sorted { ($0.ledger, $0.position) < ($1.ledger, $1.position) }.map {
            Violation(.signature, ledger: $0.ledger, position: $0.position, $0.words)
        }
    }
}
