import Canonical
import Ledger

extension EventSourcedService {
    /// Authenticates an app by one of its secrets.
    public func authenticate(appId: String, secret: String) async throws -> AppCaller {
        try await AuthenticateApp(context: context).run(appId: appId, secret: secret)
    }

    /// Authenticates an access token.
    public func authenticate(accessToken: String) async throws -> EmployeeCaller {
        try await AuthenticateSession(context: context).run(accessToken: accessToken, at: context.settings.now())
    }

    /// Starts a registration.
    public func startRegistration(_ input: RegistrationInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        let reading = context.readingSubject(company: input.companyName, employee: input.companyEmployeeId)
        return try await once(call, by: app.scope, opening: reading?.reads) { ticket in
            try await StartRegistration(context: context).run(input, reading, app: app, call: call, ticket: ticket)
        }
    }

    /// Starts a log-in.
    public func startLogin(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        let reading = context.readingSubject(company: input.companyName, employee: input.companyEmployeeId)
        return try await once(call, by: app.scope, opening: reading?.reads) { ticket in
            try await StartLogin(context: context).run(input, reading, app: app, call: call, ticket: ticket)
        }
    }

    /// Proves possession of the device key.
    public func proveKey(
        purpose: FlowKind, flow: String, proof: [UInt8], app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        try require(purpose, app)
        return try await once(call, by: app.scope, opening: FlowStore.reading(flow)) { ticket in
            try await ProveKey(context: context).run(
                purpose: purpose, flow: flow, proof: proof, app: app, call: call, ticket: ticket)
        }
    }

    /// Sets a new user's credentials in direct mode.
    public func setCredentials(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        try require(.registration, app)
        return try await once(call, by: app.scope) { ticket in
            try await SetCredentials(context: context).run(flow: flow, input, app: app, call: call, ticket: ticket)
        }
    }

    /// Validates answers in direct mode.
    public func validateAnswers(
        purpose: FlowKind, flow: String, answers: [AnswerInput], app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        try require(purpose, app)
        return try await once(call, by: app.scope, opening: FlowStore.reading(flow)) { ticket in
            try await ValidateCredential(context: context).run(
                .answers(answers), purpose: purpose, flow: flow, app: app, call: call, ticket: ticket)
        }
    }

    /// Validates the passphrase in direct mode.
    public func validatePassphrase(
        purpose: FlowKind, flow: String, passphrase: String, app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        try require(purpose, app)
        return try await once(call, by: app.scope, opening: FlowStore.reading(flow)) { ticket in
            try await ValidateCredential(context: context).run(
                .passphrase(passphrase), purpose: purpose, flow: flow, app: app, call: call, ticket: ticket)
        }
    }

    /// Starts a change of credentials.
    public func startChange(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        let reading = context.readingSubject(company: input.companyName, employee: input.companyEmployeeId)
        return try await once(call, by: app.scope, opening: reading?.reads) { ticket in
            try await StartLogin(context: context).run(
                input, reading, purpose: .change, app: app, call: call, ticket: ticket)
        }
    }

    /// Changes credentials in direct mode.
    public func changeCredentials(
        flow: String, _ input: ChangeInput, app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        try require(.change, app)
        return try await once(call, by: app.scope) { ticket in
            try await ChangeInDirectMode(context: context).run(flow: flow, input, app: app, call: call, ticket: ticket)
        }
    }

    func require(_ purpose: FlowKind, _ app: AppCaller) throws(ServiceError) {
        guard app.roles.contains(purpose == .registration ? .creation : .access) else {
            throw ServiceError(.appRoleMissing)
        }
    }
}

extension EventSourcedService {
    /// Evaluates blinded elements.
    public func evaluate(
        purpose: FlowKind, flow: String, elements: [ElementInput], app: AppCaller, call: Call
    ) async throws -> [Evaluation] {
        try require(purpose, app)
        return try await once(call, by: app.scope, opening: FlowStore.reading(flow)) { ticket in
            StoredEvaluations(
                try await EvaluateElements(context: context).run(
                    elements, purpose: purpose, flow: flow, app: app, call: call, ticket: ticket))
        }.items
    }

    /// Accepts the proof of a secret that stayed with the client, or new credentials that the client made.
    public func prove(
        purpose: FlowKind, flow: String, proof: ProofInput, app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        try require(purpose, app)
        return try await once(call, by: app.scope, opening: FlowStore.reading(flow)) { ticket in
            try await ProveCredential(context: context).run(
                proof, purpose: purpose, flow: flow, app: app, call: call, ticket: ticket)
        }
    }
}

extension EventSourcedService {
    /// A company.
    public func company(_ name: String, caller: Caller, waitFor: Int64?) async throws -> CompanyView {
        try await reads.company(name, caller: caller, waitFor: waitFor)
    }

    /// Lists the employees of a tenant.
    public func employees(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<EmployeeView> {
        try await reads.employees(of: company, after: after, limit: limit, caller: caller, waitFor: waitFor)
    }

    /// Reads one employee with device keys.
    public func employee(
        _ companyEmployeeId: String, of company: String, caller: Caller, waitFor: Int64?
    ) async throws -> EmployeeView {
        try await reads.employee(companyEmployeeId, of: company, caller: caller, waitFor: waitFor)
    }

    /// Reads the security admin, with the event that proves the role.
    public func securityAdmin(of company: String, caller: Caller, waitFor: Int64?) async throws -> SecurityAdminView {
        try await reads.securityAdmin(of: company, caller: caller, waitFor: waitFor)
    }

    /// Lists the pending device keys.
    public func pendingAuthorizations(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<PendingAuthorizationView> {
        try await ListPendingAuthorizations(reads: reads).run(
            company, after: after, limit: limit, caller: caller, waitFor: waitFor)
    }

    /// Lists the events of a tenant.
    public func events(of company: String, _ query: EventQuery, caller: Caller) async throws -> Page<EventView> {
        try await PageEntries(context: context).run(company, query, caller: caller)
    }

    /// Reads the policy in force.
    public func policy(of company: String, caller: Caller) async throws -> PolicyView {
        try await ReadPolicy(context: context).run(company, caller: caller)
    }

    /// Reads the newest anchor.
    public func anchor() async throws -> String { try await ReadAnchor(context: context).run().text }

    /// Reads the newest checkpoint of a tenant's ledger.
    public func checkpoint(of company: String, caller: Caller) async throws -> String {
        try await ReadCheckpoint(context: context).run(company, caller: caller)
    }

    /// Reads a resource of a tenant's ledger as a tiled log.
    public func tile(_ path: String, of company: String, caller: Caller) async throws -> [UInt8]? {
        try await ReadTile(context: context).run(path, company, caller: caller)
    }

    /// Returns the inclusion proof of an event.
    public func proof(of position: Int64, company: String, caller: Caller) async throws -> String? {
        try await ProveEvent(context: context).run(position, company, caller: caller)
    }

    /// Reports what prevents the service from being ready, and faults that do not.
    public func readiness() async -> ReadinessReport { await probe.report() }
}
