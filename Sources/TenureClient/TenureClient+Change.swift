import Credentials
public import TenureAPI

/// Changing credentials with the old secret, on a device whose key is authorized.
extension TenureClient {
    /// Starts a change of credentials; needs a secret with ACCESS. ``proveKey(_:key:)`` follows, and tells which old secret
    /// is asked for.
    public func startChange(company: String, employee: String, key: some DeviceKey) async throws -> Flow {
        let request = LoginRequest(
            companyName: company, companyEmployeeId: employee, employeePublicKey: key.publicKey.bytes)
        let started = try await call(.startChange, body: request, FlowStartedResponse.self)
        return Flow(.change, started, company: company, employee: employee, key: key.publicKey)
    }

    /// Changes credentials in direct mode: the old secret and the new credentials go over TLS.
    ///
    /// A pin that this device has of the account is forgotten, because its own change replaced the credential.
    public func changeCredentials(
        _ flow: Flow, current: CredentialsChangeRequest.Current, to new: CredentialsRequest, pins: some PinStore
    ) async throws -> FlowOutcomeResponse {
        let outcome: FlowOutcomeResponse = try await call(
            .changeCredentials, ["flow": flow.handle],
            body: CredentialsChangeRequest(current: current, credentials: new))
        try await forgetPin(of: flow, pins)
        return outcome
    }

    /// Changes credentials in blind mode: neither the old secret nor the new ones leave the device.
    ///
    /// The old credential must be the pinned one where there is a pin, or the accepted one; the new one is pinned in its
    /// place.
    ///
    /// - Parameters:
    ///   - flow: The flow, whose key this device has proved.
    ///   - asked: The outcome of ``proveKey(_:key:)``.
    ///   - current: The old answers or the old passphrase.
    ///   - new: Five questions with their answers, and a passphrase or none.
    ///   - blindOnly: Whether direct mode shall be refused for the new credentials.
    ///   - key: This device's key, which the flow began with.
    ///   - pins: Where it is remembered which credentials this device has met.
    ///   - accepted: What the person takes for the account's credentials, of ``shownCredentials(_:_:)``, when another
    ///     one is pinned.
    /// - Throws: ``TenureClientError`` as at a set-up in blind mode.
    public func changeBlindCredentials(
        _ flow: Flow, _ asked: FlowOutcomeResponse, current: CredentialsChangeRequest.Current,
        to new: CredentialsRequest, blindOnly: Bool = false, key: some DeviceKey, pins: some PinStore,
        accepting accepted: CredentialPin? = nil
    ) async throws -> FlowOutcomeResponse {
        let opened = try await openCurrent(current, flow, asked, pins: pins, accepting: accepted)
        return try await replace(opened, with: new, in: flow, blindOnly: blindOnly, key: key, pins: pins)
    }

    /// Opens the credential that is to be replaced, and proves that to the service.
    func openCurrent(
        _ current: CredentialsChangeRequest.Current, _ flow: Flow, _ asked: FlowOutcomeResponse, pins: some PinStore,
        accepting accepted: CredentialPin?
    ) async throws -> Opened {
        switch current {
        case .answers(let answers):
            try await openAnswers(flow, asked, answers: answers, pins: pins, accepting: accepted)
        case .passphrase(let text):
            try await openPassphrase(flow, asked, passphrase: text, pins: pins, accepting: accepted)
        }
    }

    /// Makes the record that replaces the opened one, signed by the old user key, and hands it in.
    func replace(
        _ opened: Opened, with new: CredentialsRequest, in flow: Flow, blindOnly: Bool = false, key: some DeviceKey,
        pins: some PinStore
    ) async throws -> FlowOutcomeResponse {
        let challenge = try flow.checkedChallenge(app: credentials.appId)
        let plan = try Self.plan(opened.outcome, replacing: opened, blindOnly: blindOnly)
        guard plan.credentialId != challenge.fields.credential else { throw TenureClientError(.signingRefused) }
        return try await handIn(
            new, flow, challenge, plan, authority: .changed(oldKey: opened.userKey), key: key, pins: pins)
    }

    func forgetPin(of flow: Flow, _ pins: some PinStore) async throws {
        try await pins.forget(PinnedAccount(baseURL: baseURL, company: flow.company, employee: flow.employee))
    }
}
