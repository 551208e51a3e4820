import Canonical
import EventCoding
import FoundationEssentials
import Identity
import IdentityService
import Keys
import Projections

/// Reads who waits for an admin of a tenant.
struct WaitingReader: Sendable {
    /// The number of rows that a list is made of; older ones wait until these are decided. As many rows of people who
    /// were invited or whose address is confirmed are in it besides, whoever came after them.
    static let most = 1_000
    /// The number of people among whom those are looked for.
    static let mostPeople = 100_000
    let context: ServiceContext
    let views: Views

    /// Returns the entries in the order of lists.
    func entries(of tenant: TenantSnapshot, at time: Timestamp) async throws -> [WaitingEntry] {
        let (devices, people) = try await rows(of: tenant.id, at: time)
        let rows = devices.compactMap(\.employee) + people
        let facts = try await WaitingFacts.load(
            employees: Set(rows.map(\.id)), users: Set(rows.map(\.user)),
            flows: Set(devices.map(\.authorization.flow)), in: tenant.id, context)
        let keys = try await context.personKeys.load(rows.map(\.id.uuid), ledger: tenant.id.uuid)
        let known = try await views.employeesWithDevices(Set(rows.map(\.id)), in: tenant.id)
        let waiting = Set(devices.compactMap { $0.employee?.id })
        var entries: [WaitingEntry] = []
        for entry in devices {
            guard let row = entry.employee else { continue }
            let key = entry.authorization
            let device = WaitingEntry.Device(
                fingerprint: Hex.encode(ServiceContext.fingerprint(of: key.key)), name: nil,
                network: facts.networks[key.flow] ?? "", expiresAt: key.expiresAt)
            entries.append(
                try self.entry(row, device, since: key.presentedAt, tenant, facts, keys, isNew: !known.contains(row.id))
            )
        }
        for row in people where !waiting.contains(row.id) {
            entries.append(
                try entry(row, nil, since: row.registeredAt, tenant, facts, keys, isNew: !known.contains(row.id)))
        }
        return entries.inOrder
    }

    /// The newest rows, and beyond these the newest of people who were invited or whose address is confirmed.
    private func rows(
        of tenant: TenantID, at time: Timestamp
    ) async throws -> (devices: [PendingAuthorizationEntry], people: [EmployeeRow]) {
        var devices = try await views.newestPending(of: tenant, limit: Self.most, at: time)
        var people = try await views.unapproved(in: tenant, limit: Self.most)
        guard max(devices.count, people.count) >= Self.most else { return (devices, people) }
        let waiting = try await views.waitingPeople(in: tenant, limit: Self.mostPeople, at: time)
        let vouched = try await WaitingFacts.vouched(among: waiting, in: tenant, context)
        let keys = Set(devices.map(\.authorization.presented.position)), ids = Set(people.map(\.id))
        devices += try await views.newestPending(of: tenant, among: vouched, limit: Self.most, at: time)
            .filter { !keys.contains($0.authorization.presented.position) }
        people += try await views.unapproved(in: tenant, among: vouched, limit: Self.most)
            .filter { !ids.contains($0.id) }
        return (devices, people)
    }

    private func entry(
        _ row: EmployeeRow, _ device: WaitingEntry.Device?, since: Timestamp, _ tenant: TenantSnapshot,
        _ facts: WaitingFacts, _ keys: [UUID: PersonKey], isNew: Bool
    ) throws -> WaitingEntry {
        let address = row.isReclaimed ? nil : try row.email.open(with: keys, in: tenant.id.uuid)
        let isOfDomain = address.flatMap { try? EmailAddress(recorded: $0) }.map { tenant.state.hasConfirmed($0) }
        return WaitingEntry(
            employee: row.id.uuid,
            companyEmployeeId: try row.companyEmployeeID.open(with: keys, in: tenant.id.uuid) ?? "",
            address: address ?? "", isAddressConfirmed: row.isEmailVerified || facts.confirmed.contains(row.user),
            needsApproval: row.status == .registered, isNewPerson: isNew,
            isAdministrative: row.role.isAdministrative,
            origin: facts.invited.contains(row.id) ? .invited : isOfDomain == true ? .domain : .open, device: device,
            since: since)
    }
}
