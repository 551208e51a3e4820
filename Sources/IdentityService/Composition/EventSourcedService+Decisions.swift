import Canonical

extension EventSourcedService {
    /// Exchanges a refresh token; see ``RefreshSession``.
    public func refreshSession(refreshToken: String, call: Call) async throws -> SessionTokens {
        let refresh: RefreshSession
        do { refresh = try await RefreshSession(context, refreshToken: refreshToken) } catch {
            throw try await RefreshSession.refusal(error, of: refreshToken, call, context)
        }
        return try await once(call, by: refresh.scope) { ticket in try await refresh.run(call, ticket: ticket) }
    }

    /// Ends the caller's session.
    public func closeSession(_ caller: EmployeeCaller, call: Call) async throws {
        try await CloseSession(context: context).run(caller, call: call)
    }

    /// The caller's open sessions.
    public func sessions(of caller: EmployeeCaller) async throws -> [SessionView] {
        try await ListSessions(context: context).run(caller, at: .now())
    }

    /// Authorizes, refuses or revokes an employee key.
    public func decideKey(_ input: KeyDecisionInput, caller: Caller, call: Call) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await DecideKey(context: context).run(input, caller: caller, call: call, ticket: ticket)
        }
    }

    /// Approves, cancels or reinstates an employee.
    public func decideStatus(_ input: StatusDecisionInput, caller: Caller, call: Call) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await DecideStatus(context: context).run(input, caller: caller, call: call, ticket: ticket)
        }
    }

    /// Appoints or dismisses an admin, or makes an employee the security admin.
    public func changeRole(
        _ input: RoleInput, signed: SignedStatement?, caller: Caller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await ChangeRole(context: context).run(
                input, signed: signed, caller: caller, call: call, ticket: ticket)
        }
    }

    /// Reclaims a company-owned e-mail.
    public func reclaimEmail(
        _ email: String, reason: String, company: String, caller: Caller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await ReclaimEmail(context: context).run(
                email, reason: reason, company: company, caller: caller, call: call, ticket: ticket)
        }
    }

    /// Changes a company's policy.
    public func changePolicy(
        of company: String, _ change: PolicyChange, ifMatch: Int?, signed: SignedStatement?, caller: Caller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await ChangePolicy(context: context).run(
                change, company: company, ifMatch: ifMatch, signed: signed, caller: caller, call: call, ticket: ticket)
        }
    }

    /// Links an app to a company, or unlinks it.
    public func linkApp(
        _ appId: String, to company: String, linked: Bool, signed: SignedStatement?, caller: Caller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await LinkApp(context: context).run(
                appId, company: company, linked: linked, signed: signed, caller: caller, call: call, ticket: ticket)
        }
    }
}
