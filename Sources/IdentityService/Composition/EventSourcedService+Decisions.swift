import Canonical

extension EventSourcedService {
    public func refreshSession(refreshToken: String, call: Call) async throws -> SessionTokens {
        try await once(call, by: "session") { _ in
            try await RefreshSession(context: context).run(refreshToken: refreshToken, call: call)
        }
    }

    public func closeSession(_ caller: EmployeeCaller, call: Call) async throws {
        try await CloseSession(context: context).run(caller, call: call)
    }

    public func sessions(of caller: EmployeeCaller) async throws -> [SessionView] {
        try await ListSessions(context: context).run(caller, at: .now())
    }

    public func decideKey(_ input: KeyDecisionInput, caller: Caller, call: Call) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await DecideKey(context: context).run(input, caller: caller, call: call, ticket: ticket)
        }
    }

    public func decideStatus(_ input: StatusDecisionInput, caller: Caller, call: Call) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await DecideStatus(context: context).run(input, caller: caller, call: call, ticket: ticket)
        }
    }

    public func reclaimEmail(
        _ email: String, reason: String, company: String, caller: Caller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await ReclaimEmail(context: context).run(
                email, reason: reason, company: company, caller: caller, call: call, ticket: ticket)
        }
    }

    public func changePolicy(
        of company: String, _ change: PolicyChange, ifMatch: Int?, signed: SignedStatement?, caller: Caller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await ChangePolicy(context: context).run(
                change, company: company, ifMatch: ifMatch, signed: signed, caller: caller, call: call, ticket: ticket)
        }
    }

    public func linkApp(
        _ appId: String, to company: String, linked: Bool, signed: SignedStatement?, caller: Caller, call: Call
    ) async throws -> Decision {
        try await once(call, by: caller.scope) { ticket in
            try await LinkApp(context: context).run(
                appId, company: company, linked: linked, signed: signed, caller: caller, call: call, ticket: ticket)
        }
    }
}
