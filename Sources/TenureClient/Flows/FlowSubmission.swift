import TenureAPI

/// What a user enters at the last step of a flow.
enum FlowSubmission: Sendable {
    case newCredentials(NewUserCredentials)
    case answers([SecurityAnswer])
    case passphrase(String)
    case change(ProvedSecret, NewUserCredentials)

    /// The body of the direct mode.
    var body: any JSONConvertible {
        switch self {
        case .newCredentials(let new): CredentialsRequest(new)
        case .answers(let answers): AnswersRequest(answers: answers.map { .init($0) })
        case .passphrase(let passphrase): PassphraseRequest(passphrase: passphrase)
        case .change(.direct(let current), let new):
            CredentialsChangeRequest(current: .init(current), credentials: CredentialsRequest(new))
        // The old secret was proved by a call of its own.
        case .change(.blind, let new): CredentialsRequest(new)
        }
    }
}

extension CredentialsRequest {
    init(_ new: NewUserCredentials) {
        self.init(
            securityQuestions: new.questions.map { NewSecurityQuestion(question: $0.question, answer: $0.answer) },
            passphrase: new.passphrase, questionsWithPassphrase: new.questionsWithPassphrase)
    }
}

extension CredentialsChangeRequest.Current {
    init(_ current: CurrentSecret) {
        switch current {
        case .answers(let answers): self = .answers(answers.map { .init($0) })
        case .passphrase(let text): self = .passphrase(text)
        }
    }
}

extension AnswersRequest.Answer {
    init(_ answer: SecurityAnswer) { self.init(questionId: answer.questionId, answer: answer.answer) }
}
