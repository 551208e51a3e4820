import IdentityService
import TenureAPI

extension Route {
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
    static let proveRegistrationKey = proveKey(.proveRegistrationKey, .registration)
    static let proveLoginKey = proveKey(.proveLoginKey, .login)
    static let proveChangeKey = proveKey(.proveChangeKey, .change)
    static let proveRecoveryKey = proveKey(.proveRecoveryKey, .recovery)
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
    static let validateRegistrationAnswers = validateAnswers(.validateRegistrationAnswers, .registration)
    static let validateLoginAnswers = validateAnswers(.validateLoginAnswers, .login)
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
    static let validateRegistrationPassphrase = validatePassphrase(.validateRegistrationPassphrase, .registration)
    static let validateLoginPassphrase = validatePassphrase(.validateLoginPassphrase, .login)
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
    static let evaluateRegistration = evaluate(.evaluateRegistration, .registration)
    static let evaluateLogin = evaluate(.evaluateLogin, .login)
    static let evaluateChange = evaluate(.evaluateChange, .change)
    static let evaluateRecovery = evaluate(.evaluateRecovery, .recovery)
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
    static let proveRegistration = prove(.proveRegistration, .registration)
    static let proveLogin = prove(.proveLogin, .login)
    static let proveChange = prove(.proveChange, .change)
    static let proveRecovery = prove(.proveRecovery, .recovery)
    static let proveReturn = prove(.proveReturn, .returning)

    private static func prove(_ endpoint: Endpoint, _ purpose: FlowKind) -> Route {
        Route(endpoint) { exchange in
            let request = try exchange.read(ProofRequest.self)
            return try await exchange.outcome(
                ProveCredential(request, purpose: purpose, flow: exchange.captures["flow"], app: exchange.app()))
        }
    }
}
