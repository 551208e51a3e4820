import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/logins`.
    static let startLogin = Route(.startLogin) { exchange in
        let request = try exchange.read(LoginRequest.self)
        return try await exchange.started(.login, request)
    }
}

extension RoutedRequest {
    /// Starts a log-in, a change of credentials, a recovery or a return.
    func started(_ purpose: FlowKind, _ request: LoginRequest) async throws -> Reply {
        try await reply(
            to: StartLogin(purpose, request, app: app())
        ) { .json($0, status: 201) }
    }
}

extension Route {
    /// `POST /v1/registrations/{flow}/key`.
    static let proveRegistrationKey = proveKey(.proveRegistrationKey, .registration)
    /// `POST /v1/logins/{flow}/key`.
    static let proveLoginKey = proveKey(.proveLoginKey, .login)
    /// `POST /v1/credentials/changes/{flow}/key`.
    static let proveChangeKey = proveKey(.proveChangeKey, .change)
    /// `POST /v1/recoveries/{flow}/key`.
    static let proveRecoveryKey = proveKey(.proveRecoveryKey, .recovery)
    /// `POST /v1/returns/{flow}/key`.
    static let proveReturnKey = proveKey(.proveReturnKey, .returning)

    private static func proveKey(_ endpoint: Endpoint, _ purpose: FlowKind) -> Route {
        Route(endpoint) { exchange in
            let request = try exchange.read(KeyProofRequest.self)
            return try await exchange.outcome(
                ProveKey(request.keyProof, purpose: purpose, flow: exchange.captures["flow"], app: exchange.app()))
        }
    }
}

extension Route {
    /// `POST /v1/registrations/{flow}/answers`.
    static let validateRegistrationAnswers = validateAnswers(.validateRegistrationAnswers, .registration)
    /// `POST /v1/logins/{flow}/answers`.
    static let validateLoginAnswers = validateAnswers(.validateLoginAnswers, .login)
    /// `POST /v1/returns/{flow}/answers`.
    static let validateReturnAnswers = validateAnswers(.validateReturnAnswers, .returning)

    private static func validateAnswers(_ endpoint: Endpoint, _ purpose: FlowKind) -> Route {
        Route(endpoint) { exchange in
            let request = try exchange.read(AnswersRequest.self)
            return try await exchange.outcome(
                ValidateCredential(
                    .answers(request.answers), purpose: purpose, flow: exchange.captures["flow"], app: exchange.app()))
        }
    }
}

extension Route {
    /// `POST /v1/registrations/{flow}/passphrase`.
    static let validateRegistrationPassphrase = validatePassphrase(.validateRegistrationPassphrase, .registration)
    /// `POST /v1/logins/{flow}/passphrase`.
    static let validateLoginPassphrase = validatePassphrase(.validateLoginPassphrase, .login)
    /// `POST /v1/returns/{flow}/passphrase`.
    static let validateReturnPassphrase = validatePassphrase(.validateReturnPassphrase, .returning)

    private static func validatePassphrase(_ endpoint: Endpoint, _ purpose: FlowKind) -> Route {
        Route(endpoint) { exchange in
            let request = try exchange.read(PassphraseRequest.self)
            return try await exchange.outcome(
                ValidateCredential(
                    .passphrase(request.passphrase), purpose: purpose, flow: exchange.captures["flow"],
                    app: exchange.app()))
        }
    }
}

extension Route {
    /// `POST /v1/registrations/{flow}/evaluations`.
    static let evaluateRegistration = evaluate(.evaluateRegistration, .registration)
    /// `POST /v1/logins/{flow}/evaluations`.
    static let evaluateLogin = evaluate(.evaluateLogin, .login)
    /// `POST /v1/credentials/changes/{flow}/evaluations`.
    static let evaluateChange = evaluate(.evaluateChange, .change)
    /// `POST /v1/recoveries/{flow}/evaluations`.
    static let evaluateRecovery = evaluate(.evaluateRecovery, .recovery)
    /// `POST /v1/returns/{flow}/evaluations`.
    static let evaluateReturn = evaluate(.evaluateReturn, .returning)

    private static func evaluate(_ endpoint: Endpoint, _ purpose: FlowKind) -> Route {
        Route(endpoint) { exchange in
            let request = try exchange.read(EvaluationsRequest.self)
            return try await exchange.reply(
                to: EvaluateElements(
                    request.elements, purpose: purpose, flow: exchange.captures["flow"], app: exchange.app())
            ) { .json($0) }
        }
    }
}

extension Route {
    /// `POST /v1/registrations/{flow}/proof`.
    static let proveRegistration = prove(.proveRegistration, .registration)
    /// `POST /v1/logins/{flow}/proof`.
    static let proveLogin = prove(.proveLogin, .login)
    /// `POST /v1/credentials/changes/{flow}/proof`.
    static let proveChange = prove(.proveChange, .change)
    /// `POST /v1/recoveries/{flow}/proof`.
    static let proveRecovery = prove(.proveRecovery, .recovery)
    /// `POST /v1/returns/{flow}/proof`.
    static let proveReturn = prove(.proveReturn, .returning)

    private static func prove(_ endpoint: Endpoint, _ purpose: FlowKind) -> Route {
        Route(endpoint) { exchange in
            let request = try exchange.read(ProofRequest.self)
            return try await exchange.outcome(
                ProveCredential(request, purpose: purpose, flow: exchange.captures["flow"], app: exchange.app()))
        }
    }
}
