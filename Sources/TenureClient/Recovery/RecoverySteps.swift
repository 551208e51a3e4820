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
