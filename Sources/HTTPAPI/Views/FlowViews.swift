import IdentityService
import TenureAPI

extension FlowStartedResponse {
    init(_ started: FlowStarted) {
        self.init(
            flow: started.flow, challenge: started.challenge, subjectSalt: started.subjectSalt,
            expiresAt: started.expiresAt)
    }
}

extension SessionResponse {
    init(_ tokens: SessionTokens) {
        self.init(
            accessToken: tokens.accessToken, expiresAt: tokens.expiresAt, refreshToken: tokens.refreshToken,
            credentialsChangeRequired: tokens.credentialsChangeRequired)
    }
}

extension EmployeeSummaryResponse {
    init(_ summary: EmployeeSummary) {
        self.init(
            companyName: summary.companyName, companyEmployeeId: summary.companyEmployeeId, status: summary.status,
            role: summary.role)
    }
}

extension CredentialRulesResponse {
    init(_ rules: CredentialRules) {
        self.init(
            questions: Int64(rules.questions), passphraseMinimumLength: Int64(rules.passphraseMinimumLength),
            questionsWithPassphraseAllowed: rules.questionsWithPassphraseAllowed, blindOnly: rules.blindOnly)
    }
}

extension QuestionResponse {
    init(_ question: ShownQuestion) { self.init(questionId: question.questionId, question: question.question) }
}

extension FlowOutcomeResponse {
    init(_ outcome: FlowOutcome) {
        self =
            switch outcome {
            case .success(let tokens, let summary, let position):
                .success(SessionResponse(tokens), EmployeeSummaryResponse(summary), position: position)
            case .authorizationPending(let key, let fingerprint, let position):
                .authorizationPending(employeePublicKey: key, fingerprint: fingerprint, position: position)
            case .setCredentials(let challenge, let rules, let setUp):
                .setCredentials(
                    challenge: challenge, rules: CredentialRulesResponse(rules),
                    setUp: setUp.map(SetUpPlanResponse.init))
            case .validateAnswers(let challenge, let questions, let opening):
                .validateAnswers(
                    challenge: challenge, questions: questions.map(QuestionResponse.init),
                    opening: opening.map(OpeningResponse.init))
            case .validatePassphrase(let challenge, let questions, let opening):
                .validatePassphrase(
                    challenge: challenge, questions: questions?.map(QuestionResponse.init),
                    opening: opening.map(OpeningResponse.init))
            }
    }
}

extension FlowOutcome {
    /// The position that the step appended at, when it did.
    var position: Int64? {
        switch self {
        case .success(_, _, let position), .authorizationPending(_, _, let position): position
        case .setCredentials, .validateAnswers, .validatePassphrase: nil
        }
    }
}

extension Reply {
    /// The outcome of a step.
    static func outcome(_ outcome: FlowOutcome) -> Reply {
        json(FlowOutcomeResponse(outcome), position: outcome.position)
    }
}
