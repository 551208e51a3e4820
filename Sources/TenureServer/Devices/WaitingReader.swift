import Canonical
import EventCoding
import FoundationEssentials
import Identity
import IdentityService
import Keys
import Projections

/// Reads who waits for an admin of a tenant.
struct WaitingReader: Sendable {
    /// The number of rows that a list is made of; older ones wait until these are decided.
    static let most = 1_000
    let context: ServiceContext
    let views: Views

    /// Returns the entries in the order of lists.
    func entries(of tenant: TenantSnapshot, at time: Timestamp) async throws -> [WaitingEntry] {
        let devices = try await views.newestPending(of: tenant.id, limit: Self.most, at: time)
        let people = try await views.unapproved(in: tenant.id, limit: Self.most)
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
