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
        /// The name that colleagues see.
        var displayName = ""
        /// The passphrase in force; `nil` if the form does not ask for it.
        var current: String?
        /// Answers to the questions in force.
        var currentAnswers: [AnswersRequest.Answer] = []
    }

    let view: FlowView
    let language: PageLanguage

    /// The fields, as refusals may be about them.
    static let fields: [FieldProblem.Field] =
        [.form, .displayName, .newPassphrase, .repeated, .both]
        + (0..<count).flatMap { [.question($0), .answer($0)] }

    /// The page with its form. Answers are shown again, so that one fault does not cost five; a passphrase is not.
    /// Whoever chose one is told, so that nobody goes on without it unawares.
    func page(
        _ input: Input, _ found: [FieldProblem], _ form: FormPart, passkey: NewCredentialsContent.Passkey? = nil
    ) -> (HostedPage, FieldProblems?) {
        var told = found
        let isAboutPassphrase = found.contains { $0.field == .newPassphrase || $0.field == .repeated }
        if !found.isEmpty, !input.passphrase.isEmpty, !isAboutPassphrase {
            told.append(FieldProblem(field: .newPassphrase, word: "credentials.passphraseAgain"))
        }
        let least = "\(view.rules?.passphraseMinimumLength ?? 8)"
        for index in told.indices where told[index].values.isEmpty { told[index].values = [least] }
        let isChange = view.purpose == .change, firstAnswer = view.questions.first?.questionId
        let problems = FieldProblems(
            told, in: language, answer: firstAnswer.map { FlowPage.answerPrefix + $0 } ?? "rule")
        let asksForSecret = passkey?.isOnly != true
        let content = NewCredentialsContent(
            problems: problems, passkey: passkey, asksForSecret: asksForSecret,
            current: isChange && !view.setsFirstSecret ? CurrentSecretPart(view, input, problems) : nil,
            account: language.text("flow.account", view.companyEmployeeId, view.companyName),
            limit: view.limit(in: language), progress: language.text("credentials.progress", "{1}", "\(Self.count)"),
            username: view.identifier, company: view.companyName,
            employee: view.companyEmployeeId, questions: questions(input, problems),
            passphraseText: language.text("credentials.passphraseText", least),
            asksForName: view.purpose == .registration,
            displayName: input.displayName, mayAnswerToo: view.rules?.questionsWithPassphraseAllowed == true,
            answersToo: input.both, form: form)
        let title: PageWord = isChange ? "change.title" : asksForSecret ? "credentials.title" : "passkey.title"
        return (HostedPage(content, title, in: language, status: problems == nil ? 200 : 400), problems)
    }

    private func questions(_ input: Input, _ problems: FieldProblems?) -> [NewCredentialsContent.Question] {
        let list = QuestionListResponse(preferring: [language.rawValue]).items
        return (0..<Self.count).map { index in
            NewCredentialsContent.Question(
                number: "\(index + 1)", questionLabel: language.text("credentials.question", "\(index + 1)"),
                questionError: problems?.text(at: .question(index)),
                options: list.map { item in
                    NewCredentialsContent.Option(
                        value: "\(item.number)", question: item.question,
                        isChosen: input.questions[index] == "\(item.number)")
                }, answerLabel: language.text("credentials.answer", "\(index + 1)"), answer: input.answers[index],
                answerError: problems?.text(at: .answer(index)))
        }
    }
}

/// The form for new questions, answers and a passphrase.
struct NewCredentialsContent: PageContent {
    static let template: PageTemplate = "credentials"

    struct Question: PagePart {
        let number: String
        let questionLabel: String
        let questionError: String?
        let options: [Option]
        let answerLabel: String
        let answer: String
        let answerError: String?
    }

    struct Option: PagePart {
        let value: String
        let question: String
        let isChosen: Bool
    }

    /// The button that registers with a passkey, with what the browser is told of the account.
    struct Passkey: PagePart {
        let rp: String
        let service: String
        /// The `user.id` of the account.
        let handle: String
        /// The account as the browser's list names it.
        let account: String
        let challengePath: String
        /// Whether there are no questions to choose.
        let isOnly: Bool
        /// The ids of the passkeys of which one signs too, separated by spaces; `nil` for a new person.
        let signers: String?
        let form: FormPart
        let script: String
    }

    let problems: FieldProblems?
    /// What a registration may be completed with instead; `nil` elsewhere.
    let passkey: Passkey?
    /// Whether questions may be chosen: not where only the blind mode is accepted, which browsers do not have.
    let asksForSecret: Bool
    /// What a change asks for; `nil` elsewhere.
    let current: CurrentSecretPart?
    let account: String
    let limit: String
    /// Which question of how many is asked, with `{1}` for its number.
    let progress: String
    /// The name for password managers.
    let username: String
    let company: String
    let employee: String
    let questions: [Question]
    let passphraseText: String
    /// Whether the person is asked for the name that colleagues see, and what was entered.
    let asksForName: Bool
    let displayName: String
    /// Whether the person may choose to answer the questions instead of the passphrase, and has.
    let mayAnswerToo: Bool
    let answersToo: Bool
    let form: FormPart
}

extension CredentialsPage.Input {
    /// Reads the form. A field that is given twice counts as empty.
    init(_ fields: FormReader) {
        func text(_ name: String) -> String { (try? fields.text(name)) ?? "" }
        for index in 0..<CredentialsPage.count {
            questions[index] = text(FieldProblem.Field.question(index).name)
            answers[index] = text(FieldProblem.Field.answer(index).name)
        }
        passphrase = text("passphrase")
        repeated = text("repeated")
        both = text("both") == "true"
        displayName = text(FieldProblem.Field.displayName.name)
        current = fields.pairs.contains { $0.name == "current" } ? text("current") : nil
        currentAnswers = fields.currentAnswers
    }

    /// What is missing or doubtful before the service is asked.
    var missing: [FieldProblem] {
        var problems: [FieldProblem] = []
        for index in 0..<CredentialsPage.count {
            if Int64(questions[index]) == nil {
                problems.append(FieldProblem(field: .question(index), word: "credentials.questionMissing"))
            } else if questions[..<index].contains(questions[index]) {
                problems.append(FieldProblem(field: .question(index), word: "credentials.questionTwice"))
            }
            if answers[index].isEmpty {
                problems.append(FieldProblem(field: .answer(index), word: "credentials.answerMissing"))
            }
        }
        if passphrase != repeated {
            problems.append(FieldProblem(field: .repeated, word: "credentials.passphraseDiffers"))
        }
        return problems
    }

    var request: CredentialsRequest {
        CredentialsRequest(
            securityQuestions: zip(questions, answers).map { question, answer in
                NewSecurityQuestion(.listed(number: Int64(question) ?? 0, version: nil), answer: answer)
            },
            passphrase: passphrase.isEmpty ? nil : passphrase, questionsWithPassphrase: both && !passphrase.isEmpty)
    }
}
