import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/registrations/{flow}/answers`.
    static let validateRegistrationAnswers = validateAnswers(.validateRegistrationAnswers, .registration)
    /// `POST /v1/logins/{flow}/answers`.
    static let validateLoginAnswers = validateAnswers(.validateLoginAnswers, .login)

    private static func validateAnswers(_ endpoint: Endpoint, _ purpose: FlowPurpose) -> Route {
        Route(endpoint, body: .required) { exchange in
            let request = try exchange.read(AnswersRequest.self)
            return .outcome(
                try await exchange.service.validateAnswers(
                    purpose: purpose, flow: exchange.captures["flow"],
                    answers: request.answers.map { AnswerInput(questionId: $0.questionId, answer: $0.answer) },
                    app: exchange.app(), call: exchange.call))
        }
    }
}
