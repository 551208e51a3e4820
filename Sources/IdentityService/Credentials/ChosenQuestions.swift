import Canonical
import Credentials
import ErrorCodes
import FoundationEssentials
import Identity
package import TenureAPI

extension QuestionListResponse {
    /// The current list in the first of `languages` that it has, or else in English.
    package init(preferring languages: [String]) {
        let locale = QuestionLocale(preferring: languages), list = QuestionList.current
        self.init(
            version: Int64(list.version), locale: locale.rawValue, locales: QuestionLocale.allCases.map(\.rawValue),
            items: list.questions.map { Item(number: Int64($0.number), question: $0.text(in: locale)) })
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
    func resolve(_ inputs: [QuestionChoice]) throws(ServiceError) -> [Question] {
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

    private func resolve(_ input: QuestionChoice, _ index: Int) throws(ServiceError) -> Question {
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

extension CredentialsRequest {
    /// Refuses questions beside a passphrase where the tenant's policy allows none.
    ///
    /// - Parameter pointer: The place of the credentials in the request, as a JSON pointer.
    /// - Throws: `request.invalid`.
    func requirePermitted(by policy: TenantPolicy, under pointer: String = "") throws(ServiceError) {
        guard !questionsWithPassphrase || policy.questionsWithPassphrase else {
            throw ServiceError(
                .requestInvalid,
                members: [
                    .init(
                        pointer: pointer + "/questionsWithPassphrase",
                        detail: "the company's policy does not allow questions beside a passphrase")
                ])
        }
    }

    /// Returns the questions, checked against the list and the app's setting, with their answers.
    ///
    /// - Parameter pointer: The place of the credentials in the request, as a JSON pointer.
    /// - Throws: As ``ChosenQuestions/resolve(_:)``.
    func chosenQuestions(_ app: AppCaller, under pointer: String = "") throws(ServiceError) -> [QuestionAndAnswer] {
        let questions = try ChosenQuestions(app, at: pointer + "/securityQuestions")
            .resolve(securityQuestions.map(\.choice))
        return zip(questions, securityQuestions).map { QuestionAndAnswer(question: $0, answer: $1.answer) }
    }
}

extension QuestionResponse {
    /// Shows a question in English, or as its user entered it.
    init(id: UUID, _ question: Question) {
        let listed = question.listed
        self.init(
            questionId: Base64URL.encode(id.bytes), question: question.text(in: .english),
            number: listed.map { Int64($0.number) }, version: listed.map { Int64($0.version) })
    }

    /// The question with the text of a listed one in the first of `languages` that the list has.
    func preferring(_ languages: [String]) -> QuestionResponse {
        guard let number, let version, let listed = ListedQuestion(number: Int(number), version: Int(version)) else {
            return self
        }
        var question = self
        question.question = listed.text(in: QuestionLocale(preferring: languages))
        return question
    }
}

extension FlowOutcomeResponse {
    /// The outcome with its listed questions in the first of `languages` that the list has.
    ///
    /// A listed question is stored by its number, so a reply shows it in the language of its request.
    package func preferring(_ languages: [String]) -> FlowOutcomeResponse {
        switch self {
        case .validateAnswers(let challenge, let questions, let opening):
            .validateAnswers(
                challenge: challenge, questions: questions.map { $0.preferring(languages) }, opening: opening)
        case .validatePassphrase(let challenge, let questions, let opening):
            .validatePassphrase(
                challenge: challenge, questions: questions?.map { $0.preferring(languages) }, opening: opening)
        case .success, .authorizationPending, .setCredentials: self
        }
    }
}
