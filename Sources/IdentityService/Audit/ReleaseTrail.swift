import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// What tenants' ledgers permit in directories: addresses that are released, give way or change, and attempts that are
/// given back.
struct ReleaseTrail: Sendable {
    /// How far the times of two ledgers may be apart.
    private static let slack = Duration.seconds(60)
    static let uncausedRefund = "attempts are given back without a proof"

    /// The flows in which a secret was proved, in a tenant's ledger or to a directory.
    private var proofs: Set<UUID> = [], addressed: Set<UUID> = []
    /// The users whose address an event of a tenant's ledger may release, by the event's id.
    private var releases: [UUID: UUID] = [:]
    /// The users whose address a signed event of a tenant's ledger may change, by the event's id.
    private var changes: [UUID: UUID] = [:]
    /// The changes of the directory that can be undone, by user.
    private var undoable: [UUID: (position: Int64, until: Timestamp)] = [:]
    /// When changes of the directory brought the address of a user and the one before it; `nil` for one of the
    /// registration.
    private var ages: [UUID: (own: Timestamp?, former: Timestamp?)] = [:]
    /// When somebody else first vouched for a user, or an admin confirmed the address.
    private var vouched: [UUID: Timestamp] = [:]
    /// The users of the directory with a confirmed address.
    private var confirmed: Set<UUID> = []
    /// The users whose M-Pin identities ended because their address gave way, with all these ends.
    private var ended: [UUID: [(time: Timestamp, violation: Violation)]] = [:]
    /// The proofs of mailboxes in the present append of the directory, with the users who gave them, and the users whom
    /// it made.
    private var mailboxes: (time: Timestamp?, users: [UUID: UUID], new: Set<UUID>) = (nil, [:], [])
    /// The tenants whose ledgers were read completely, with the time of the last event.
    private var ends: [LedgerID: Timestamp] = [:]
    /// When the verification of a database began, less what an append may take: what is older was read.
    var readSince: Timestamp?
    /// Whether all tenants' ledgers were read.
    var isComplete = false

    /// An address that gave way to somebody who was a user before, whose stream has the cause.
    struct Given: Sendable {
        let cause: UUID, claimant: UUID, time: Timestamp, violation: Violation

        /// Whether the stream of the claimant has the cause: their first confirmation. One who registered without a
        /// secret takes the address with it.
        func isCaused(by events: some Collection<RecordedEvent>) -> Bool {
            guard events.first?.type == CredentialsSet.type, events.first?.data["secretless"] != nil,
                let event = events.first(where: { $0.type == EmailVerified.type }), event.id == cause
            else { return false }
            return event.time <= time.adding(slack) && time <= event.time.adding(slack)
        }
    }
    var given: [Given] = []

    /// Takes an event of a tenant's ledger.
    mutating func follow(
        _ event: RecordedEvent, _ facts: CauseFacts, _ accounts: [EmployeeID: Employee.State]
    ) {
        vouch(event, facts, accounts)
        if event.type == MPinRevoked.type, event.data["reason"] == "gaveWay", let user = facts.user {
            let violation = Violation(
                .signature, ledger: event.ledger, position: event.position, CauseTable.keptPIN)
            ended[user, default: []].append((event.time, violation))
        }
        if CauseTable.proofs.contains(event.type) { proofs.insert(event.stream.id) }
        if event.type == EmployeeEmailChanged.type, !facts.follows { changes[event.id] = facts.user }
        if CauseTable.releasing.contains(event.type) { releases[event.id] = facts.user }
    }

    /// A key that an app, the operator or another person authorizes connects its holder with the address. Further
    /// accounts of the holder do not.
    private mutating func vouch(
        _ event: RecordedEvent, _ facts: CauseFacts, _ accounts: [EmployeeID: Employee.State]
    ) {
        guard let user = facts.user, vouched[user] == nil else { return }
        let counts: Bool
        switch (event.type, event.data["by"]?["kind"]) {
        case (EmployeeKeyAuthorized.type, "app"?), (EmployeeKeyAuthorized.type, "operator"?): counts = true
        case (EmployeeKeyAuthorized.type, "employee"?):
            let signer = event.data["by"]?["employee"]?.uuid.flatMap { accounts[EmployeeID($0)]?.account?.user.uuid }
            counts = signer != user
        case (EmployeeApproved.type, _): counts = event.data["emailVerified"] == true
        default: counts = false
        }
        if counts { vouched[user] = event.time }
    }

    /// Notes that a tenant's ledger was read completely.
    mutating func complete(_ company: LedgerID, _ last: Timestamp?) { ends[company] = last ?? .earliest }

    /// Takes an event of a directory, and returns what is wrong with it or `nil`.
    mutating func match(_ event: RecordedEvent) -> String? {
        if mailboxes.time != event.time { mailboxes = (event.time, [:], []) }
        switch event.type {
        case CredentialsSet.type:
            if event.streamVersion == 1 { mailboxes.new.insert(event.stream.id) }
            return event.causes.isEmpty ? nil : CauseTable.wrong
        case EmailReleased.type:
            confirmed.remove(event.stream.id)
            return released(event)
        case EmailVerified.type:
            confirmed.insert(event.stream.id)
            // Only a new user proves a mailbox in the append that takes the address, in the event after the first one.
            if event.streamVersion == 2, event.data["address"] == nil, mailboxes.new.contains(event.stream.id) {
                mailboxes.users[event.id] = event.stream.id
            }
            return event.causes.isEmpty ? nil : CauseTable.wrong
        case EmailGaveWay.type: return gaveWay(event)
        case EmailChanged.type: return changed(event)
        case EmailChangeUndone.type: return undone(event)
        case AddressProved.type:
            if let flow = event.data["flow"]?.uuid { addressed.insert(flow) }
            return nil
        case AttemptsCleared.type: return cleared(event)
        // Nothing else in a directory has a cause, unless one statement decided both.
        default: return event.causes.isEmpty || event.data["by"] != nil ? nil : CauseTable.wrong
        }
    }

    /// Whether an event of a directory is so old that what came before it in tenants' ledgers was read. A directory may be
    /// ahead by what was appended after they were.
    func isRead(_ event: RecordedEvent) -> Bool { readSince.map { event.time < $0 } ?? true }

    /// Attempts are given back in the append that records the proof.
    private func cleared(_ event: RecordedEvent) -> String? {
        guard isComplete, let flow = event.data["flow"]?.uuid, !proofs.contains(flow), !addressed.contains(flow) else {
            return nil
        }
        return isRead(event) ? Self.uncausedRefund : nil
    }

    /// The signed decision of a user changes their address once, and while nobody can undo another change.
    private mutating func changed(_ event: RecordedEvent) -> String? {
        let user = event.stream.id, isOpen = undoable[user].map { event.time < $0.until } ?? false
        let isWrong = hasWrongUndo(event)
        confirmed.insert(user)
        ages[user] = (event.time, ages[user]?.own)
        undoable[user] = nil
        if case .string(let text)? = event.data["undoUntil"], let until = Timestamp(text) {
            undoable[user] = (event.position, min(until, event.time.adding(User.undoWindow)))
        }
        if isOpen { return CauseTable.openChange }
        guard event.causes.count == 1, let cause = event.causes.first else { return CauseTable.uncausedChange }
        if changes[cause] == user {
            changes[cause] = nil
            return isWrong ? CauseTable.wrongUndo : nil
        }
        return isComplete && isRead(event) ? CauseTable.uncausedChange : nil
    }

    /// Whether a change gives the former address a right that it has not, or omits one that it has. An address that an
    /// admin's approval confirmed may have it: which one was approved, the tenant's ledger alone knows.
    private func hasWrongUndo(_ event: RecordedEvent) -> Bool {
        let user = event.stream.id, settled = ages[user]?.own.map { $0.adding(User.undoWindow) }
        guard event.data["undoUntil"] == nil else {
            if let settled, event.time < settled { return true }
            return !confirmed.contains(user) && vouched[user] == nil && isComplete && isRead(event)
        }
        // The decision may be a little older than its event.
        return confirmed.contains(user) && settled.map { $0.adding(Self.slack) <= event.time } ?? true
    }

    /// A change is undone once, in its time.
    private mutating func undone(_ event: RecordedEvent) -> String? {
        guard event.causes.isEmpty else { return CauseTable.wrong }
        guard let change = undoable.removeValue(forKey: event.stream.id),
            event.data["change"] == .integer(change.position), event.time < change.until.adding(Self.slack)
        else { return CauseTable.lateUndo }
        confirmed.insert(event.stream.id)
        ages[event.stream.id] = (ages[event.stream.id]?.former, nil)
        return nil
    }

    /// The decision of a tenant releases the address of one user, once.
    private mutating func released(_ event: RecordedEvent) -> String? {
        guard event.causes.count == 1, let cause = event.causes.first else { return CauseTable.uncausedRelease }
        if releases[cause] == event.stream.id {
            releases[cause] = nil
            return nil
        }
        guard let tenant = event.data["tenant"]?.uuid, let end = ends[LedgerID(tenant)] else {
            return isComplete ? CauseTable.uncausedRelease : nil
        }
        // The directory may be ahead by what was appended after the tenant's ledger was read.
        return event.time < max(end, readSince ?? end) ? CauseTable.uncausedRelease : nil
    }

    /// A new user with an id in the same directory proved the mailbox in the same append, once, or a user who was there
    /// before confirmed the address; see ``given``. Nobody vouched for the holder before. M-Pin identities that ended at another time did so for another reason.
    private mutating func gaveWay(_ event: RecordedEvent) -> String? {
        let holder = event.stream.id, wasConfirmed = confirmed.remove(holder) != nil
        ended[holder]?.removeAll {
            $0.time <= event.time.adding(Self.slack) && event.time <= $0.time.adding(Self.slack)
        }
        // An authorization of the moments before may have got a later time in its own ledger.
        if wasConfirmed || vouched[holder].map({ $0.adding(Self.slack) < event.time }) ?? false {
            return CauseTable.vouchedLost
        }
        guard event.causes.count == 1, let cause = event.causes.first else { return CauseTable.uncausedGivingWay }
        guard let claimant = mailboxes.users.removeValue(forKey: cause) else {
            // Of a single tenant only its users' streams are read.
            guard isComplete else { return nil }
            guard let claimant = event.data["claimant"]?.uuid, claimant != holder,
                !given.contains(where: { $0.cause == cause })
            else { return CauseTable.uncausedGivingWay }
            let violation = Violation(
                .signature, ledger: event.ledger, position: event.position, CauseTable.uncausedGivingWay)
            given.append(Given(cause: cause, claimant: claimant, time: event.time, violation: violation))
            return nil
        }
        return claimant == event.data["claimant"]?.uuid && claimant != holder ? nil : CauseTable.uncausedGivingWay
    }

    mutating func merge(_ other: ReleaseTrail) {
        proofs.formUnion(other.proofs)
        releases.merge(other.releases) { first, _ in first }
        changes.merge(other.changes) { first, _ in first }
        ends.merge(other.ends) { first, _ in first }
        vouched.merge(other.vouched) { min($0, $1) }
        ended.merge(other.ended) { $0 + $1 }
        given += other.given
    }

    /// The users whose directories must say that their address gave way.
    var users: Set<UUID> { Set(ended.keys) }

    /// The ends of M-Pin identities without that, after a whole directory was read.
    var violations: [Violation] { ended.values.joined().map(\.violation) }

    /// The part that concerns one directory.
    func part(of directory: LedgerID) -> ReleaseTrail {
        var part = self
        part.releases = releases.filter { LedgerID.directory(of: UserID($0.value)) == directory }
        part.changes = changes.filter { LedgerID.directory(of: UserID($0.value)) == directory }
        part.ended = ended.filter { LedgerID.directory(of: UserID($0.key)) == directory }
        return part
    }
}
