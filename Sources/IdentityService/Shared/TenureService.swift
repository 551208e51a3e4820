/// The whole service as its callers use it: authentication, flows, administration and reads.
///
/// Every method throws ``ServiceError`` for the refusals in the API contract. It throws anything else only for a defect
/// or a lost database, which the HTTP layer answers with `service.unavailable`.
public protocol TenureService: Sendable {
    // MARK: Callers

    /// Authenticates an app; throws `app.unknown` or `app.secret_invalid`.
    func authenticate(appId: String, secret: String) async throws -> AppCaller
    /// Authenticates an access token; throws `session.invalid` or `session.expired`.
    func authenticate(accessToken: String) async throws -> EmployeeCaller

    // MARK: Flows

    /// Starts a registration; needs the role CREATION.
    func startRegistration(_ input: RegistrationInput, app: AppCaller, call: Call) async throws -> FlowStarted
    /// Starts a log-in; needs the role ACCESS.
    func startLogin(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted
    /// Proves possession of the device key; `proof` is DER or 64 raw bytes.
    func proveKey(
        purpose: FlowKind, flow: String, proof: [UInt8], app: AppCaller, call: Call
    ) async throws -> StepAnswer
    /// Sets a new user's credentials (direct mode).
    func setCredentials(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call
    ) async throws -> StepAnswer
    /// Validates answers (direct mode).
    func validateAnswers(
        purpose: FlowKind, flow: String, answers: [AnswerInput], app: AppCaller, call: Call
    ) async throws -> StepAnswer
    /// Validates the passphrase (direct mode).
    func validatePassphrase(
        purpose: FlowKind, flow: String, passphrase: String, app: AppCaller, call: Call
    ) async throws -> StepAnswer

    /// Evaluates blinded elements (blind mode): of new credentials, or of one attempt, which is charged first.
    func evaluate(
        purpose: FlowKind, flow: String, elements: [ElementInput], app: AppCaller, call: Call
    ) async throws -> [Evaluation]
    /// Accepts the proof of a secret, or new credentials with their proof (blind mode).
    func prove(
        purpose: FlowKind, flow: String, proof: ProofInput, app: AppCaller, call: Call
    ) async throws -> StepAnswer

    /// Starts a change of credentials; needs the role ACCESS.
    func startChange(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted
    /// Changes credentials (direct mode): the old secret and the new credentials.
    func changeCredentials(flow: String, _ input: ChangeInput, app: AppCaller, call: Call) async throws -> StepAnswer

    // MARK: Sessions

    /// Exchanges a refresh token for new tokens. A token that is used twice ends the session.
    func refreshSession(refreshToken: String, call: Call) async throws -> IssuedTokens
    /// Returns the notices for the caller as the owner of the account.
    func notices(for caller: EmployeeCaller) async throws -> [Notice]
    /// Ends the caller's session.
    func closeSession(_ caller: EmployeeCaller, call: Call) async throws
    /// Lists the caller's open sessions.
    func sessions(of caller: EmployeeCaller) async throws -> [SessionView]
    /// Ends every session of the caller.
    func endSessions(of caller: EmployeeCaller, call: Call) async throws
    /// Describes the caller: account, session and app.
    func me(_ caller: EmployeeCaller) async throws -> MeView

    // MARK: Recoveries

    /// Starts or continues a recovery of credentials; needs the role ACCESS.
    func startRecovery(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted
    /// Sets new credentials by a recovery that two people approved (direct mode).
    func recoverCredentials(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call
    ) async throws -> StepAnswer
    /// Lists the requested and open recoveries of a tenant, for its admins.
    func recoveries(of company: String, caller: EmployeeCaller) async throws -> [RecoveryView]
    /// Cancels a recovery by a statement of a device key, in a log-in flow that proved the key. The key may have been
    /// revoked.
    func cancelRecovery(
        flow: String, signed: SubmittedStatement?, app: AppCaller, call: Call
    ) async throws -> Decision
    /// Opens, confirms or cancels a recovery.
    func decideRecovery(_ input: RecoveryDecisionInput, caller: EmployeeCaller, call: Call) async throws -> Decision

    // MARK: Invitations

    /// Invites somebody to register under an employee id.
    func issueInvitation(_ input: InvitationInput, caller: Caller, call: Call) async throws -> InvitationDecision
    /// Lists the open invitations of a tenant, oldest first.
    func invitations(of company: String, caller: Caller) async throws -> [InvitationView]
    /// Revokes an invitation.
    func revokeInvitation(
        _ id: String, of company: String, signed: SubmittedStatement?, caller: Caller, call: Call
    ) async throws -> Decision

    // MARK: Devices

    /// Lists the caller's device keys, oldest first.
    func devices(of caller: EmployeeCaller) async throws -> [DeviceView]
    /// Revokes one of the caller's own device keys; its sessions end.
    func revokeDevice(_ input: DeviceRevocationInput, caller: EmployeeCaller, call: Call) async throws -> Decision

    // MARK: Reads

    /// Reads a tenant. `waitFor` is a position that the projection must have reached.
    func company(_ name: String, caller: Caller, waitFor: Int64?) async throws -> CompanyView
    /// Lists the employees of a tenant, oldest first; `limit` is 1 to 200.
    func employees(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<EmployeeView>
    /// Reads one employee with device keys.
    func employee(
        _ companyEmployeeId: String, of company: String, caller: Caller, waitFor: Int64?
    ) async throws -> EmployeeView
    /// Reads the security admin.
    func securityAdmin(of company: String, caller: Caller, waitFor: Int64?) async throws -> SecurityAdminView
    /// Lists the pending device keys, with the statements to sign.
    func pendingAuthorizations(
        of company: String, after: Int64, limit: Int, caller: Caller, waitFor: Int64?
    ) async throws -> Page<PendingAuthorizationView>
    /// Lists the events of a tenant.
    func events(
        of company: String, _ query: EventQuery, caller: Caller
    ) async throws -> Page<EventView>
    /// Reads the policy.
    func policy(of company: String, caller: Caller) async throws -> PolicyView

    // MARK: Proofs

    /// Reads the newest anchor: the key, an empty line and a signed note.
    func anchor() async throws -> String
    /// Reads the newest signed checkpoint of a tenant's ledger: a signed note.
    func checkpoint(of company: String, caller: Caller) async throws -> String
    /// Reads a resource of a tenant's ledger as a tiled log, by its name after `tile/`; `nil` if there is none.
    func tile(_ path: String, of company: String, caller: Caller) async throws -> [UInt8]?
    /// Returns the inclusion proof of an event with the checkpoint it leads to; `nil` if the position does not exist.
    func proof(of position: Int64, company: String, caller: Caller) async throws -> String?

    // MARK: Decisions

    /// Authorizes, refuses or revokes a device key.
    func decideKey(_ input: KeyDecisionInput, caller: Caller, call: Call) async throws -> Decision
    /// Approves, cancels or reinstates an employee, or ends all their sessions.
    func decideStatus(_ input: StatusDecisionInput, caller: Caller, call: Call) async throws -> Decision
    /// Appoints or dismisses an admin, or makes an employee the security admin.
    func changeRole(
        _ input: RoleInput, signed: SubmittedStatement?, caller: Caller, call: Call
    ) async throws -> Decision
    /// Reclaims an e-mail address that the tenant owns.
    func reclaimEmail(
        _ email: String, reason: String, company: String, signed: SubmittedStatement?, caller: Caller, call: Call
    ) async throws -> Decision
    /// Changes the policy; `ifMatch` is the version that the caller has seen.
    func changePolicy(
        of company: String, _ change: PolicyInput, ifMatch: Int?, signed: SubmittedStatement?, caller: Caller,
        call: Call
    ) async throws -> Decision
    /// Links an app to a tenant with some roles; without roles, unlinks it.
    func linkApp(
        _ appId: String, to company: String, roles: Set<CallerRole>?, signed: SubmittedStatement?, caller: Caller,
        call: Call
    ) async throws -> Decision

    // MARK: Health

    /// Reports what prevents the service from being ready, and faults that do not.
    func readiness() async -> ReadinessReport
}
