public import Canonical

/// The body of `POST /v1/…/{flow}/answers`.
public struct AnswersRequest: Sendable, Equatable, RequestObject, RedactedDescription {
    /// The answers.
    public var answers: [Answer]

    /// Describes a list of answers.
    public init(answers: [Answer]) { self.answers = answers }

    /// The members on the wire.
    public static let members = WireMembers<AnswersRequest>(
        "AnswersRequest", AnswersRequest.init, Member("answers", \.answers, .list()))

    /// One answer.
    public struct Answer: Sendable, Equatable, RequestObject, RedactedDescription {
        /// The id of the question, as the service sent it.
        public var questionId: String
        /// The answer as entered.
        public var answer: String

        /// Pairs a question with its answer.
        public init(questionId: String, answer: String) {
            self.questionId = questionId
            self.answer = answer
        }

        /// The members on the wire.
        public static let members = WireMembers<Answer>(
            "AnswersRequest.Answer", Answer.init, Member("questionId", \.questionId), Member("answer", \.answer))
    }
}

/// The body of `POST /v1/…/{flow}/passphrase`.
public struct PassphraseRequest: Sendable, Equatable, RequestObject, RedactedDescription {
    /// The passphrase as entered.
    public var passphrase: String

    /// Describes a passphrase.
    public init(passphrase: String) { self.passphrase = passphrase }

    /// The members on the wire.
    public static let members = WireMembers<PassphraseRequest>(
        "PassphraseRequest", PassphraseRequest.init, Member("passphrase", \.passphrase))
}
