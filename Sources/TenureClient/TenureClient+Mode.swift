extension TenureClient {
    /// How answers and passphrases are proved to the service.
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// The best mode that this library and the service both have.
        case automatic
        /// Secrets never leave the device. A flow that would need another mode is refused.
        case blind
        /// Secrets are sent over TLS and compared by the service, which keeps none of them.
        case direct
    }

    /// What carries secrets in this mode.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/modeUnavailable``.
    func exchange() throws(TenureClientError) -> any CredentialExchange {
        switch mode {
        case .automatic, .direct: DirectExchange()
        case .blind: throw TenureClientError(.modeUnavailable)
        }
    }
}
