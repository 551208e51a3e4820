import Canonical

extension EventSourcedService {
    /// Authenticates an app by one of its secrets.
    public func authenticate(appId: String, secret: String) async throws -> AppCaller {
        try await AuthenticateApp(context: context).run(appId: appId, secret: secret)
    }

    /// Authenticates an access token.
    public func authenticate(accessToken: String) async throws -> EmployeeCaller {
        try await AuthenticateSession(context: context).run(accessToken: accessToken, at: .now())
    }

    /// Starts a registration.
    public func startRegistration(_ input: RegistrationInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        let reading = context.readingSubject(
            company: input.companyName, employee: input.companyEmployeeId, for: app)
        return try await once(call, by: app.scope, opening: reading?.reads) { ticket in
            try await StartRegistration(context: context).run(input, reading, app: app, call: call, ticket: ticket)
        }
    }

    /// Starts a login.
    public func startLogin(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        let reading = context.readingSubject(
            company: input.companyName, employee: input.companyEmployeeId, for: app)
        return try await once(call, by: app.scope, opening: reading?.reads) { ticket in
            try await StartLogin(context: context).run(input, reading, app: app, call: call, ticket: ticket)
        }
    }

    /// Proves possession of the device key.
    public func proveKey(
        purpose: FlowPurpose, flow: String, proof: [UInt8], app: AppCaller, call: Call
    ) async throws -> FlowOutcome {
        try require(purpose, app)
        let flow = FlowOpening(flow, .keyStep, context)
        return try await once(call, by: app.scope, opening: flow.reads) { ticket in
            try await ProveKey(context: context).run(
                purpose: purpose, flow: flow, proof: proof, app: app, call: call, ticket: ticket)
        }
    }

    /// Sets a new user's credentials in direct mode.
    public func setCredentials(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call
    ) async throws -> FlowOutcome {
        try require(.registration, app)
        return try await once(call, by: app.scope) { ticket in
            try await SetCredentials(context: context).run(flow: flow, input, app: app, call: call, ticket: ticket)
        }
    }

    /// Validates answers in direct mode.
    public func validateAnswers(
        purpose: FlowPurpose, flow: String, answers: [AnswerInput], app: AppCaller, call: Call
    ) async throws -> FlowOutcome {
        try require(purpose, app)
        let flow = FlowOpening(flow, .validation, context)
        return try await once(call, by: app.scope, opening: flow.reads) { ticket in
            try await ValidateCredential(context: context).run(
                .answers(answers), purpose: purpose, flow: flow, app: app, call: call, ticket: ticket)
        }
    }

    /// Validates the passphrase in direct mode.
    public func validatePassphrase(
        purpose: FlowPurpose, flow: String, passphrase: String, app: AppCaller, call: Call
    ) async throws -> FlowOutcome {
        try require(purpose, app)
        let flow = FlowOpening(flow, .validation, context)
        return try await once(call, by: app.scope, opening: flow.reads) { ticket in
            try await ValidateCredential(context: context).run(
                .passphrase(passphrase), purpose: purpose, flow: flow, app: app, call: call, ticket: ticket)
        }
    }

    /// Starts a change of credentials.
    public func startChange(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        let reading = context.readingSubject(
            company: input.companyName, employee: input.companyEmployeeId, for: app)
        return try await once(call, by: app.scope, opening: reading?.reads) { ticket in
            try await StartLogin(context: context).run(
                input, reading, purpose: .change, app: app, call: call, ticket: ticket)
        }
    }

    /// Changes credentials in direct mode.
    public func changeCredentials(
        flow: String, _ input: ChangeInput, app: AppCaller, call: Call
    ) async throws -> FlowOutcome {
        try require(.change, app)
        return try await once(call, by: app.scope) { ticket in
            try await ChangeCredentials(context: context).run(flow: flow, input, app: app, call: call, ticket: ticket)
        }
    }

    func require(_ purpose: FlowPurpose, _ app: AppCaller) throws(ServiceError) {
        guard app.roles.contains(purpose == .registration ? .creation : .access) else {
            throw ServiceError(.appRoleMissing)
        }
    }
}
