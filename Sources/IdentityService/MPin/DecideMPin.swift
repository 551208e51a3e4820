import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
package import TenureAPI

/// Verifies or revokes an M-Pin identity. An admin signs, or an app vouches; the linked device may revoke its own.
package struct DecideMPin: CallerUseCase {
    /// The two decisions.
    package enum Action: Sendable, Equatable {
        /// The identity is verified, and its client may fetch a key.
        case verify
        /// The identity ends for good. The reason is a code `[a-z0-9_.-]{1,64}`.
        case revoke(reason: String)
    }

    package let action: Action
    package let company: String
    /// The identity's id.
    package let identity: String
    /// The statement and a signature over it, in the second call.
    package let signed: StatementSignature?
    /// The app, the admin or the employee who decides.
    package let caller: Caller

    package init(
        _ action: Action, company: String, identity: String, signed: StatementSignature? = nil, caller: Caller
    ) {
        self.action = action
        self.company = company
        self.identity = identity
        self.signed = signed
        self.caller = caller
    }

    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let context = run.context, time = run.call.time
        guard let id = UUID(entered: self.identity).map(MPinIdentityID.init) else {
            throw ServiceError(.mpinUnknown)
        }
        let given = if case .revoke(let reason) = action { reason } else { "verified" }
        let reason = try reasonCode(given)
        return try await run.decide(by: caller, signed) {
            let (access, identity) = try await subject(id, context), tenant = access.tenant.id
            guard let registration = identity.state.registration else { throw ServiceError(.mpinUnknown) }
            let linked = try await context.linkedEmployee(of: identity, in: tenant)
            return SignedDecision(
                access: access, latest: registration.place.position,
                decide: { try events(identity, linked, access, $0, at: time) },
                statement: { $0.mpin(action.statement, id, registration.mpinIDHash.bytes, reason: reason.text) },
                holding: { .done(nil, position: nil) },
                record: { recorder, events, _ in
                    if case .verify = action { recorder.notAfter = identity.state.deadline }
                    try recorder.add(events, to: .mpin(id, in: tenant), version: identity.version)
                    recorder.guardLinked(linked, in: tenant)
                    return try await recorder.append(nil)
                })
        }
    }

    /// The identity, and the caller's access to the tenant. Who decides about an identity of their own does so as its
    /// owner, also an admin.
    private func subject(
        _ id: MPinIdentityID, _ context: ServiceContext
    ) async throws -> (CompanyAccess, MPinIdentitySnapshot) {
        if case .employee(let employee) = caller, action != .verify {
            let name = try parsed { () throws(ValueError) in try CompanyName(company) }
            let tenant = TenantID(context.ring.tenantID(companyName: name.canonical))
            guard employee.tenantId == tenant.uuid else { throw ServiceError(.companyUnknown) }
            let identity = try await context.mpinIdentity(id, in: tenant)
            if identity.state.link?.employee == EmployeeID(employee.employeeId) {
                return (try await OwnDevices(of: employee, context).access, identity)
            }
        }
        let access = try await context.access(company, caller, role: .authorization)
        return (access, try await context.mpinIdentity(id, in: access.tenant.id))
    }

    private func events(
        _ identity: MPinIdentitySnapshot, _ linked: EmployeeSnapshot?, _ access: CompanyAccess,
        _ decision: AuthorityDecision, at time: Timestamp
    ) throws -> [MPinIdentityEvent] {
        let command: MPinIdentity.Command
        switch action {
        case .verify: command = .verify(.application(decision), at: time)
        case .revoke:
            let account = try linked.map { employee throws(ServiceError) in try access.subject(employee) }
            command = .revoke(MPinIdentity.Revoke(account: account, decision: decision))
        }
        return try MPinIdentity.decided(identity.state, command)
    }
}

extension DecideMPin.Action {
    fileprivate var statement: MPinStatement.Action {
        switch self {
        case .verify: .verify
        case .revoke: .revoke
        }
    }
}

/// Links an M-Pin identity to the account of the device that signs. It verifies the identity too.
package struct LinkMPin: CallerUseCase {
    package let company: String
    /// The identity's id.
    package let identity: String
    /// The token of the registration, and the device's signature in the second call. The token shows that the
    /// caller's client started it: the statement names an identity by its hash only, and an owner must not be made to
    /// link what somebody else started.
    package let request: MPinLinkRequest
    /// The employee. The session alone links nothing.
    package let caller: EmployeeCaller

    package init(_ request: MPinLinkRequest, company: String, identity: String, caller: EmployeeCaller) {
        self.company = company
        self.identity = identity
        self.request = request
        self.caller = caller
    }

    /// Links the identity, or returns the statement to sign.
    package func run(_ run: UseCaseRun<DecisionResponse>) async throws -> DecisionResponse {
        let context = run.context, time = run.call.time
        let name = try parsed { () throws(ValueError) in try CompanyName(company) }
        guard context.ring.tenantID(companyName: name.canonical) == caller.tenantId else {
            throw ServiceError(.companyUnknown)
        }
        guard let id = UUID(entered: self.identity).map(MPinIdentityID.init) else {
            throw ServiceError(.mpinUnknown)
        }
        return try await run.decide(request.signed) {
            let own = try await OwnDevices(of: caller, context), tenant = own.access.tenant
            guard context.mpin.keys != nil else { throw ServiceError(.mpinDisabled) }
            let identity = try await context.mpinIdentity(id, in: tenant.id, readsUserID: true)
            let right = context.mpinRegistrationToken(id, in: tenant.id)
            guard let registration = identity.state.registration,
                equalInConstantTime(Array(right.utf8), Array(request.regOTT.utf8))
            else { throw ServiceError(.mpinUnknown) }
            let summary = try await context.summary(of: own.employee, in: tenant)
            let names = try await names(of: own, summary, context)
            return SignedDecision(
                access: own.access, latest: registration.place.position,
                decide: { try events(identity, own, names, $0, at: time) },
                statement: {
                    $0.mpin(
                        .link, id, registration.mpinIDHash.bytes, employee: own.employee.id, reason: "linked")
                },
                holding: { .done(summary, position: nil) },
                record: { recorder, events, _ in
                    recorder.notAfter = identity.state.deadline
                    try recorder.add(events, to: .mpin(id, in: tenant.id), version: identity.version)
                    if identity.state.link == nil {
                        recorder.claims.append(
                            context.ring.mpinLinkedClaim(id, of: own.employee.id, in: tenant.id))
                    }
                    return try await recorder.append(summary)
                })
        }
    }

    private func events(
        _ identity: MPinIdentitySnapshot, _ own: OwnDevices, _ names: (EmailAddress?, CompanyEmployeeID?),
        _ decision: AuthorityDecision, at time: Timestamp
    ) throws -> [MPinIdentityEvent] {
        let link = MPinIdentity.Link(
            subject: try own.access.subject(own.employee), email: names.0, companyEmployeeID: names.1,
            decision: decision, policy: own.access.tenant.state.mpinPolicy, time: time)
        return try MPinIdentity.decided(identity.state, .link(link))
    }

    /// The address and the employee id of the caller, as far as their keys exist.
    private func names(
        of own: OwnDevices, _ summary: EmployeeSummaryResponse, _ context: ServiceContext
    ) async throws -> (EmailAddress?, CompanyEmployeeID?) {
        let id = summary.companyEmployeeId.flatMap { try? CompanyEmployeeID(recorded: $0) }
        guard let user = own.employee.state.account?.user else { return (nil, id) }
        let keys = try await context.personKeys.load([user.uuid], ledger: LedgerID.directory(of: user).uuid)
        let stream = StreamID.user(user)
        for event in try await context.reader.streams([stream])[stream] ?? [] where event.type == CredentialsSet.type {
            guard let set = try EventCodec.payload(of: event, keys: keys) as? CredentialsSet, let text = set.email.text,
                let address = try? EmailAddress(recorded: text),
                try await AddressHolders(context: context).holder(of: address) == user
            else { continue }
            return (address, id)
        }
        return (nil, id)
    }
}
