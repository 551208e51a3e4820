import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import Projections

/// Takes a company-owned e-mail back from its user.
///
/// In one append the employees of that user in the company are cancelled with keys and sessions, the user loses the
/// address, and the address becomes free. It guards the user's stream, which every registration of that user guards
/// too; so no account is made with an address that has gone.
struct ReclaimEmail: Sendable {
    let context: ServiceContext

    func run(
        _ email: String, reason: String, company: String, caller: Caller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> Decision {
        let address = try parsed { () throws(ValueError) in try EmailAddress(email) }
        let reason = try parsed { () throws(ValueError) in try FreeText(reason) }
        do {
            return try await optimistic {
                try await reclaim(address, reason, company, caller, call, ticket)
            }
        } catch let error as LedgerError where error.code == .claimMissing {
            throw ServiceError(.emailNotReclaimable)
        }
    }

    private func reclaim(
        _ address: EmailAddress, _ reason: FreeText, _ company: String, _ caller: Caller, _ call: Call,
        _ ticket: IdempotencyTicket?
    ) async throws -> Decision {
        let access = try await context.access(company, caller, role: .authorization)
        let tenant = access.tenant
        guard AdminAuthority.permits(access.decider) else { throw ServiceError(.authorizationNotPermitted) }
        let claimKey = context.ring.emailClaim(address)
        guard address.isOwned(by: access.name), let claim = try await context.reader.claim(claimKey) else {
            throw ServiceError(.emailNotReclaimable)
        }
        let user = try await StateLoader(reader: context.reader).user(UserID(claim.owner))
        var recorder = DecisionRecorder(context: context, access: access, call: call, ticket: ticket)
        var cause: UUID?
        var summary: EmployeeSummary?
        let members = try await context.employees(of: user.id, in: tenant.id)
        recorder.statements.append(context.stillEmployees(members.count, of: user.id, in: tenant.id))
        for id in members {
            guard let reclaimed = try await reclaimed(id, reason, access) else { continue }
            for event in reclaimed.events {
                let eventId = try recorder.add(
                    event.payload, to: .employee(id, in: tenant.id), version: reclaimed.version, keys: reclaimed.keys)
                guard case .emailReclaimed = event, cause == nil else { continue }
                cause = eventId
                summary = try await context.summary(of: reclaimed.after, in: tenant)
            }
            recorder.statements.append(OpenedSession.deletion(employee: id, tenant: tenant.id))
        }
        guard let cause else { throw ServiceError(.emailNotReclaimable) }
        for event in try decided({ () throws(User.Rejection) in
            try User.decide(user.state, .releaseEmail(tenant: tenant.id, cause: cause))
        }) {
            try recorder.add(event.payload, to: .user(user.id), version: user.version, keys: [:])
        }
        recorder.releases.append(ClaimRelease(key: claimKey, owner: user.id.uuid))
        return try await recorder.append(summary)
    }

    private struct Reclaimed {
        var events: [EmployeeEvent]
        var version: Int
        var keys: [UUID: PersonKey]
        var after: EmployeeSnapshot
    }

    /// The events for one of the user's employees: one who did not claim the address for the company is cancelled with
    /// those who did, because it is the same person; nil for one who is gone already.
    private func reclaimed(
        _ id: EmployeeID, _ reason: FreeText, _ access: CompanyAccess
    ) async throws -> Reclaimed? {
        let tenant = access.tenant
        let snapshot = try await StateLoader(reader: context.reader).employee(id, in: tenant.id)
        let keys = try await context.personKeys.load([id.uuid], ledger: tenant.id.uuid)
        // The decider compares the address with the confirmed domain, so this fold opens it.
        let state = Employee.fold(try snapshot.events.map { try EventCodec.decode($0, keys: keys) })
        let role = tenant.state.role(of: id)
        let command: Employee.Command =
            state.account?.isCompanyOwnedEmail == true
            ? .reclaimEmail(
                Employee.ReclaimEmail(
                    reason: reason, role: role, confirmedDomains: tenant.state.confirmedDomains,
                    caller: access.decider))
            : .cancel(Employee.Cancel(role: role, caller: access.decider))
        let events = try decided { () throws(Employee.Rejection) in try Employee.decide(state, command) }
        guard !events.isEmpty else { return nil }
        var after = snapshot
        for event in events {
            Employee.evolve(
                &after.state, Recorded(event, id: UUID(), time: .now(), position: .max, version: snapshot.version + 1))
        }
        return Reclaimed(events: events, version: snapshot.version, keys: keys, after: after)
    }
}
