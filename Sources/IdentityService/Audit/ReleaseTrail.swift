import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// What tenants' ledgers permit in directories: released addresses, and attempts that are given back.
struct ReleaseTrail: Sendable {
    static let uncausedRefund = "attempts are given back without a proof"

    /// The flows in which a secret was proved, in a tenant's ledger or to a directory.
    private var proofs: Set<UUID> = [], addressed: Set<UUID> = []
    /// The users whose address an event of a tenant's ledger may release, by the event's id.
    private var releases: [UUID: UUID] = [:]
    /// The tenants whose ledgers were read completely, with the time of the last event.
    private var ends: [LedgerID: Timestamp] = [:]
    /// When the verification of a database began, less what an append may take: what is older was read.
    var readSince: Timestamp?
    /// Whether all tenants' ledgers were read.
    var isComplete = false

    /// Takes an event of a tenant's ledger.
    mutating func follow(_ event: RecordedEvent, _ facts: CauseFacts) {
        if CauseTable.proofs.contains(event.type) { proofs.insert(event.stream.id) }
        if CauseTable.releasing.contains(event.type) { releases[event.id] = facts.user }
    }

    /// Notes that a tenant's ledger was read completely.
    mutating func complete(_ company: LedgerID, _ last: Timestamp?) { ends[company] = last ?? .earliest }

    /// Takes an event of a directory, and returns what is wrong with it or `nil`.
    mutating func match(_ event: RecordedEvent) -> String? {
        switch event.type {
        case EmailReleased.type: return released(event)
        case AddressProved.type:
            if let flow = event.data["flow"]?.uuid { addressed.insert(flow) }
            return nil
        case AttemptsCleared.type: return cleared(event)
        // Nothing else in a directory has a cause, unless one statement decided both.
        default: return event.causes.isEmpty || event.data["by"] != nil ? nil : CauseTable.wrong
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

    mutating func merge(_ other: ReleaseTrail) {
        proofs.formUnion(other.proofs)
        releases.merge(other.releases) { first, _ in first }
        ends.merge(other.ends) { first, _ in first }
    }

    /// The part that concerns one directory.
    func part(of directory: LedgerID) -> ReleaseTrail {
        var part = self
        part.releases = releases.filter { LedgerID.directory(of: UserID($0.value)) == directory }
        return part
    }
}
