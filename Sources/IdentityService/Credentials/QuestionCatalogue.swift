public import Credentials
import ErrorCodes

/// The published list of security questions in one language.
public struct QuestionCatalogue: Sendable, Equatable {
    /// The version of the list.
    public var version: Int
    /// The language of the texts, for example `en`.
    public var locale: String
    /// Every language that the list has.
    public var locales: [String]
    /// The number and text of each question, ordered by number.
    public var items: [Item]

    /// One question.
    public struct Item: Sendable, Equatable {
        /// The number, counted from 1.
        public var number: Int
        /// The text.
        public var question: String
    }

    /// The current list in the first of `languages` that it has, or else in English.
    public init(preferring languages: [String]) {
        let locale = QuestionLocale(preferring: languages), list = QuestionList.current
        version = list.version
        self.locale = locale.rawValue
        locales = QuestionLocale.allCases.map(\.rawValue)
        items = list.questions.map { Item(number: $0.number, question: $0.text(in: locale)) }
    }
}

/// A question as chosen in a set-up.
public enum QuestionInput: Sendable, Hashable {
    /// A text, which may be that of a listed question in any language.
    case text(String)
    /// A question of the published list, in its current version if `version` is `nil`.
    case listed(number: Int64, version: Int64?)

    /// The question in the form that ``Credentials/QuestionText`` commits to.
    public init(_ question: Question) {
        self =
            switch question {
            case .listed(let listed): .listed(number: Int64(listed.number), version: Int64(listed.version))
            case .own(let text): .text(text)
            }
    }
}

/// Checks the questions of a set-up against the published list and the app's setting.
struct ChosenQuestions {
    /// Whether the app lets its users choose question texts of their own.
    let areOwnAllowed: Bool
    /// The place of the questions in the request, as a JSON pointer.
    let pointer: String

    init(_ app: AppCaller, at pointer: String) {
        areOwnAllowed = app.customQuestions
        self.pointer = pointer
    }

    /// Returns the chosen questions.
    ///
    /// - Throws: `credentials.five_questions_required` for another number of questions; `request.invalid` for a number
    ///   that the list does not have; `credentials.custom_question` for the user's own text if the app allows none.
    func resolve(_ inputs: [QuestionInput]) throws(ServiceError) -> [Question] {
        guard inputs.count == 5 else { throw ServiceError(.credentialsFiveQuestionsRequired) }
        var questions: [Question] = []
        for (index, input) in inputs.enumerated() { questions.append(try resolve(input, index)) }
        let own = questions.indices.filter { isOwn(questions[$0]) }
        guard areOwnAllowed || own.isEmpty else {
            throw ServiceError(
                .credentialsCustomQuestion,
                members: own.map {
                    .init(
                        pointer: "\(pointer)/\($0)/question",
                        detail: "the published list has no such question; choose one from GET /v1/questions")
                })
        }
        return questions
    }

    private func resolve(_ input: QuestionInput, _ index: Int) throws(ServiceError) -> Question {
        switch input {
        case .text(let text): return Question(text)
        case .listed(let number, let version):
            guard let number = Int(exactly: number),
                let listed = ListedQuestion(number: number, version: version.map { Int(clamping: $0) })
            else {
                throw ServiceError(
                    .requestInvalid,
                    members: [
                        .init(
                            pointer: "\(pointer)/\(index)/number",
                            detail: "the published list has no question with that number and version")
                    ])
            }
            return .listed(listed)
        }
    }

    /// Whether a text is the user's own. The set-up itself refuses a text that is not acceptable at all.
    private func isOwn(_ question: Question) -> Bool {
        guard case .own(let text) = question else { return false }
        return (try? QuestionText(text)) != nil && text.contains { !$0.isWhitespace }
    }
}

extension CredentialsInput {
    /// Returns the questions, checked against the list and the app's setting, with their answers.
    ///
    /// - Parameter pointer: The place of the credentials in the request, as a JSON pointer.
    /// - Throws: As ``ChosenQuestions/resolve(_:)``.
    func chosenQuestions(_ app: AppCaller, under pointer: String = "") throws(ServiceError) -> [QuestionAndAnswer] {
        let questions = try ChosenQuestions(app, at: pointer + "/securityQuestions")
            .resolve(securityQuestions.map(\.question))
        return zip(questions, securityQuestions).map { QuestionAndAnswer(question: $0, answer: $1.answer) }
    }
}
