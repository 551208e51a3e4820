import Canonical
import IdentityService
import TenureAPI

/// By what a person logs in, with the button that begins a change.
struct OwnCredentialsContent: AccountContent {
    static let template: PageTemplate = "ownCredentials"
    /// What is accepted now, and since when.
    let state: String
    let isChanged: Bool
    let form: FormPart
}

extension Route {
    static let showOwnCredentials = account(.showOwnCredentials) { account in
        let me = try await account.me()
        let own = try await account.exchange.run(ReadOwnCredentials(caller: account.caller))
        let state: PageWord =
            switch (own.acceptsAnswers, own.acceptsPassphrase) {
            case _ where own.isSecretless: own.passkey == nil ? "change.noneHere" : "change.none"
            case (true, true): "change.both"
            case (_, true): "change.passphrase"
            case (_, false): "change.answers"
            }
        let content = OwnCredentialsContent(
            state: account.text(state, own.setAt.forPeople),
            isChanged: account.exchange.rawQuery == AccountVisit.changed,
            form: account.form(.beginOwnChange, "credentials"))
        return try account.page(content, "change.section", of: me, at: .showOwnCredentials).reply()
    }

    /// `POST /account/credentials`: begins a change with the device key of the session. The flow asks for the secret.
    static let beginOwnChange = accountForm(.beginOwnChange) { account, _ in
        let me = try await account.me()
        // Nobody acts for an erased person.
        guard let employee = me.companyEmployeeId else { return .seeOther(AccountVisit.logInPath) }
        let own = try await account.exchange.run(ReadOwnCredentials(caller: account.caller))
        let names = LoginRequest(
            companyName: me.companyName, companyEmployeeId: employee, employeePublicKey: own.employeePublicKey)
        let start = StartLogin(
            .change, names, app: try await account.exchange.pagesApp(), passkey: own.passkey)
        return account.visit.start(try await account.exchange.run(start), .change)
    }
}

extension AccountVisit {
    /// The query of the page after a change. It changes nothing but what the page says.
    static let changed = "changed"
}

extension FlowPage {
    /// Replaces the credentials, and leads back to the account, in a new session.
    func change(_ input: CredentialsPage.Input, by current: CredentialsChangeRequest.Current?, once key: String)
        async throws -> Reply
    {
        let change = ChangeInDirectMode(
            current: current, credentials: input.request, flow: handle, app: try await visit.exchange.pagesApp())
        var reply = try await visit.go(on: try await visit.step(change, once: key), self, once: key)
        reply.headers["Location"] = "\(Endpoint.showOwnCredentials.template.text)?\(AccountVisit.changed)"
        return reply
    }
}

/// The secret in force, as a change asks for it.
struct CurrentSecretPart: PagePart {
    struct Question: PagePart {
        let field: String
        let question: String
        let answer: String
    }

    let asksForPassphrase: Bool
    let passphraseError: String?
    /// Whether the questions may be answered instead of the passphrase.
    let isChoice: Bool
    let hasQuestions: Bool
    let answersError: String?
    let questions: [Question]

    init(_ view: FlowView, _ input: CredentialsPage.Input, _ problems: FieldProblems?) {
        asksForPassphrase = view.step == .passphrase
        passphraseError = problems?.text(at: .current)
        isChoice = asksForPassphrase && !view.questions.isEmpty
        hasQuestions = !view.questions.isEmpty
        answersError = problems?.text(at: .answers)
        questions = view.questions.map { question in
            Question(
                field: FlowPage.answerPrefix + question.questionId, question: question.question,
                answer: input.currentAnswers.first { $0.questionId == question.questionId }?.answer ?? "")
        }
    }
}

extension CredentialsPage.Input {
    /// The form of a change before anything is typed: with the questions that are in force.
    init(replacing questions: [QuestionResponse]) {
        for (index, question) in questions.prefix(CredentialsPage.count).enumerated() {
            self.questions[index] = question.number.map { "\($0)" } ?? ""
        }
    }

    /// The secret in force; `nil` if too little was entered.
    var secret: CredentialsChangeRequest.Current? {
        if let current, !current.isEmpty { return .passphrase(current) }
        return currentAnswers.count >= 3 ? .answers(currentAnswers) : nil
    }

    var secretMissing: FieldProblem? {
        guard secret == nil else { return nil }
        return current == nil
            ? FieldProblem(field: .answers, word: "flow.answersMissing")
            : FieldProblem(field: .current, word: "flow.passphraseMissing")
    }
}
