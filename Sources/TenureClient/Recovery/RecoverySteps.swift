public import Canonical
import Credentials
import ErrorCodes
public import TenureAPI

/// The next step of a recovery of lost credentials.
public enum RecoveryStep: Sendable {
    /// Two colleagues must approve this device's key first.
    case approvalPending(PendingRecovery)
    /// The recovery is approved, but the waiting time is not over. The same device must ask again at that time.
    case availableLater(PendingRecovery, at: Timestamp)
    /// The recovery is approved and the waiting time is over. The user must choose new credentials.
    case setCredentials(RecoveredCredentialsStep)
}

/// The step that replaces the lost credentials. Call ``submit(_:)``.
///
/// ```swift
/// let step = try await client.recover(companyName: "acme.example", companyEmployeeId: "1001")
/// if case .setCredentials(let step) = step {
///     let outcome = try await step.submit(NewUserCredentials(questions: fiveQuestions, passphrase: passphrase))
/// }
/// ```
public struct RecoveredCredentialsStep: Sendable {
    let flow: OpenFlow
    private let waiting: PendingRecovery
    /// The rules that the credentials must satisfy.
    public let rules: CredentialRules

    init(flow: OpenFlow, waiting: PendingRecovery, rules: CredentialRules) {
        self.flow = flow
        self.waiting = waiting
        self.rules = rules
    }

    /// Sets the new credentials. The old ones stop working, and every session of the user ends, in all tenants.
    ///
    /// The outcome is `authorizationPending`, because recovery alone grants no access: the key is pending like that of
    /// any new device. With a key that was authorized before, the outcome is `success`.
    ///
    /// - Throws: ``TenureClientError``: `flow.expired` after ten minutes, call ``again()`` then; `request.stale` if the
    ///   recovery has ended, for example because the person logged in on a known device.
    public func submit(_ credentials: NewUserCredentials) async throws -> FlowOutcome {
        try await flow.submit(.newCredentials(credentials))
    }

    /// Restarts this step after its flow has expired.
    ///
    /// - Throws: ``TenureClientError`` with `recovery.unknown` if the key is no longer approved.
    public func again() async throws -> RecoveredCredentialsStep {
        guard case .setCredentials(let step) = try await waiting.ask() else {
            throw TenureClientError(.init(.recoveryUnknown))
        }
        return step
    }
}

extension TenureClient {
    /// Starts the recovery of lost credentials or continues one: presents this device's key and proves possession of
    /// it. Creates the key if there is none.
    ///
    /// Requires a secret with ACCESS. Two colleagues decide about exactly this key. Only the user learns the new
    /// credentials; in blind mode the service does not learn them either.
    ///
    /// - Throws: ``TenureClientError``, for example `app.role_missing`, or ``TenureClientError/Code/signingRefused`` if
    ///   the service's challenge is not for this recovery.
    public func recover(companyName: String, companyEmployeeId: String) async throws -> RecoveryStep {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        return try await recover(account, key: try await keyStore.keyOrNew(of: account))
    }

    func recover(_ account: AccountName, key: any DeviceKey) async throws -> RecoveryStep {
        let flow = try await startRecovery(
            company: account.companyName, employee: account.companyEmployeeId, key: key)
        let waiting = PendingRecovery(client: self, account: account, key: key)
        let response: FlowOutcomeResponse
        do { response = try await proveKey(flow, key: key) } catch {
            guard let refusal = error as? TenureClientError, refusal.kind == .recoveryNotAvailable,
                let time = refusal.problem?.availableAt
            else { throw error }
            return .availableLater(waiting, at: time)
        }
        switch response {
        case .authorizationPending(let publicKey, let fingerprint, _):
            // Two colleagues compare the fingerprint that is shown here, so it must be this device's key.
            guard publicKey == key.publicKey.bytes, fingerprint == key.publicKey.fingerprint else {
                throw TenureClientError(.responseInvalid)
            }
            return .approvalPending(waiting)
        case .setCredentials(_, let rules, _):
            let open = OpenFlow(FlowContext(client: self, account: account, key: key, flow: flow, asked: response))
            return .setCredentials(
                RecoveredCredentialsStep(flow: open, waiting: waiting, rules: CredentialRules(rules)))
        case .success, .validateAnswers, .validatePassphrase: throw TenureClientError(.responseInvalid)
        }
    }
}

/// The single calls of a recovery of lost credentials. ``TenureClient/recover(companyName:companyEmployeeId:)`` runs
/// them in steps.
extension TenureClient {
    /// Starts a recovery or continues one. Requires a secret with ACCESS.
    ///
    /// Call ``proveKey(_:key:)`` next. It returns `authorizationPending` until two colleagues have approved this key,
    /// and `setCredentials` afterwards. Use the same key each time. Show its fingerprint to the person, who reads it
    /// out to an admin.
    ///
    /// - Throws: ``TenureClientError``.
    public func startRecovery(company: String, employee: String, key: some DeviceKey) async throws -> Flow {
        let request = LoginRequest(
            companyName: company, companyEmployeeId: employee, employeePublicKey: key.publicKey.bytes)
        let started = try await call(.startRecovery, body: request, FlowStartedResponse.self)
        return Flow(.recovery, started, company: company, employee: employee, key: key.publicKey)
    }

    /// Sets new credentials in direct mode, over TLS.
    ///
    /// Removes this device's pin of the account, because the credential was replaced.
    ///
    /// - Throws: ``TenureClientError``, for example `policy.blind_only` or `request.stale`.
    public func recoverCredentials(
        _ flow: Flow, to new: CredentialsRequest, pins: some PinStore
    ) async throws -> FlowOutcomeResponse {
        let outcome: FlowOutcomeResponse = try await call(
            .recoverCredentials, ["flow": flow.handle], body: new)
        try await pins.forget(PinnedAccount(baseURL: baseURL, company: flow.company, employee: flow.employee))
        return outcome
    }

    /// Sets new credentials in blind mode and pins them. Nothing that the user entered leaves the device.
    ///
    /// - Parameters:
    ///   - flow: The flow, after ``proveKey(_:key:)``.
    ///   - asked: The outcome `setCredentials` of ``proveKey(_:key:)``.
    ///   - new: Five questions with answers, and an optional passphrase.
    ///   - blindOnly: Whether the service must refuse direct mode for the new credentials.
    ///   - key: The device key with which the flow was started.
    ///   - pins: The store of this device's pins.
    /// - Throws: ``TenureClientError``, as the set-up in blind mode.
    public func recoverBlindCredentials(
        _ flow: Flow, _ asked: FlowOutcomeResponse, to new: CredentialsRequest, blindOnly: Bool = false,
        key: some DeviceKey, pins: some PinStore
    ) async throws -> FlowOutcomeResponse {
        let challenge = try flow.checkedChallenge(app: credentials.appId)
        guard case .setCredentials(_, _, let told?) = asked, let approvals = told.approvals else {
            throw TenureClientError(.signingRefused)
        }
        let plan = try Self.plan(asked, blindOnly: blindOnly)
        guard plan.credentialId != challenge.fields.credential else { throw TenureClientError(.signingRefused) }
        return try await handIn(
            new, flow, challenge, plan,
            authority: .recovered(firstApproval: approvals.opened, secondApproval: approvals.confirmed), key: key,
            pins: pins)
    }
}

extension TenureClient {
    /// Asks for the return of a security admin with this device, or completes it. Creates the key if there is none.
    ///
    /// Requires a secret with ACCESS. The step asks for the credential, as a log-in does. Its outcome is
    /// `authorizationPending` for a request: the service has sent a mail to the verified address, and the link in it
    /// begins the waiting time of at least 48 hours. Call this method on the same device afterwards: the outcome
    /// then is `success`, this device has the role, and all other sessions have ended.
    ///
    /// ```swift
    /// if case .validatePassphrase(let step) = try await client.returnAsSecurityAdmin(
    ///     companyName: "acme.example", companyEmployeeId: "1001")
    /// {
    ///     let outcome = try await step.submit(passphrase)
    /// }
    /// ```
    ///
    /// - Throws: ``TenureClientError``. The step throws `return.not_permitted` if the account has no such way back,
    ///   `return.in_progress` if another device has one open, and `return.not_available`, with the time in
    ///   ``TenureClientError/problem``, before the waiting time is over.
    public func returnAsSecurityAdmin(companyName: String, companyEmployeeId: String) async throws -> LoginStep {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        let key = try await keyStore.keyOrNew(of: account)
        let flow = try await startReturn(company: companyName, employee: companyEmployeeId, key: key)
        let response = try await proveKey(flow, key: key)
        let (open, changed) = try await open(
            FlowContext(client: self, account: account, key: key, flow: flow, asked: response))
        return try LoginStep(response, open, changed)
    }

    /// Starts the return of a security admin. Requires a secret with ACCESS.
    ///
    /// Call ``proveKey(_:key:)`` next, then prove the credential as in a log-in.
    ///
    /// - Throws: ``TenureClientError``.
    public func startReturn(company: String, employee: String, key: some DeviceKey) async throws -> Flow {
        let request = LoginRequest(
            companyName: company, companyEmployeeId: employee, employeePublicKey: key.publicKey.bytes)
        let started = try await call(.startReturn, body: request, FlowStartedResponse.self)
        return Flow(.return, started, company: company, employee: employee, key: key.publicKey)
    }

    /// Cancels a return of the account with this device's key, or undoes it within 30 days, without a log-in.
    ///
    /// The key must have been authorized at some time within the 30 days before the return was opened, even if others
    /// have revoked it since. The device signs the cancellation and nothing else.
    ///
    /// - Returns: The position in the tenant's ledger.
    /// - Throws: ``TenureClientError``: `return.unknown` if there is no return that this device may cancel or undo.
    ///   ``TenureClientError/Code/signingRefused`` if this device has no key, or the service asks to sign anything
    ///   else.
    public func cancelReturn(companyName: String, companyEmployeeId: String) async throws -> Int64? {
        let account = account(companyName: companyName, companyEmployeeId: companyEmployeeId)
        guard let key = try await keyStore.key(of: account) else { throw TenureClientError(.signingRefused) }
        let flow = try await startLogin(company: companyName, employee: companyEmployeeId, key: key)
        _ = try await proveKey(flow, key: key)
        let path = ["flow": flow.handle]
        let first = try await call(.cancelReturnByDevice, path, body: DecisionRequest(), DecisionResponse.self)
        switch first {
        case .done(_, let position): return position
        case .signatureRequired(let bytes):
            let company = try await PinnedCompany(of: account, on: self)
            guard let statement = try? ReturnStatement(parsing: bytes, expecting: .returnCancellation),
                statement.reason == "owner", statement.keyHash != Hex.decode(key.publicKey.fingerprint),
                company.permits(statement.context, signedBy: key.publicKey)
            else { throw TenureClientError(.signingRefused) }
            let signature = try await key.signature(over: statement)
            let signed = StatementSignature(statement: bytes, signature: signature.bytes)
            guard
                case .done(_, let position) = try await call(
                    .cancelReturnByDevice, path, body: DecisionRequest(signed: signed), DecisionResponse.self)
            else { throw TenureClientError(.responseInvalid) }
            return position
        }
    }
}
