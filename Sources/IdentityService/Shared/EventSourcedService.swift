import Canonical
import FoundationEssentials
import Identity

/// The service on the event log: each method runs one use case.
///
/// The methods throw ``ServiceError`` as documented in ``TenureService``.
public struct EventSourcedService: TenureService {
    let context: ServiceContext
    let reads: CompanyReads
    let probe: Readiness

    init(context: ServiceContext, reads: CompanyReads, readiness: Readiness) {
        self.context = context
        self.reads = reads
        probe = readiness
    }

    /// Runs a use case at most once per `Idempotency-Key` of this caller.
    func once<Answer: RepeatableAnswer>(
        _ call: Call, by caller: String, opening: PipelinedReads? = nil,
        _ body: (IdempotencyTicket?) async throws -> Answer
    ) async throws -> Answer {
        try await IdempotentCall(context: context).run(call, scope: caller, opening: opening, body)
    }
}

extension AppCaller {
    /// The owner of an idempotency key.
    var scope: String { "app/\(appId.lowercased)" }
}

extension EmployeeCaller {
    /// The owner of an idempotency key.
    var scope: String { "employee/\(tenantId.lowercased)/\(employeeId.lowercased)" }
}

extension Caller {
    /// The owner of an idempotency key.
    var scope: String {
        switch self {
        case .app(let app): app.scope
        case .employee(let employee): employee.scope
        }
    }
}

extension EventSourcedService {
    /// Exchanges a refresh token; see ``RefreshSession``.
    public func refreshSession(refreshToken: String, call: Call) async throws -> IssuedTokens {
        let refresh: RefreshSession
        do { refresh = try await RefreshSession(context, refreshToken: refreshToken) } catch {
            throw try await RefreshSession.refusal(error, of: refreshToken, call, context)
        }
        return try await once(call, by: refresh.scope) { ticket in try await refresh.run(call, ticket: ticket) }
    }

    /// Returns the notices for the caller as the owner of the account.
    public func notices(for caller: EmployeeCaller) async throws -> [Notice] {
        try await context.notices(
            for: EmployeeID(caller.employeeId), in: TenantID(caller.tenantId), at: context.settings.now())
    }

    /// Ends the caller's session.
    public func closeSession(_ caller: EmployeeCaller, call: Call) async throws {
        try await CloseSession(context: context).run(caller, call: call)
    }

    /// Lists the caller's open sessions.
    public func sessions(of caller: EmployeeCaller) async throws -> [SessionView] {
        try await ListSessions(context: context).run(caller, at: context.settings.now())
    }

    /// Ends every session of the caller.
    public func endSessions(of caller: EmployeeCaller, call: Call) async throws {
        try await EndOwnSessions(context: context).run(caller, call: call)
    }

    /// Describes the caller: account, session and app.
    public func me(_ caller: EmployeeCaller) async throws -> MeView {
        try await ReadMe(context: context).run(caller, at: context.settings.now())
    }

    /// Authorizes, refuses or revokes a device key.
    public func decideKey(_ input: KeyDecisionInput, caller: Caller, call: Call) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await DecideKey(context: context).run(input, caller: caller, call: call, ticket: ticket)
        }
    }

    /// Approves, cancels or reinstates an employee, or ends all their sessions.
    public func decideStatus(_ input: StatusDecisionInput, caller: Caller, call: Call) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await DecideStatus(context: context).run(input, caller: caller, call: call, ticket: ticket)
        }
    }

    /// Appoints or dismisses an admin, or makes an employee the security admin.
    public func changeRole(
        _ input: RoleInput, signed: SubmittedStatement?, caller: Caller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await ChangeRole(context: context).run(
                input, signed: signed, caller: caller, call: call, ticket: ticket)
        }
    }

    /// Reclaims an e-mail address that the tenant owns.
    public func reclaimEmail(
        _ email: String, reason: String, company: String, signed: SubmittedStatement?, caller: Caller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await ReclaimEmail(context: context).run(
                email, reason: reason, company: company, signed: signed, caller: caller, call: call, ticket: ticket)
        }
    }

    /// Changes a tenant's policy.
    public func changePolicy(
        of company: String, _ change: PolicyInput, ifMatch: Int?, signed: SubmittedStatement?, caller: Caller,
        call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await ChangePolicy(context: context).run(
                change, company: company, ifMatch: ifMatch, signed: signed, caller: caller, call: call, ticket: ticket)
        }
    }

    /// Links an app to a tenant with some roles, or unlinks it.
    public func linkApp(
        _ appId: String, to company: String, roles: Set<CallerRole>?, signed: SubmittedStatement?, caller: Caller,
        call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await LinkApp(context: context).run(
                appId, company: company, roles: roles, signed: signed, caller: caller, call: call, ticket: ticket)
        }
    }
}

extension EventSourcedService {
    /// Lists the caller's device keys.
    public func devices(of caller: EmployeeCaller) async throws -> [DeviceView] {
        try await ListDevices(context: context).run(caller, at: context.settings.now())
    }

    /// Revokes one of the caller's own device keys.
    public func revokeDevice(
        _ input: DeviceRevocationInput, caller: EmployeeCaller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await RevokeDevice(context: context).run(input, caller: caller, call: call, ticket: ticket)
        }
    }
}

extension EventSourcedService {
    /// Invites somebody; see ``IssueInvitation``.
    public func issueInvitation(
        _ input: InvitationInput, caller: Caller, call: Call
    ) async throws -> InvitationDecision {
        try await once(call, by: caller.scope) { ticket in
            try await IssueInvitation(context: context).run(input, caller: caller, call: call, ticket: ticket)
        }
    }

    /// Lists the open invitations of a tenant.
    public func invitations(of company: String, caller: Caller) async throws -> [InvitationView] {
        try await ListInvitations(context: context).run(company, caller: caller, at: context.settings.now())
    }

    /// Revokes an invitation; see ``RevokeInvitation``.
    public func revokeInvitation(
        _ id: String, of company: String, signed: SubmittedStatement?, caller: Caller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await RevokeInvitation(context: context).run(
                id, company: company, signed: signed, caller: caller, call: call, ticket: ticket)
        }
    }
}

extension EventSourcedService {
    /// Starts or continues a recovery.
    public func startRecovery(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        let reading = context.readingSubject(company: input.companyName, employee: input.companyEmployeeId)
        return try await once(call, by: app.scope, opening: reading?.reads) { ticket in
            try await StartLogin(context: context).run(
                input, reading, purpose: .recovery, app: app, call: call, ticket: ticket)
        }
    }

    /// Sets new credentials by a recovery, in direct mode.
    public func recoverCredentials(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        try require(.recovery, app)
        return try await once(call, by: app.scope) { ticket in
            try await RecoverCredentials(context: context).run(flow: flow, input, app: app, call: call, ticket: ticket)
        }
    }

    /// Lists the requested and open recoveries of a tenant.
    public func recoveries(of company: String, caller: EmployeeCaller) async throws -> [RecoveryView] {
        try await ListRecoveries(context: context).run(company, caller: caller, at: context.settings.now())
    }

    /// Cancels a recovery by a statement of a device key, without a session.
    public func cancelRecovery(
        flow: String, signed: SubmittedStatement?, app: AppCaller, call: Call
    ) async throws -> Decision {
        try require(.login, app)
        return try await once(call, by: app.scope) { ticket in
            try await CancelByDevice(context: context).run(
                flow: flow, signed: signed, app: app, call: call, ticket: ticket)
        }
    }

    /// Opens, confirms or cancels a recovery.
    public func decideRecovery(
        _ input: RecoveryDecisionInput, caller: EmployeeCaller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await DecideRecovery(context: context).run(input, caller: caller, call: call, ticket: ticket)
        }
    }
}
