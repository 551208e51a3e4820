import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Reclaims an address in the tenant's confirmed domain, whichever user claimed it, in which tenant and with whatever
/// flag.
///
/// M-Pin identities of the tenant whose user id is the address are revoked in the same append.
///
/// One append cancels the user's employees in the tenant with their keys, sessions and admin role, and releases the
/// address. Accounts in other tenants lose only the address. The append guards the user's stream, which every
/// registration of that user guards too. So no account is registered with an address that was reclaimed.
public struct ReclaimEmail: RepeatableUseCase {
    /// The address.
    public let email: String
    /// A free text that says why.
    public let reason: String
    /// The tenant's name.
    public let company: String
    /// The statement and an admin's signature over it, in the second call.
    public let signed: SubmittedStatement?
    /// The app or admin that decides.
    public let caller: Caller

    /// Each parameter sets the property of the same name.
    public init(
        email: String, reason: String, company: String, signed: SubmittedStatement? = nil, caller: Caller
    ) {
        self.email = email
        self.reason = reason
        self.company = company
        self.signed = signed
        self.caller = caller
    }

    /// The caller.
    public func keyOwner(in context: ServiceContext) -> String? { caller.keyOwner }

    /// Makes the decision, or returns the statement to sign.
    public func run(_ run: UseCaseRun<Decision>) async throws -> Decision {
        let address = try parsed { () throws(ValueError) in try EmailAddress(email) }
        let text = try parsed { () throws(ValueError) in try FreeText(reason) }
        do {
            return try await optimistic { try await reclaim(address, text, run) }
        } catch let error as LedgerError where error.code == .claimMissing {
            throw ServiceError(.emailNotReclaimable)
        }
    }

    private func reclaim(
        _ address: EmailAddress, _ reason: FreeText, _ run: UseCaseRun<Decision>
    ) async throws -> Decision {
        let context = run.context, time = run.call.time
        let access = try await context.access(company, caller, role: .administration)
        let tenant = access.tenant
        try access.require(.reclaimEmail, about: .newcomer)
        let holders = AddressHolders(context: context)
        guard tenant.state.hasConfirmed(address), let holder = try await holders.holder(of: address) else {
            throw ServiceError(.emailNotReclaimable)
        }
        let user = try await StateLoader(reader: context.reader).user(holder)
        let releases = try await holders.releases(of: holder, address)
        guard !releases.isEmpty else { throw ServiceError(.emailNotReclaimable) }
        let signing = StatementExchange(context: context, access: access)
        let statement = ReclaimStatement(
            context: try await signing.statementContext(at: time), user: user.id.uuid, reason: "reclaimed")
        let verified: SignedStatement
        switch (caller, signed) {
        case (.app(let app), _): verified = try signing.vouch(statement, app.presented)
        case (.employee, nil):
            // Refusals are reported before the caller is asked to sign.
            for id in try await context.employees(of: user.id, in: tenant.id) {
                _ = try await reclaimed(id, address, reason, access, nil, context)
            }
            _ = try await ReclaimedMPinIdentities(of: address, in: access, context).decide(access.decision())
            return .signatureRequired(statement: statement.bytes)
        case (.employee, .some(let given)):
            verified = try await signing.verify(given, is: statement, at: time)
        }
        let decision = try access.decision(verified)
        var recorder = DecisionRecorder(access: access, run)
        // They are decided about first: what follows may end the role of the account that one is linked to.
        try await ReclaimedMPinIdentities(of: address, in: access, context).record(decision, in: &recorder)
        var cause: UUID?
        var summary: EmployeeSummary?
        var company = tenant
        let members = try await context.employees(of: user.id, in: tenant.id)
        recorder.statements.append(context.stillEmployees(members.count, of: user.id, in: tenant.id))
        for id in members {
            guard let reclaimed = try await reclaimed(id, address, reason, access, verified, context) else { continue }
            for event in reclaimed.events {
                let eventId = try recorder.add(
                    event.payload, to: .employee(id, in: tenant.id), version: reclaimed.version, keys: reclaimed.keys)
                switch event {
                case .emailReclaimed: if cause == nil { cause = eventId }
                case .cancelled: try recorder.dismiss(reclaimed.after, from: &company, decision)
                case .idReleased:
                    if let release = try reclaimed.release(in: tenant.id, context) { recorder.releases.append(release) }
                default: break
                }
            }
            if summary == nil { summary = try await context.summary(of: reclaimed.after, in: company) }
            recorder.statements.append(NewSession.deletion(employee: id, tenant: tenant.id))
        }
        let source = try cause ?? addressOnly(address, of: user.id, decision, &recorder, tenant)
        for event in try decided({ () throws(User.Rejection) in
            try User.decide(user.state, .releaseEmail(tenant: tenant.id, cause: source))
        }) {
            try recorder.add(event.payload, to: .user(user.id), version: user.version, keys: [:])
        }
        recorder.releases += releases
        return try await recorder.append(summary)
    }

    private struct Reclaimed {
        var events: [EmployeeEvent]
        var version: Int
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
        _ recorder: inout DecisionRecorder<Decision>, _ tenant: TenantSnapshot
    ) throws -> UUID {
        guard let reason = ReasonCode("reclaimed") else { throw ServiceError(.emailNotReclaimable) }
        let reclaim = Tenant.AddressReclaim(user: user, email: address, reason: reason)
        let events = try decided { () throws(Tenant.Rejection) in
            try Tenant.decide(tenant.state, .reclaimAddress(reclaim, decision))
        }
        guard let event = events.first else { throw ServiceError(.emailNotReclaimable) }
        return try recorder.add(event.payload, to: .tenant(tenant.id), version: tenant.version, keys: [:])
    }

    /// The events for one of the user's employees; `nil` for one whose address is already reclaimed or erased.
    private func reclaimed(
        _ id: EmployeeID, _ address: EmailAddress, _ reason: FreeText, _ access: CompanyAccess,
        _ statement: SignedStatement?, _ context: ServiceContext
    ) async throws -> Reclaimed? {
        let tenant = access.tenant
        let snapshot = try await StateLoader(reader: context.reader).employee(id, in: tenant.id)
        let keys = try await context.personKeys.load([id.uuid], ledger: tenant.id.uuid)
        // The decider compares the address with the confirmed domain, so this fold decrypts it.
        let state = Employee.fold(try snapshot.events.map { try EventCodec.decode($0, keys: keys) })
        let by = Employee.StatusDecision(
            role: tenant.state.role(of: id), decision: try access.decision(statement))
        let command = Employee.Command.reclaimEmail(
            Employee.ReclaimEmail(
                reason: reason, address: address, confirmedDomains: tenant.state.confirmedDomains, by: by))
        let events = try decided { () throws(Employee.Rejection) in try Employee.decide(state, command) }
        guard !events.isEmpty else { return nil }
        var after = snapshot
        for event in events {
            let recorded = Recorded(
                event, id: UUID(), time: context.settings.now(), position: .max, version: snapshot.version + 1)
            Employee.evolve(&after.state, recorded)
        }
        return Reclaimed(
            events: events, version: snapshot.version, keys: keys, after: after,
            name: state.account?.companyEmployeeID.text)
    }
}
