import Canonical

@testable import IdentityService

extension FakeService {
    static let started = FlowStarted(
        flow: "Zmxvdw", challenge: Array("challenge".utf8), subjectSalt: [7], expiresAt: time)
    static let tokens = IssuedTokens(accessToken: "YQ", expiresAt: time, refreshToken: "cg")

    func startRegistration(_ input: RegistrationInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        try await enter(
            "startRegistration",
            [
                "companyName": input.companyName, "companyEmployeeId": input.companyEmployeeId, "email": input.email,
                "owned": "\(input.isCompanyOwnedEmail)", "key": Hex.encode(input.employeePublicKey),
            ], call)
        return Self.started
    }

    func startLogin(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        try await enter(
            "startLogin", ["companyName": input.companyName, "companyEmployeeId": input.companyEmployeeId], call)
        return Self.started
    }

    func startChange(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        try await enter(
            "startChange", ["companyName": input.companyName, "companyEmployeeId": input.companyEmployeeId], call)
        return Self.started
    }

    func changeCredentials(
        flow: String, _ input: ChangeInput, app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        let current =
            switch input.current {
            case .answers(let answers): "\(answers.count) answers"
            case .passphrase: "passphrase"
            }
        try await enter("changeCredentials", ["flow": flow, "current": current], call)
        return outcome
    }

    func startRecovery(_ input: LoginInput, app: AppCaller, call: Call) async throws -> FlowStarted {
        try await enter(
            "startRecovery", ["companyName": input.companyName, "companyEmployeeId": input.companyEmployeeId], call)
        return Self.started
    }

    func recoverCredentials(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        try await enter(
            "recoverCredentials", ["flow": flow, "questions": "\(input.securityQuestions.count)"], call)
        return outcome
    }

    func proveKey(
        purpose: FlowKind, flow: String, proof: [UInt8], app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        try await enter("proveKey", ["purpose": purpose.rawValue, "flow": flow, "proof": Hex.encode(proof)], call)
        return outcome
    }

    func setCredentials(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        try await enter(
            "setCredentials",
            [
                "flow": flow, "passphrase": input.passphrase ?? "none",
                "questions": input.securityQuestions.map { "\($0.question.name)=\($0.answer)" }.joined(separator: "|"),
                "both": "\(input.questionsWithPassphrase)",
            ], call)
        return outcome
    }

    func validateAnswers(
        purpose: FlowKind, flow: String, answers: [AnswerInput], app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        let text = answers.map { "\($0.questionId)=\($0.answer)" }.joined(separator: "|")
        try await enter("validateAnswers", ["purpose": purpose.rawValue, "flow": flow, "answers": text], call)
        return outcome
    }

    func validatePassphrase(
        purpose: FlowKind, flow: String, passphrase: String, app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        try await enter(
            "validatePassphrase", ["purpose": purpose.rawValue, "flow": flow, "passphrase": passphrase], call)
        return outcome
    }

    func evaluate(
        purpose: FlowKind, flow: String, elements: [ElementInput], app: AppCaller, call: Call
    ) async throws -> [Evaluation] {
        let text = elements.map { "\($0.slot)=\(Hex.encode($0.element))" }.joined(separator: "|")
        try await enter("evaluate", ["purpose": purpose.rawValue, "flow": flow, "elements": text], call)
        return elements.map { Evaluation(slot: $0.slot, evaluation: [1, 2], sealedCopy: [3]) }
    }

    func prove(
        purpose: FlowKind, flow: String, proof: ProofInput, app: AppCaller, call: Call
    ) async throws -> StepAnswer {
        let questions = proof.credentials?.questions.map { "\($0.question.name)=\(Hex.encode($0.salt))" } ?? []
        try await enter(
            "prove",
            [
                "purpose": purpose.rawValue, "flow": flow, "signature": Hex.encode(proof.userSignature),
                "record": proof.credentials.map { Hex.encode($0.record) } ?? "none",
                "questions": questions.joined(separator: "|"),
            ], call)
        return outcome
    }

    func refreshSession(refreshToken: String, call: Call) async throws -> IssuedTokens {
        try await enter("refreshSession", ["token": refreshToken], call)
        return Self.tokens
    }

    func closeSession(_ caller: EmployeeCaller, call: Call) async throws { try await enter("closeSession", [:], call) }

    func sessions(of caller: EmployeeCaller) async throws -> [SessionView] {
        try await enter("sessions")
        return [
            SessionView(
                sessionId: Self.employeeId, fingerprint: Self.fingerprint, createdAt: Self.time, expiresAt: Self.time,
                isCurrent: true)
        ]
    }

    func endSessions(of caller: EmployeeCaller, call: Call) async throws { try await enter("endSessions", [:], call) }

    func me(_ caller: EmployeeCaller) async throws -> MeView {
        try await enter("me")
        return MeView(
            tenantId: Self.employeeId, employeeId: Self.employeeId,
            summary: EmployeeSummary(
                companyName: "Acme", companyEmployeeId: "7", status: "active", role: "admin"),
            session: SessionView(
                sessionId: Self.employeeId, fingerprint: Self.fingerprint, createdAt: Self.time, expiresAt: Self.time,
                isCurrent: true),
            sessionRole: "employee", appId: Self.appId, appName: "app",
            notices: [Notice(type: "recovery.opened", openedAt: Self.time)])
    }

    func notices(for caller: EmployeeCaller) async throws -> [Notice] {
        try await enter("notices")
        return []
    }

    func devices(of caller: EmployeeCaller) async throws -> [DeviceView] {
        try await enter("devices")
        return [
            DeviceView(
                fingerprint: Self.fingerprint, employeePublicKey: [4], state: "authorized", isCurrent: true,
                presentedAt: Self.time, authorizedAt: Self.time, endedAt: nil, lastUsedAt: Self.time,
                authorizedBy: DeviceAuthority(kind: "app", appId: Self.appId))
        ]
    }

    func revokeDevice(_ input: DeviceRevocationInput, caller: EmployeeCaller, call: Call) async throws -> Decision {
        try await enter("revokeDevice", ["fingerprint": input.fingerprint, "reason": input.reason], call)
        return decision
    }
}

extension QuestionInput {
    /// The text, or number and version of a listed question.
    var name: String {
        switch self {
        case .text(let text): text
        case .listed(let number, let version): "#\(number)" + (version.map { "v\($0)" } ?? "")
        }
    }
}
