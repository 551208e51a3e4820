import Canonical
import FoundationEssentials
import Identity
import Ledger

/// The decisions about recoveries, which stand in a company's ledger and, the same, in the user's directory.
///
/// Companies are read first: what a directory has must have been in the company's ledger, and what a company's ledger has
/// must come in the directory.
struct RecoveryCopies: Sendable {
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
    /// The companies whose ledgers were read from the beginning to the end.
    private var companies: Set<LedgerID> = []
    /// The time of the last event that was looked at in each: what came later in a directory may not have been there yet.
    private var times: [LedgerID: Timestamp] = [:]

    /// Takes an event of a company's ledger.
    mutating func follow(_ event: RecordedEvent) {
        times[event.ledger] = event.time
        guard let copy = Copy(event) else { return }
        places[copy] = Place(ledger: event.ledger, position: event.position)
    }

    /// Takes an event of a directory's ledger; says what is wrong, or nil.
    mutating func match(_ event: RecordedEvent) -> String? {
        guard let copy = Copy(event), let tenant = event.data["tenant"]?.uuid else { return nil }
        guard places.removeValue(forKey: copy) == nil, companies.contains(LedgerID(tenant)),
            let last = times[LedgerID(tenant)], event.time < last
        else { return nil }
        return "the company's ledger has no such decision about a recovery"
    }

    /// Notes that a company's ledger was read whole.
    mutating func complete(_ company: LedgerID) { companies.insert(company) }

    mutating func merge(_ other: RecoveryCopies) {
        places.merge(other.places) { first, _ in first }
        companies.formUnion(other.companies)
        times.merge(other.times) { first, _ in first }
    }

    /// The directories that have the other halves.
    var directories: Set<LedgerID> { Set(places.keys.map { .directory(of: UserID($0.user)) }) }

    /// Whose recoveries they are.
    var users: Set<UUID> { Set(places.keys.map(\.user)) }

    /// Those whose other halves lie in a directory.
    func part(of directory: LedgerID) -> RecoveryCopies {
        var part = self
        part.places = places.filter { LedgerID.directory(of: UserID($0.key.user)) == directory }
        return part
    }

    /// What did not come, once a whole directory was read.
    var violations: [Violation] {
        places.values.map { place in
            Violation(
                .signature, ledger: place.ledger, position: place.position,
                "the user's directory has no such decision about a recovery")
        }
    }
}
