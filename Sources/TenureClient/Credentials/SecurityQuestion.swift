public import Canonical
import Credentials
import TenureAPI

/// A question that the user is to answer.
public struct SecurityQuestion: Sendable, Hashable {
    /// The id to send back with the answer.
    public let questionId: String
    /// The text. A listed question is in the client's language, any other as the user entered it at set-up.
    public let questionText: String

    /// Describes a question.
    public init(questionId: String, questionText: String) {
        self.questionId = questionId
        self.questionText = questionText
    }

    init(_ response: QuestionResponse) { self.init(questionId: response.questionId, questionText: response.question) }
}

/// The answer to a question that was shown.
public struct SecurityAnswer: Sendable, Hashable, Redacted {
    /// The question's id.
    public var questionId: String
    /// The answer as entered. Case, white space and Unicode form are ignored.
    public var answer: String

    /// Pairs a question with an answer.
    public init(questionId: String, answer: String) {
        self.questionId = questionId
        self.answer = answer
    }
}

/// A question that a new user chooses, with its answer.
public struct SecurityQuestionAnswer: Sendable, Hashable, Redacted {
    /// The question: a published question's text in any language, or the user's own text if the app permits it.
    public var question: String
    /// The answer.
    public var answer: String

    /// Pairs a question with its answer.
    public init(question: String, answer: String) {
        self.question = question
        self.answer = answer
    }
}

/// The credentials that a user chooses.
///
/// ```swift
/// let list = try await client.questions(locale: "en")
/// let questions = zip(list.suggestions(), answers).map { SecurityQuestionAnswer($0, answer: $1) }
/// let new = NewUserCredentials(questions: questions, passphrase: "correct horse battery staple")
/// ```
public struct NewUserCredentials: Sendable, Hashable, Redacted {
    /// Five questions with answers.
    public var questions: [SecurityQuestionAnswer]
    /// A passphrase of at least eight code points, or `nil`. A user with a passphrase is asked for it at log-in.
    public var passphrase: String?
    /// Whether the user may answer the questions instead of entering the passphrase.
    public var questionsWithPassphrase: Bool

    /// Describes credentials.
    public init(questions: [SecurityQuestionAnswer], passphrase: String? = nil, questionsWithPassphrase: Bool = false) {
        self.questions = questions
        self.passphrase = passphrase
        self.questionsWithPassphrase = questionsWithPassphrase
    }
}

/// The rules that new credentials must satisfy.
public struct CredentialRules: Sendable, Hashable {
    /// The number of questions.
    public var questionCount: Int
    /// The minimum length of a passphrase in code points.
    public var passphraseMinimumLength: Int
    /// Whether a user with a passphrase may choose to answer the questions instead.
    public var questionsWithPassphraseAllowed: Bool
    /// Whether the app lets users choose questions that are not in the published list.
    public var customQuestionsAllowed: Bool

    /// Describes rules for credentials.
    public init(
        questionCount: Int, passphraseMinimumLength: Int, questionsWithPassphraseAllowed: Bool,
        customQuestionsAllowed: Bool = false
    ) {
        self.questionCount = questionCount
        self.passphraseMinimumLength = passphraseMinimumLength
        self.questionsWithPassphraseAllowed = questionsWithPassphraseAllowed
        self.customQuestionsAllowed = customQuestionsAllowed
    }

    init(_ response: CredentialRulesResponse) {
        self.init(
            questionCount: Int(clamping: response.questions),
            passphraseMinimumLength: Int(clamping: response.passphraseMinimumLength),
            questionsWithPassphraseAllowed: response.questionsWithPassphraseAllowed,
            customQuestionsAllowed: response.customQuestionsAllowed)
    }
}

/// The published list of security questions, in one language.
///
/// ```swift
/// let list = try await client.questions(locale: "de")
/// let chosen = list.suggestions()
/// let question = SecurityQuestionAnswer(chosen[0], answer: "Quay Street")
/// ```
public struct PublishedQuestions: Sendable, Hashable {
    /// The version of the list.
    public let version: Int
    /// The language of the texts, for example `en`.
    public let locale: String
    /// The questions in the order of their numbers.
    public let questions: [PublishedQuestion]

    /// Creates the list built into this library, in the language of a tag such as `de` or `fr-CH`. Other languages fall
    /// back to English.
    public init(locale: String) {
        let language = QuestionLocale(preferring: [locale]), list = QuestionList.current
        version = list.version
        self.locale = language.rawValue
        questions = list.questions.map { PublishedQuestion(number: $0.number, text: $0.text(in: language)) }
    }

    init(_ response: QuestionListResponse) {
        version = Int(clamping: response.version)
        locale = response.locale
        questions = response.items.map { PublishedQuestion(number: Int(clamping: $0.number), text: $0.question) }
    }

    /// Draws five different questions to suggest, with the same weights that the service uses for decoys.
    ///
    /// If an app always suggested the same five, the questions would reveal which accounts exist.
    public func suggestions() -> [PublishedQuestion] {
        guard let list = QuestionList.of(version: version) else { return Array(questions.shuffled().prefix(5)) }
        let numbers = list.suggestions().map(\.number)
        return numbers.compactMap { number in questions.first { $0.number == number } }
    }
}

/// A question of the published list.
public struct PublishedQuestion: Sendable, Hashable {
    /// The number in the list, counted from 1.
    public let number: Int
    /// The text.
    public let text: String
}

extension SecurityQuestionAnswer {
    /// Pairs a question of the published list with its answer.
    public init(_ question: PublishedQuestion, answer: String) {
        self.init(question: question.text, answer: answer)
    }
}

extension TenureClient {
    /// Reads the published list of security questions.
    ///
    /// - Parameter locale: The language, such as `de` or `fr-CH`; `nil` for the client's first language. The service
    ///   falls back to English.
    /// - Throws: ``TenureClientError``.
    public func questions(locale: String? = nil) async throws -> PublishedQuestions {
        let wanted = locale ?? languages.first
        let response = try await call(
            .listQuestions, query: wanted.map { [("locale", $0)] } ?? [], as: .nobody, QuestionListResponse.self)
        return PublishedQuestions(response)
    }
}
