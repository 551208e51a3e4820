import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import TenureAPI

/// Finds the failed attempts at an employee that the tenant may know of.
///
/// A person has one budget in all tenants, so one tenant sees only a part of it:
///
/// * attempts at its own employee from unknown devices, which the digest of the tenant's share tells,
/// * attempts from a device of the account that no other account of the person has, and
/// * attempts by the person's address.
///
/// Of the last two it sees only those through an app that it links, and none once the account has ended. The counts are
/// those of the tenant's share, or of all log-ins by the address, and say nothing about other tenants.
struct FailedAttempts: Sendable {
    /// The age from which attempts are left out.
    static let age: Duration = .seconds(7 * 86_400)
    /// The types that can be asked for.
    static let types = [AttemptCharged.type, CredentialsLocked.type]

    private let context: ServiceContext
    private let employee: EmployeeSnapshot
    private let attempts: PersonAttempts
    /// The digests of the shares of the tenant and of log-ins by the address.
    private let named: Set<Bytes32>, addressed: Set<Bytes32>
    /// The fingerprints of the account's device keys, and of those that no other account has.
    private let presented: Set<KeyFingerprint>, own: Set<KeyFingerprint>
    /// The apps whose other attempts the tenant may know of.
    private let apps: Set<AppID>

    init(
        at employee: EmployeeSnapshot, _ account: Employee.Account, in tenant: TenantSnapshot, _ context: ServiceContext
    )
        async throws
    {
        let attempts = try await PersonAttempts(of: account.user, context.reader)
        var others: Set<KeyFingerprint> = []
        for other in try await context.accounts(of: account.user) where other.employee != employee.id {
            let snapshot = try await StateLoader(reader: context.reader).employee(other.employee, in: other.tenant)
            others.formUnion(snapshot.state.keys.values.map(\.fingerprint))
        }
        func shares(of id: UUID) -> Set<Bytes32> {
            Set(attempts.credentials.compactMap { Bytes32(BudgetPart.digest(.tenant, of: $0, id.bytes, context.ring)) })
        }
        self.context = context
        self.employee = employee
        self.attempts = attempts
        named = shares(of: tenant.id.uuid)
        addressed = shares(of: attempts.directory.uuid)
        presented = Set(employee.state.keys.values.map(\.fingerprint))
        own = presented.subtracting(others)
        let hasEnded = account.isCancelled || account.isReleased || account.isReclaimed || account.isErased
        apps = hasEnded ? [] : tenant.state.linkedApps
    }

    /// Returns the attempts, or the locks that they led to, in the order of their times: the newest that the page takes.
    func run(_ query: EventQuery, at time: Timestamp) async throws -> PageResponse<EventResponse> {
        let directory = attempts.directory, reader = context.reader
        let (all, since) = try await Self.recent(
            from: try await reader.head(directory)?.size ?? 0, since: time.adding(.zero - Self.age)
        ) { try await reader.ledger(directory, after: $0, limit: PageEntries.filteredPage).events }
        let recorded = all.filter(attempts.contains)
        // A success gives the attempts of its flow back.
        let cleared = Set(recorded.filter { $0.type == AttemptsCleared.type }.map(\.stream.id))
        var known: Set<UUID> = []
        var items: [EventResponse] = []
        for event in recorded where !cleared.contains(event.stream.id) {
            if let asOf = query.asOf, event.time > asOf { break }
            switch try EventCodec.payload(of: event) {
            case let charge as AttemptCharged:
                guard let counts = counts(of: charge, through: event.app) else { continue }
                known.insert(event.stream.id)
                guard query.type == AttemptCharged.type else { continue }
                items.append(
                    view(
                        of: event, charge.device,
                        ["spent": .integer(Int64(counts.spent)), "limit": .integer(Int64(counts.limit))],
                        copying: presented.contains(charge.fingerprint) ? "fingerprint" : nil))
            case let lock as CredentialsLocked where known.contains(event.stream.id):
                guard query.type == CredentialsLocked.type else { continue }
                items.append(view(of: event, lock.device, copying: "until"))
            default: continue
            }
        }
        return PageResponse(items: items.suffix(query.page.limit), since: since)
    }

    /// What the tenant may know of a charge; `nil` if it may not know of it.
    private func counts(of charge: AttemptCharged, through app: UUID?) -> (spent: Int, limit: Int)? {
        if let share = charge.shares?.first(where: { named.contains($0.share) }) { return (share.spent, share.limit) }
        guard let app, apps.contains(AppID(app)) else { return nil }
        switch charge.device {
        case .known: return own.contains(charge.fingerprint) ? (charge.spent, charge.limit) : nil
        case .unknown:
            return charge.shares?.first { addressed.contains($0.share) }.map { (spent: $0.spent, limit: $0.limit) }
        }
    }

    /// Reads the end of a ledger, up to as many events as a filtered list reads, in the order of positions.
    ///
    /// Types are compared by the caller: without an index the database would read the rest of the ledger each time.
    ///
    /// - Parameters:
    ///   - size: The size of the ledger.
    ///   - page: Reads the events after a position.
    /// - Returns: The events, and the time from which they are complete unless that is `earliest`. It is raised to the
    ///   hour, because other companies' people are in the directory too.
    static func recent(
        from size: Int64, since earliest: Timestamp, pages: Int = PageEntries.maximumPages,
        _ page: (_ position: Int64) async throws -> [RecordedEvent]
    ) async throws -> (events: [RecordedEvent], since: Timestamp?) {
        var found: [RecordedEvent] = []
        var last = size, oldest: Timestamp?
        for _ in 0..<pages where last > 0 {
            let before = max(0, last - Int64(PageEntries.filteredPage))
            let events = try await page(before).filter { $0.position <= last }
            found = events.filter { $0.time >= earliest } + found
            oldest = events.first?.time ?? oldest
            last = before
            if let oldest, oldest < earliest { return (found, nil) }
        }
        guard last > 0, let oldest else { return (found, nil) }
        let hour: Int64 = 3_600_000_000
        return (found, Timestamp(microseconds: (oldest.microseconds + hour - 1) / hour * hour))
    }

    /// The event as the tenant sees it. It has no position, because it is not in the tenant's ledger.
    private func view(
        of event: RecordedEvent, _ device: DeviceKind, _ members: [String: JSONValue] = [:], copying name: String?
    ) -> EventResponse {
        var members = members
        members["employeeId"] = employee.id.json
        members["device"] = .string(device.rawValue)
        if let name { members[name] = event.data[name] }
        return EventResponse(
            position: 0, eventId: event.id, type: event.type, stream: event.stream.text,
            streamVersion: Int64(event.streamVersion), time: event.time, app: event.app, requestId: event.requestId,
            data: .object(members))
    }
}
