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
    init(_ tokens: IssuedTokens) {
        self.init(
            accessToken: tokens.accessToken, expiresAt: tokens.expiresAt, refreshToken: tokens.refreshToken,
            credentialsChangeRequired: tokens.credentialsChangeRequired,
            notices: tokens.notices.map(NoticeResponse.init))
    }
}

extension EmployeeSummaryResponse {
    init(_ summary: EmployeeSummary) {
        self.init(
            employeeId: summary.employeeId, tenantId: summary.tenantId, companyName: summary.companyName,
            companyEmployeeId: summary.companyEmployeeId, status: summary.status, role: summary.role)
    }
}

extension CredentialRulesResponse {
    init(_ rules: SetUpRules) {
        self.init(
            questions: Int64(rules.questions), passphraseMinimumLength: Int64(rules.passphraseMinimumLength),
            questionsWithPassphraseAllowed: rules.questionsWithPassphraseAllowed, blindOnly: rules.blindOnly,
            customQuestionsAllowed: rules.customQuestionsAllowed)
    }
}

extension QuestionResponse {
    init(_ question: ShownQuestion, preferring languages: [String]) {
        let listed = question.listed
        self.init(
            questionId: question.questionId, question: question.text(preferring: languages),
            number: listed.map { Int64($0.number) }, version: listed.map { Int64($0.version) })
    }
}

extension FlowOutcomeResponse {
    /// - Parameter languages: The languages of the request, in order of preference.
    init(_ outcome: StepAnswer, preferring languages: [String] = []) {
        func shown(_ question: ShownQuestion) -> QuestionResponse {
            QuestionResponse(question, preferring: languages)
        }
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
                    challenge: challenge, questions: questions.map(shown),
                    opening: opening.map(OpeningResponse.init))
            case .validatePassphrase(let challenge, let questions, let opening):
                .validatePassphrase(
                    challenge: challenge, questions: questions?.map(shown),
                    opening: opening.map(OpeningResponse.init))
            }
    }
}

extension StepAnswer {
    /// The position at which the step appended, or `nil` if it appended nothing.
    var position: Int64? {
        switch self {
        case .success(_, _, let position), .authorizationPending(_, _, let position): position
        case .setCredentials, .validateAnswers, .validatePassphrase: nil
        }
    }
}

extension Reply {
    /// Replies with the outcome of a step. Questions are in the first of `languages` that the published list has.
    static func outcome(_ outcome: StepAnswer, preferring languages: [String] = []) -> Reply {
        var reply = json(FlowOutcomeResponse(outcome, preferring: languages), position: outcome.position)
        reply.login = LoginOutcome(outcome)
        return reply
    }
}

extension OpeningResponse {
    init(_ opening: BlindChallenge) { self.init(context: opening.context, recordHash: opening.recordHash) }
}

extension SetUpPlanResponse {
    init(_ plan: CredentialSetUpPlan) {
        self.init(
            credentialId: plan.credentialId, userId: plan.userId, oprfAnswers: plan.oprfAnswers,
            oprfPassphrase: plan.oprfPassphrase,
            kdf: .init(log2N: Int64(plan.log2N), r: Int64(plan.r), p: Int64(plan.p)),
            previous: plan.previous.map {
                SetUpPlanResponse.Previous(recordHash: $0.hash, generation: Int64($0.generation))
            },
            approvals: plan.approvals.map {
                SetUpPlanResponse.Approvals(opened: $0.opened, confirmed: $0.confirmed)
            })
    }
}

extension EvaluationsResponse {
    init(_ evaluations: [IdentityService.Evaluation]) {
        self.init(
            evaluations: evaluations.map {
                EvaluationsResponse.Evaluation(
                    slot: Int64($0.slot), evaluation: $0.evaluation, sealedCopy: $0.sealedCopy)
            })
    }
}
