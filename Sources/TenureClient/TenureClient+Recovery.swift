import Credentials
public import TenureAPI

/// New credentials for whoever lost every secret, by two persons of the company and one new key: the single calls.
/// ``TenureClient/recover(companyName:companyEmployeeId:)`` goes through them in steps.
extension TenureClient {
    /// Starts a recovery, or goes on with one; needs a secret with ACCESS. ``proveKey(_:key:)`` follows: it answers
    /// `authorizationPending` until two persons have approved this very key, and then `setCredentials`.
    ///
    /// Show the fingerprint of the key to the person, who reads it to the company's security admin. The same key has to be
    /// used each time.
    public func startRecovery(company: String, employee: String, key: some DeviceKey) async throws -> Flow {
        let request = LoginRequest(
            companyName: company, companyEmployeeId: employee, employeePublicKey: key.publicKey.bytes)
        let started = try await call(.startRecovery, body: request, FlowStartedResponse.self)
        return Flow(.recovery, started, company: company, employee: employee, key: key.publicKey)
    }

    /// Sets new credentials in direct mode: they go over TLS.
    ///
    /// A pin that this device has of the account is forgotten, because the credential was replaced.
    public func recoverCredentials(
        _ flow: Flow, to new: CredentialsRequest, pins: some PinStore
    ) async throws -> FlowOutcomeResponse {
        let outcome: FlowOutcomeResponse = try await call(
            .recoverCredentials, ["flow": flow.handle], body: new)
        try await pins.forget(PinnedAccount(baseURL: baseURL, company: flow.company, employee: flow.employee))
        return outcome
    }

    /// Sets new credentials in blind mode, which pins them: nothing that was entered leaves the device.
    ///
    /// - Parameters:
    ///   - flow: The flow, whose key this device has proved.
    ///   - asked: The outcome `setCredentials` of ``proveKey(_:key:)``.
    ///   - new: Five questions with their answers, and a passphrase or none.
    ///   - blindOnly: Whether direct mode shall be refused for the new credentials.
    ///   - key: This device's key, which the flow began with.
    ///   - pins: Where it is remembered which credentials this device has met.
    /// - Throws: ``TenureClientError`` as at a set-up in blind mode.
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
