/// The whole service as its callers see it: authentication, the two flows, administration and reads.
///
/// Every method throws ``ServiceError`` for what the contract names and anything else only for a defect or a lost
/// database, which the HTTP layer answers with `service.unavailable`.
public protocol TenureService: Sendable {
    // MARK: Callers

    /// Authenticates an app; throws `app.unknown` or `app.secret_invalid`.
    func authenticate(appId: String, secret: String) async throws -> AppCaller
    /// Authenticates an access token; throws `session.invalid` or `session.expired`.
    func authenticate(accessToken: String) async throws -> EmployeeCaller

    // MARK: Flows

    /// Starts a registration; needs the role CREATION.
    func startRegistration(_ input: RegistrationInput, app: AppCaller, call: Call) async throws -> FlowStarted
    /// Starts a login; needs the role ACCESS.
    func startLogin(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted
    /// Proves possession of the device key; `proof` is DER or 64 raw bytes.
    func proveKey(
        purpose: FlowPurpose, flow: String, proof: [UInt8], app: AppCaller, call: Call
    ) async throws -> FlowOutcome
    /// Sets a new user's credentials (direct mode).
    func setCredentials(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call
    ) async throws -> FlowOutcome
    /// Validates answers (direct mode).
    func validateAnswers(
        purpose: FlowPurpose, flow: String, answers: [AnswerInput], app: AppCaller, call: Call
    ) async throws -> FlowOutcome
    /// Validates the passphrase (direct mode).
    func validatePassphrase(
        purpose: FlowPurpose, flow: String, passphrase: String, app: AppCaller, call: Call
    ) async throws -> FlowOutcome

    /// Evaluates blinded elements (blind mode): of new credentials, or for one attempt, which is charged first.
    func evaluate(
        purpose: FlowPurpose, flow: String, elements: [ElementInput], app: AppCaller, call: Call
    ) async throws -> [Evaluation]
    /// Takes the proof of a secret, or new credentials with theirs (blind mode).
    func prove(
        purpose: FlowPurpose, flow: String, proof: ProofInput, app: AppCaller, call: Call
    ) async throws -> FlowOutcome

    /// Starts a change of credentials; needs the role ACCESS.
    func startChange(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted
    /// Changes credentials (direct mode): the old secret and the new credentials.
    func changeCredentials(flow: String, _ input: ChangeInput, app: AppCaller, call: Call) async throws -> FlowOutcome

    // MARK: Sessions

    /// Exchanges a refresh token for new tokens; a token used twice ends the session.
    func refreshSession(refreshToken: String, call: Call) async throws -> SessionTokens
    /// Ends the caller's session.
    func closeSession(_ caller: EmployeeCaller, call: Call) async throws
    /// The caller's open sessions.
    func sessions(of caller: EmployeeCaller) async throws -> [SessionView]

    // MARK: Recoveries

    /// Starts a recovery of credentials, or goes on with one; needs the role ACCESS.
    func startRecovery(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted
    /// Sets new credentials by a recovery that two persons approved (direct mode).
    func recoverCredentials(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call
    ) async throws -> FlowOutcome
    /// The recoveries that wait in a company, for its admins.
    func recoveries(of company: String, caller: EmployeeCaller) async throws -> [RecoveryView]
    /// Opens, confirms or cancels a recovery.
    func decideRecovery(_ input: RecoveryDecisionInput, caller: EmployeeCaller, call: Call) async throws -> Decision

    // MARK: Devices

    /// The caller's device keys, oldest first.
    func devices(of caller: EmployeeCaller) async throws -> [DeviceView]
    /// Revokes a device key of the caller's own; the sessions that it opened end.
    func revokeDevice(_ input: DeviceRevocationInput, caller: EmployeeCaller, call: Call) async throws -> Decision

    // MARK: Reads

    /// A company. `waitFor` is a position its views must have reached.
    func company(_ name: String, caller: Caller, waitFor: Int64?) async throws -> CompanyView
    /// The employees of a company, oldest first; `limit` 1 to 200.
    func employees(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<EmployeeView>
    /// One employee with keys.
    func employee(
        _ companyEmployeeId: String, of company: String, caller: Caller, waitFor: Int64?
    ) async throws -> EmployeeView
    /// The security admin.
    func securityAdmin(of company: String, caller: Caller, waitFor: Int64?) async throws -> SecurityAdminView
    /// Keys that wait, with the statement to sign.
    func pendingAuthorizations(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<PendingAuthorizationView>
    /// The events of a company; `employee` is a company employee id.
    func events(
        of company: String, _ query: EventQuery, caller: Caller
    ) async throws -> Page<EventView>
    /// The policy.
    func policy(of company: String, caller: Caller) async throws -> PolicyView

    // MARK: Proofs

    /// The newest anchor: the key, an empty line and a signed note.
    func anchor() async throws -> String
    /// The newest signed checkpoint of a company's ledger: a signed note.
    func checkpoint(of company: String, caller: Caller) async throws -> String
    /// A resource of a company's ledger as a tiled log, named as behind `tile/`; nil when the log has none of that name.
    func tile(_ path: String, of company: String, caller: Caller) async throws -> [UInt8]?
    /// The inclusion proof of an event with the checkpoint it leads to; nil when there is no such position.
    func proof(of position: Int64, company: String, caller: Caller) async throws -> String?

    // MARK: Decisions

    /// Authorizes, refuses or revokes an employee key.
    func decideKey(_ input: KeyDecisionInput, caller: Caller, call: Call) async throws -> Decision
    /// Approves, cancels or reinstates an employee.
    func decideStatus(_ input: StatusDecisionInput, caller: Caller, call: Call) async throws -> Decision
    /// Appoints or dismisses an admin, or makes an employee the security admin.
    func changeRole(_ input: RoleInput, signed: SignedStatement?, caller: Caller, call: Call) async throws -> Decision
    /// Reclaims a company-owned e-mail.
    func reclaimEmail(_ email: String, reason: String, company: String, caller: Caller, call: Call) async throws
        -> Decision
    /// Changes the policy; `ifMatch` is the version the caller has seen.
    func changePolicy(
        of company: String, _ change: PolicyChange, ifMatch: Int?, signed: SignedStatement?, caller: Caller, call: Call
    ) async throws -> Decision
    /// Links an app to a company or unlinks it.
    func linkApp(
        _ appId: String, to company: String, linked: Bool, signed: SignedStatement?, caller: Caller, call: Call
    ) async throws -> Decision

    // MARK: Health

    /// What keeps the service from being ready, and what does not although it should be mended.
    func readiness() async -> ReadinessReport
}
