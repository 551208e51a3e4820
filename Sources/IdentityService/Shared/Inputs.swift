public import Canonical

/// New credentials in direct mode.
public struct CredentialsInput: Sendable, CustomStringConvertible {
    /// The questions with their answers, in the user's order.
    public var securityQuestions: [(question: QuestionInput, answer: String)]
    /// The passphrase, if the user chose one.
    public var passphrase: String?
    /// Whether the questions may be used instead of the passphrase.
    public var questionsWithPassphrase: Bool
    /// A placeholder that never contains the secrets.
    public var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    public init(
        securityQuestions: [(question: QuestionInput, answer: String)], passphrase: String?,
        questionsWithPassphrase: Bool
    ) {
        self.securityQuestions = securityQuestions
        self.passphrase = passphrase
        self.questionsWithPassphrase = questionsWithPassphrase
    }

    /// New credentials whose questions are texts, listed ones or the user's own.
    public init(
        texts: [(question: String, answer: String)], passphrase: String?, questionsWithPassphrase: Bool
    ) {
        self.init(
            securityQuestions: texts.map { (.text($0.question), $0.answer) }, passphrase: passphrase,
            questionsWithPassphrase: questionsWithPassphrase)
    }
}

/// One answer in direct mode.
public struct AnswerInput: Sendable, CustomStringConvertible {
    /// The question's id, unpadded base64url of 16 bytes.
    public var questionId: String
    /// The answer as typed.
    public var answer: String
    /// A placeholder that never contains the answer.
    public var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    public init(questionId: String, answer: String) {
        self.questionId = questionId
        self.answer = answer
    }
}

/// The page of a list that is asked for.
public struct PageRequest: Sendable {
    /// Only items after this cursor, which the page before names.
    public var after: Int64
    /// The largest number of items.
    public var limit: Int

    /// Each parameter sets the property of the same name.
    public init(after: Int64 = 0, limit: Int) {
        self.after = after
        self.limit = limit
    }
}

/// The filter of a list of events.
public struct EventQuery: Sendable {
    /// Which of them.
    public var page: PageRequest
    /// Only events of this type.
    public var type: String?
    /// Only events that concern this employee id.
    public var employee: String?
    /// Only events recorded at this time or before.
    public var asOf: Timestamp?

    /// Each parameter sets the property of the same name.
    public init(
        _ page: PageRequest, type: String? = nil, employee: String? = nil, asOf: Timestamp? = nil
    ) {
        self.page = page
        self.type = type
        self.employee = employee
        self.asOf = asOf
    }
}
