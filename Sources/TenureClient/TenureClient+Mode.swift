import TenureAPI

extension TenureClient {
    /// How answers and passphrases are proved to the service.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// The blind mode where the service offers it, the direct mode otherwise. An account whose credentials this device
        /// has pinned, which the blind mode does, never goes back to the direct mode.
        case automatic
        /// Secrets never leave the device. A service that does not offer that is refused.
        case blind
        /// Secrets are sent over TLS and compared by the service, which keeps none of them.
        case direct
    }

    /// What carries secrets in a flow that was asked for this.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/modeUnavailable``.
    func exchange(for flow: FlowContext) async throws -> any CredentialExchange {
        if mode == .direct { return DirectExchange() }
        if flow.asked.offersBlindMode { return BlindExchange() }
        let account = try PinnedAccount(
            baseURL: baseURL, company: flow.account.companyName, employee: flow.account.companyEmployeeId)
        guard mode == .automatic, try await pinStore.pin(of: account) == nil else {
            throw TenureClientError(.modeUnavailable)
        }
        return DirectExchange()
    }
}
