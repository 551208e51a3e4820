import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import Projections

extension Erasure {
    /// Erases one employee; nil when there is none.
    ///
    /// The event, the end of sessions and of the membership are one append; the key is destroyed after it. In between
    /// nothing new can be sealed under the key: whoever does that guards the employee's stream.
    func erase(
        _ id: EmployeeID, in tenant: TenantID, includingSecurityAdmins: Bool
    ) async throws -> Erased? {
        let entry = ErasureList.Entry(kind: .employee, ledger: tenant.uuid, id: id.uuid, time: .now())
        let exists = try await optimistic {
            try await record(id, in: tenant, entry, includingSecurityAdmins: includingSecurityAdmins)
        }
        guard exists else { return nil }
        try await destroyPersonKey(entry)
        return try await complete(entry)
    }

    private func record(
        _ id: EmployeeID, in tenant: TenantID, _ entry: ErasureList.Entry, includingSecurityAdmins: Bool
    ) async throws -> Bool {
        let loader = StateLoader(reader: context.reader)
        let employee = try await loader.employee(id, in: tenant)
        guard let account = employee.state.account else { return false }
        let company = try await loader.tenant(tenant)
        let command = Employee.Erase(
            role: company.state.role(of: id), includesSecurityAdmin: includingSecurityAdmins, caller: .operator)
        let decided: [EmployeeEvent]
        do {
            decided = try Employee.decide(employee.state, .erase(command))
        } catch {
            guard error == .securityAdmin else { throw ServiceError(error) }
            throw ErasureError(code: .securityAdmin)
        }
        let presented = employee.state.keys.keys.map { PresentedKey($0.bytes, of: id, in: tenant).deletion }
        guard !decided.isEmpty else {
            try await note(entry)
            // A version before these claims may have recorded it.
            _ = try await context.pool.pipeline(presented, in: [LedgerID(tenant.uuid)])
            return true
        }
        let stream = StreamID.employee(id, in: tenant)
        let events = try decided.map {
            try EventCodec.encode($0.payload, id: UUID(), stream: stream, keys: [:], metadata: EventMetadata())
        }
        let member = context.ring.memberClaim(id, of: account.user, in: tenant)
        let record = context.ring.accountClaim(id, of: account.user, in: tenant)
        let isMember = try await context.reader.claim(member.key) != nil
        let user = try await loader.user(account.user)
        let budgets = AttemptBudget.deletions(
            credentials: user.state.everyCredential, devices: Array(employee.state.keys.keys), of: account.user,
            ring: context.ring)
        let append = Append(
            events: events, expectations: [stream: employee.version, .tenant(tenant): company.version],
            releases: isMember
                ? [member, record].map { ClaimRelease(key: $0.key, owner: account.user.uuid) } : [], time: entry.time,
            effectLedgers: [.directory(of: account.user)],
            effects: { _ in
                budgets + presented + [
                    OpenedSession.deletion(employee: id, tenant: tenant), ErasureRow.insertion(entry),
                ]
            })
        _ = try await context.appender.append(append)
        return true
    }
}
