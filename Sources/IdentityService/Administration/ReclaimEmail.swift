import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// Reclaims an address in the tenant's confirmed domain, whichever user claimed it, in which tenant and with whatever
/// flag.
///
/// M-Pin identities of the tenant whose user id is the address are revoked in the same append.
///
/// One append cancels the user's employees in the tenant with their keys, sessions and admin role, and releases the
/// address. Accounts in other tenants lose only the address. The append guards the user's stream, which every
/// registration of that user guards too. So no account is registered with an address that was reclaimed.
package struct ReclaimEmail: CallerUseCase {
    /// The address, the reason, and an admin's signature in the second call.
    package let request: EmailReclaimRequest
    package let company: String
    package let caller: Caller

    package init(_ request: EmailReclaimRequest, company: String, caller: Caller) {
        self.request = request
        self.company = company
        self.caller = caller
    }

    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let address = try parsed { () throws(ValueError) in try EmailAddress(request.email) }
        let text = try parsed { () throws(ValueError) in try FreeText(request.reason) }
        let context = run.context
        // Refusals are reported before an employee is asked to sign.
        var isAsked = false
        if case .employee = caller { isAsked = request.signed == nil }
        do {
            return try await run.decide(by: caller, request.signed) {
                let access = try await context.access(company, caller, role: .administration)
                try access.require(.reclaimEmail, about: .newcomer)
                let holders = AddressHolders(context: context)
                guard access.tenant.state.hasConfirmed(address), let holder = try await holders.holder(of: address)
                else { throw ServiceError(.emailNotReclaimable) }
                let user = try await StateLoader(reader: context.reader).user(holder)
                let releases = try await holders.releases(of: holder, address)
                // A former address that can still undo a change is nobody's to take.
                let claim = context.ring.addressClaim(address)
                guard !releases.isEmpty, releases.allSatisfy({ $0.key == claim }) else {
                    throw ServiceError(.emailNotReclaimable)
                }
                var reclaim = SignedDecision<Plan, DecisionResponse>(
                    access: access, decide: { [try await plan(address, text, of: user, access, $0, context)] },
                    statement: { $0.reclaim(from: user.id, reason: "reclaimed") },
                    record: { recorder, plans, decision in
                        recorder.releases += releases
                        return try await record(plans, address, of: user, decision, in: &recorder)
                    })
                if isAsked { reclaim.holding = { .done(nil, position: nil) } }
                return reclaim
            }
        } catch let error as LedgerError where error.code == .claimMissing {
            throw ServiceError(.emailNotReclaimable)
        }
    }

    /// What the reclaim does to the user's accounts in the tenant, and to M-Pin identities.
    private struct Plan {
        let identities: ReclaimedMPinIdentities
        let members: [EmployeeID]
        var accounts: [Reclaimed] = []
    }

    private func plan(
        _ address: EmailAddress, _ reason: FreeText, of user: UserSnapshot, _ access: CompanyAccess,
        _ decision: AuthorityDecision, _ context: ServiceContext
    ) async throws -> Plan {
        let identities = try await ReclaimedMPinIdentities(of: address, in: access, context)
        _ = try identities.decide(decision)
        var plan = Plan(identities: identities, members: try await context.employees(of: user.id, in: access.tenant.id))
        for id in plan.members {
            if let account = try await reclaimed(id, address, reason, access.tenant, decision, context) {
                plan.accounts.append(account)
            }
        }
        return plan
    }

    private func record(
        _ plans: [Plan], _ address: EmailAddress, of user: UserSnapshot, _ decision: AuthorityDecision,
        in recorder: inout DecisionRecorder<DecisionResponse>
    ) async throws -> DecisionResponse {
        let context = recorder.context, tenant = recorder.access.tenant
        var summary: EmployeeSummaryResponse?
        var company = tenant
        for plan in plans {
            // They are decided about first: what follows may end the role of the account that one is linked to.
            try plan.identities.record(decision, in: &recorder)
            recorder.statements.append(context.stillEmployees(plan.members.count, of: user.id, in: tenant.id))
            for account in plan.accounts {
                let employee = account.after.id
                for event in account.events {
                    try recorder.add(
                        event.payload, to: .employee(employee, in: tenant.id), version: account.after.version,
                        keys: account.keys)
                    switch event {
                    case .cancelled: try recorder.dismiss(account.after, from: &company, decision)
                    case .idReleased:
                        if let release = try account.release(in: tenant.id, context) {
                            recorder.releases.append(release)
                        }
                    default: break
                    }
                }
                if summary == nil { summary = try await context.summary(of: account.after, in: company) }
                recorder.statements.append(NewSession.deletion(employee: employee, tenant: tenant.id))
            }
        }
        if !recorder.events.contains(where: { $0.type == EmailReclaimed.type }) {
            try addressOnly(address, of: user.id, decision, &recorder, tenant)
        }
        let released = try User.decided(user.state, .releaseEmail(tenant: tenant.id))
        try recorder.add(released, to: .user(user.id), version: user.version)
        return try await recorder.append(summary)
    }

    private struct Reclaimed {
        var events: [EmployeeEvent]
        var keys: [UUID: PersonKey]
        var after: EmployeeSnapshot
        /// The employee id, decrypted.
        var name: String?

        /// The release of the employee id; `nil` if its text was erased.
        func release(in tenant: TenantID, _ context: ServiceContext) throws -> ClaimRelease? {
            guard let name, let id = try? CompanyEmployeeID(recorded: name) else { return nil }
            return ClaimRelease(key: context.ring.employeeClaim(id, in: tenant), owner: after.id.uuid)
        }
    }

    /// Records the reclaim in the tenant's own stream, because the user has no account in the tenant.
    private func addressOnly(
        _ address: EmailAddress, of user: UserID, _ decision: AuthorityDecision,
        _ recorder: inout DecisionRecorder<DecisionResponse>, _ tenant: TenantSnapshot
    ) throws {
        guard let reason = ReasonCode("reclaimed") else { throw ServiceError(.emailNotReclaimable) }
        let reclaim = Tenant.AddressReclaim(user: user, email: address, reason: reason)
        let events = try Tenant.decided(tenant.state, .reclaimAddress(reclaim, decision))
        guard let event = events.first else { throw ServiceError(.emailNotReclaimable) }
        try recorder.add(event.payload, to: .tenant(tenant.id), version: tenant.version, keys: [:])
    }

    /// The events for one of the user's employees; `nil` for one whose address is already reclaimed or erased.
    private func reclaimed(
        _ id: EmployeeID, _ address: EmailAddress, _ reason: FreeText, _ tenant: TenantSnapshot,
        _ decision: AuthorityDecision, _ context: ServiceContext
    ) async throws -> Reclaimed? {
        let snapshot = try await StateLoader(reader: context.reader).employee(id, in: tenant.id)
        let keys = try await context.personKeys.load([id.uuid], ledger: tenant.id.uuid)
        // The release of the claim on the id needs its text, so this fold decrypts it.
        let state = Employee.fold(try snapshot.events.map { try EventCodec.decode($0, keys: keys) })
        let by = Employee.StatusDecision(role: tenant.state.role(of: id), decision: decision)
        let command = Employee.Command.reclaimEmail(
            Employee.ReclaimEmail(
                reason: reason, address: address, confirmedDomains: tenant.state.confirmedDomains, by: by))
        let events = try Employee.decided(state, command)
        guard !events.isEmpty else { return nil }
        var after = snapshot
        after.apply(events, at: context.settings.now())
        return Reclaimed(events: events, keys: keys, after: after, name: state.account?.companyEmployeeID.text)
    }
}
