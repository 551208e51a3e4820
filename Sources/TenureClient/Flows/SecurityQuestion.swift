import TenureAPI

/// A question as it is shown to the user who is to answer it.
public struct SecurityQuestion: Sendable, Hashable {
    /// The id that goes back with the answer.
    public let questionId: String
    /// The text as it was entered at set-up.
    public let questionText: String

    /// Describes a question.
    public init(questionId: String, questionText: String) {
        self.questionId = questionId
        self.questionText = questionText
    }

    init(_ response: QuestionResponse) { self.init(questionId: response.questionId, questionText: response.question) }
}

/// The answer to a question that was shown.
public struct SecurityAnswer: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The question's id.
    public var questionId: String
    /// The answer as entered; case, white space and Unicode form do not matter.
    public var answer: String

    /// Pairs a question with an answer.
    public init(questionId: String, answer: String) {
        self.questionId = questionId
        self.answer = answer
    }

    /// Never the answer.
    public var description: String { "[redacted]" }
    /// Never the answer.
    public var debugDescription: String { description }
}

/// A question that a new user chooses, with its answer.
public struct SecurityQuestionAnswer: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// The question.
    public var question: String
    /// Its answer.
    public var answer: String

    /// Pairs a question with its answer.
    public init(question: String, answer: String) {
        self.question = question
        self.answer = answer
    }

    /// Never the answer.
    public var description: String { "[redacted]" }
    /// Never the answer.
    public var debugDescription: String { description }
}

/// Everything a new user chooses.
public struct NewUserCredentials: Sendable, Hashable, CustomStringConvertible, CustomDebugStringConvertible {
    /// Five questions with answers.
    public var questions: [SecurityQuestionAnswer]
    /// A passphrase of at least eight code points, or none. A user with a passphrase is asked for it.
    public var passphrase: String?
    /// Whether the questions may be answered in the place of the passphrase.
    public var questionsWithPassphrase: Bool

    /// Describes credentials.
    public init(questions: [SecurityQuestionAnswer], passphrase: String? = nil, questionsWithPassphrase: Bool = false) {
        self.questions = questions
        self.passphrase = passphrase
        self.questionsWithPassphrase = questionsWithPassphrase
    }

    /// Never the secrets.
    public var description: String { "[redacted]" }
    /// Never the secrets.
    public var debugDescription: String { description }
}
