import Canonical

extension EventSourcedService {
    /// Starts a recovery, or goes on with one.
    public func startRecovery(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        let reading = context.readingSubject(
            company: input.companyName, employee: input.companyEmployeeId, for: app)
        return try await once(call, by: app.scope, opening: reading?.reads) { ticket in
            try await StartLogin(context: context).run(
                input, reading, purpose: .recovery, app: app, call: call, ticket: ticket)
        }
    }

    /// Sets new credentials by a recovery, in direct mode.
    public func recoverCredentials(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call
    ) async throws -> FlowOutcome {
        try require(.recovery, app)
        return try await once(call, by: app.scope) { ticket in
            try await RecoverCredentials(context: context).run(flow: flow, input, app: app, call: call, ticket: ticket)
        }
    }

    /// The recoveries that wait in a company.
    public func recoveries(of company: String, caller: EmployeeCaller) async throws -> [RecoveryView] {
        try await ListRecoveries(context: context).run(company, caller: caller, at: .now())
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
