import ErrorCodes
import IdentityService
import TenureAPI

/// The page on which somebody chooses five listed questions, answers them, and may choose a passphrase.
struct CredentialsPage: Sendable {
    /// The number of questions.
    static let count = 5

    /// What was entered.
    struct Input: Sendable {
        /// The numbers of the chosen questions as the form has them; empty for none.
        var questions = Array(repeating: "", count: CredentialsPage.count)
        var answers = Array(repeating: "", count: CredentialsPage.count)
        var passphrase = ""
        /// The passphrase once more.
        var repeated = ""
        /// Whether the questions may be answered instead of the passphrase.
        var both = false
    }

    let view: FlowView
    let language: PageLanguage

    /// The page with its form. Answers are shown again, so that one fault does not cost five; a passphrase is not.
    /// Whoever chose one is told, so that nobody goes on without it unawares.
    func page(_ input: Input, _ found: [CredentialsProblem], hidden: PageContent) -> HostedPage {
        var problems = found
        let isAboutPassphrase = found.contains { $0.place == .passphrase || $0.place == .repeated }
        if !found.isEmpty, !input.passphrase.isEmpty, !isAboutPassphrase {
            problems.append(CredentialsProblem(place: .passphrase, word: "credentials.passphraseAgain"))
        }
        let told = problems.map { PageProblem(field: $0.place.field, text: text($0.word, least)) }
        var content: PageContent = [
            "problems": PageProblem.summary(told, in: language),
            "account": .text(text("flow.account", view.companyEmployeeId, view.companyName)),
            "username": .text("\(view.companyEmployeeId)@\(view.companyName)"),
            "questions": .list(questions(input, told)),
            "passphraseText": .text(text("credentials.passphraseText", least)),
            "passphraseError": told.text(at: "passphrase"), "repeatedError": told.text(at: "repeated"),
        ]
        if view.rules?.questionsWithPassphraseAllowed == true {
            content["bothLabel"] = .text(text("credentials.both"))
            if input.both { content["both"] = "true" }
        }
        return HostedPage(
            template: .credentials, language: language, title: text("credentials.title"),
            content: content.merging(words).merging(hidden), status: problems.isEmpty ? 200 : 400)
    }

    /// The least number of characters of a passphrase.
    private var least: String { "\(view.rules?.passphraseMinimumLength ?? 8)" }

    private var words: PageContent {
        let names: [(String, PageWord)] = [
            ("text", "credentials.text"), ("rule", "credentials.rule"), ("choose", "credentials.choose"),
            ("passphraseTitle", "credentials.passphraseTitle"), ("passphraseLabel", "credentials.passphrase"),
            ("repeatedLabel", "credentials.repeated"), ("save", "credentials.save"),
        ]
        return PageContent(names, in: language)
    }

    private func questions(_ input: Input, _ problems: [PageProblem]) -> [PageContent] {
        let list = QuestionListResponse(preferring: [language.rawValue]).items
        return (0..<Self.count).map { index in
            let question = CredentialsProblem.Place.question(index), answer = CredentialsProblem.Place.answer(index)
            return [
                "questionField": .text(question.field),
                "questionLabel": .text(text("credentials.question", "\(index + 1)")),
                "questionError": problems.text(at: question.field), "answerField": .text(answer.field),
                "answerLabel": .text(text("credentials.answer", "\(index + 1)")), "answer": .text(input.answers[index]),
                "answerError": problems.text(at: answer.field),
                "options": .list(
                    list.map { item in
                        var option: PageContent = ["number": .text("\(item.number)"), "question": .text(item.question)]
                        if input.questions[index] == "\(item.number)" { option["selected"] = "true" }
                        return option
                    }),
            ]
        }
    }

    private func text(_ word: PageWord, _ first: String = "", _ second: String = "") -> String {
        word.text(in: language, first, second)
    }
}

extension CredentialsPage.Input {
    /// Reads the form. A field that is given twice counts as empty.
    init(_ fields: FormReader) {
        func text(_ name: String) -> String { (try? fields.text(name)) ?? "" }
        for index in 0..<CredentialsPage.count {
            questions[index] = text(CredentialsProblem.Place.question(index).field)
            answers[index] = text(CredentialsProblem.Place.answer(index).field)
        }
        passphrase = text("passphrase")
        repeated = text("repeated")
        both = text("both") == "true"
    }

    /// What is missing or doubtful before the service is asked.
    var missing: [CredentialsProblem] {
        var problems: [CredentialsProblem] = []
        for index in 0..<CredentialsPage.count {
            if Int64(questions[index]) == nil {
                problems.append(CredentialsProblem(place: .question(index), word: "credentials.questionMissing"))
            } else if questions[..<index].contains(questions[index]) {
                problems.append(CredentialsProblem(place: .question(index), word: "credentials.questionTwice"))
            }
            if answers[index].isEmpty {
                problems.append(CredentialsProblem(place: .answer(index), word: "credentials.answerMissing"))
            }
        }
        if passphrase != repeated {
            problems.append(CredentialsProblem(place: .repeated, word: "credentials.passphraseDiffers"))
        }
        return problems
    }

    /// The request with these credentials.
    var request: CredentialsRequest {
        CredentialsRequest(
            securityQuestions: zip(questions, answers).map { question, answer in
                NewSecurityQuestion(.listed(number: Int64(question) ?? 0, version: nil), answer: answer)
            },
            passphrase: passphrase.isEmpty ? nil : passphrase, questionsWithPassphrase: both && !passphrase.isEmpty)
    }
}

/// What is wrong with new credentials, for the person who chose them.
struct CredentialsProblem: Sendable, Equatable {
    /// The entry that is at fault.
    enum Place: Sendable, Equatable {
        case question(Int)
        case answer(Int)
        case passphrase
        case repeated
        case form

        /// The name of the field, which is its id too.
        var field: String {
            switch self {
            case .question(let index): "question\(index + 1)"
            case .answer(let index): "answer\(index + 1)"
            case .passphrase: "passphrase"
            case .repeated: "repeated"
            case .form: "form"
            }
        }

        /// The entry that a JSON pointer of the request is about.
        init?(pointer: String) {
            let parts = pointer.split(separator: "/")
            switch (parts.first, parts.count) {
            case ("passphrase"?, 1): self = .passphrase
            case ("securityQuestions"?, 3):
                guard let index = Int(parts[1]), (0..<CredentialsPage.count).contains(index) else { return nil }
                self = parts[2] == "answer" ? .answer(index) : .question(index)
            default: return nil
            }
        }
    }

    let place: Place
    let word: PageWord

    init(place: Place, word: PageWord) {
        self.place = place
        self.word = word
    }

    /// The problems of a refusal; empty for one that is not about the credentials.
    static func all(_ error: ServiceError) -> [CredentialsProblem] {
        let isAboutInput: Set<ErrorCode> = [
            .credentialsFiveQuestionsRequired, .credentialsIncomplete, .credentialsTooWeak, .credentialsCustomQuestion,
            .passphraseMissing, .requestInvalid,
        ]
        guard isAboutInput.contains(error.code) else { return [] }
        let named = error.members.compactMap { member -> CredentialsProblem? in
            guard case .pointer(let pointer) = member.place, let place = Place(pointer: pointer) else { return nil }
            return CredentialsProblem(place: place, word: wording(error.code, at: place))
        }
        return named.isEmpty ? [CredentialsProblem(place: .form, word: "credentials.refused")] : named
    }

    private static func wording(_ code: ErrorCode, at place: Place) -> PageWord {
        switch (place, code) {
        case (.passphrase, .credentialsIncomplete), (.passphrase, .passphraseMissing): "credentials.passphraseShort"
        case (.passphrase, .credentialsTooWeak): "credentials.passphraseCommon"
        case (.answer, .credentialsIncomplete): "credentials.answerMissing"
        case (.answer, .credentialsTooWeak): "credentials.answerWeak"
        case (.question, .credentialsFiveQuestionsRequired): "credentials.questionTwice"
        case (.question, _): "credentials.questionMissing"
        case (.answer, _), (.passphrase, _), (.repeated, _), (.form, _): "flow.inputInvalid"
        }
    }
}
