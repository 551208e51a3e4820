import TenureAPI

/// What a user enters at the last step of a flow.
enum FlowSubmission: Sendable {
    case newCredentials(NewUserCredentials)
    case answers([SecurityAnswer])
    case passphrase(String)

    /// The body of the direct mode.
    var body: any JSONConvertible {
        switch self {
        case .newCredentials(let new):
            CredentialsRequest(
                securityQuestions: new.questions.map {
                    NewSecurityQuestion(question: $0.question, answer: $0.answer)
                }, passphrase: new.passphrase, questionsWithPassphrase: new.questionsWithPassphrase)
        case .answers(let answers):
            AnswersRequest(answers: answers.map { .init(questionId: $0.questionId, answer: $0.answer) })
        case .passphrase(let passphrase): PassphraseRequest(passphrase: passphrase)
        }
    }
}
