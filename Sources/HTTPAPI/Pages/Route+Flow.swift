import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// `GET /flow/{flow}/key`: the page whose module signs the challenge.
    static let showKey = step(.showKey, where: { $0.step == .key }) { page, view in
        let visitor = page.visit.visitor
        let content = KeyContent(
            account: page.account(view), challenge: Base64URL.encode(view.challenge), purpose: view.purpose.rawValue,
            company: view.companyName, employee: view.address ?? view.companyEmployeeId, againPath: page.againPath,
            form: page.visit.form(of: .proveBrowserKey, visitor),
            passkey: SigningPasskey(view.passkeyOfKey, key: view.employeePublicKey))
        return try HostedPage(content, "flow.keyTitle", in: page.language).reply(visitor)
    }

    static let proveBrowserKey = take(.proveBrowserKey) { form, page, app in
        let proof = form.text("proof").flatMap { Base64URL.decode($0) } ?? []
        return ProveKey(proof, purpose: page.purpose, flow: page.handle, app: app)
    }
}

extension Route {
    /// `GET /flow/{flow}/answers`.
    static let showAnswers = step(
        .showAnswers, where: { !$0.questions.isEmpty && $0.page != .showCredentials }
    ) { try $0.answersPage($1) }

    static let giveAnswers = takeSecret(.giveAnswers) { form in
        let answers = form.fields.currentAnswers
        guard answers.count >= 3 else { throw ServiceError(.answersAtLeastThreeRequired) }
        return .answers(answers)
    }

    static let showPassphrase = step(.showPassphrase, where: { $0.page == .showPassphrase }) {
        try $0.passphrasePage($1)
    }

    static let givePassphrase = takeSecret(.givePassphrase) { form in
        guard let passphrase = form.text("passphrase") else { throw ServiceError(.passphraseMissing) }
        return .passphrase(passphrase)
    }
}

extension FormReader {
    /// The answers to questions in force that were given, in the order of the questions' ids.
    var currentAnswers: [AnswersRequest.Answer] {
        pairs.compactMap { name, value in
            guard name.hasPrefix(FlowPage.answerPrefix), !value.isBlank else { return nil }
            return AnswersRequest.Answer(
                questionId: String(name.dropFirst(FlowPage.answerPrefix.count)), answer: value)
        }.sorted { $0.questionId < $1.questionId }
    }
}

extension Route {
    /// Takes the form of a step, and goes where its outcome leads.
    ///
    /// - Parameter make: Makes the step of the form's input. The refusals that it throws are told as those of the step.
    static func take<Step: FlowStepUseCase<FlowOutcomeResponse>>(
        _ endpoint: Endpoint, _ make: @escaping @Sendable (VisitorForm, FlowPage, AppCaller) throws -> Step
    ) -> Route {
        takeForm(endpoint) { form, page, app in
            let outcome = try await page.visit.step(try make(form, page, app), once: form.callKey)
            return try await page.visit.go(on: outcome, page, once: form.callKey)
        }
    }

    /// Takes the form with a secret. After that of an address the person picks an account.
    fileprivate static func takeSecret(
        _ endpoint: Endpoint, _ make: @escaping @Sendable (VisitorForm) throws -> CredentialsChangeRequest.Current
    ) -> Route {
        takeForm(endpoint) { form, page, app in
            let secret = try make(form), visit = page.visit
            guard page.purpose == .address else {
                let validation = ValidateCredential(secret, purpose: page.purpose, flow: page.handle, app: app)
                let outcome = try await visit.step(validation, once: form.callKey)
                return try await visit.go(on: outcome, page, once: form.callKey)
            }
            _ = try await visit.step(ProveAddress(secret, flow: page.handle, app: app), once: form.callKey)
            return visit.stay(in: page.flow, at: .showPick)
        }
    }

    /// Takes the form of a page in a flow.
    static func takeForm(
        _ endpoint: Endpoint, _ body: @escaping @Sendable (VisitorForm, FlowPage, AppCaller) async throws -> Reply
    ) -> Route {
        flow(endpoint, body: .form) { visit, flow in
            guard let page = try await FlowPage(visit, flow) else { return visit.goOn(in: flow) }
            let form: VisitorForm
            do throws(PageFormRefusal) { form = try VisitorForm(visit) } catch {
                return try await visit.refused(error) { _ in try await page.again() }
            }
            do {
                let app = try await visit.exchange.pagesApp()
                return try await body(form, page, app)
            } catch let error as ServiceError {
                return try await page.refused(error)
            }
        }
    }
}

extension FlowView {
    /// How long the person has for the whole flow.
    func limit(in language: PageLanguage) -> String {
        language.text("flow.limit", "\(purpose.lifetime.components.seconds / 60)")
    }

    /// The person's name for password managers: the address, wherever the page may know it.
    var identifier: String { address ?? email ?? "\(companyEmployeeId)@\(companyName)" }
}

extension FlowPage {
    /// The prefix of the names of fields for answers; the question's id follows.
    static let answerPrefix = "answer-"

    /// Which account the flow is about.
    func account(_ view: FlowView) -> String {
        view.address ?? language.text("flow.account", view.companyEmployeeId, view.companyName)
    }

    /// The reply to a refused step: the form again, the page of the step that the flow waits for, or the end.
    ///
    /// - Throws: The error, if it is neither about the input nor about the flow.
    fileprivate func refused(_ error: ServiceError) async throws -> Reply {
        // The form was sent twice, or the person went back. The page of the step knows what is next.
        if error.code == .flowWrongStep { return .seeOther(Endpoint.showKey.path(in: flow)) }
        guard let problem = problem(error) else { return try ending(error) }
        do {
            var reply = try page(try await view(), problem)
            reply.status = error.code.status
            reply.code = error.code.rawValue
            if let seconds = error.retryAfterSeconds, seconds > 0 { reply.headers["Retry-After"] = String(seconds) }
            if purpose.isLogIn { reply.login = error.code == .serviceBusy ? .failed : .refused }
            return reply
        } catch let error as ServiceError {
            return try ending(error)
        }
    }

    /// The page again after a form whose token was wrong. Secrets are typed again. A page whose module sends the form
    /// is shown again only to a browser that keeps cookies: another one would send it for ever.
    fileprivate func again() async throws -> Reply {
        let endpoint = visit.exchange.endpoint, isAboutAnswers = endpoint == .giveAnswers
        guard isAboutAnswers || endpoint == .givePassphrase else {
            return visit.visitor.setting == nil ? .seeOther(Endpoint.showKey.path(in: flow)) : try visit.reply(.cookie)
        }
        do {
            var reply = try page(
                try await view(), FieldProblem(field: isAboutAnswers ? .answers : .passphrase, word: "form.again"))
            reply.status = 403
            return reply
        } catch let error as ServiceError {
            return try ending(error)
        }
    }

    private func page(_ view: FlowView, _ problem: FieldProblem) throws -> Reply {
        try visit.exchange.endpoint == .giveAnswers ? answersPage(view, problem) : passphrasePage(view, problem)
    }

    /// What is wrong with the input; `nil` if the refusal is not about it.
    private func problem(_ error: ServiceError) -> FieldProblem? {
        let fields: [FieldProblem.Field]
        switch visit.exchange.endpoint {
        case .giveAnswers: fields = AnswersContent.fields
        case .givePassphrase: fields = PassphraseContent.fields
        default: return nil
        }
        return FieldProblem.all(error, of: fields).first?.saying(until: error, in: language)
    }

    fileprivate func answersPage(_ view: FlowView, _ problem: FieldProblem? = nil) throws -> Reply {
        let questions = view.questions.map {
            AnswersContent.Question(field: Self.answerPrefix + $0.questionId, question: $0.question)
        }
        let visitor = visit.visitor, form = visit.form(of: .giveAnswers, visitor)
        let problems = FieldProblems(
            problem.map { [$0] } ?? [], in: language, answer: questions.first?.field ?? "rule")
        let content = AnswersContent(
            problems: problems, account: account(view), limit: view.limit(in: language),
            company: view.companyName, employee: view.companyEmployeeId, questions: questions,
            claimPath: claimPath(view), againPath: againPath, recoverPath: path(.showWayBack), form: form)
        return try visit.reply(
            HostedPage(content, "flow.answersTitle", in: language), problems, form, visitor)
    }

    func passphrasePage(_ view: FlowView, _ problem: FieldProblem? = nil) throws -> Reply {
        let visitor = visit.visitor, form = visit.form(of: .givePassphrase, visitor)
        let problems = FieldProblems(problem.map { [$0] } ?? [], in: language)
        let passkey = newPasskey(view, visitor)
        let content = PassphraseContent(
            problems: problems, passkey: passkey,
            logInPath: purpose == .registration && passkey == nil ? Endpoint.showLogIn.template.text : nil,
            account: account(view), limit: view.limit(in: language), username: view.identifier,
            company: view.companyName, employee: view.companyEmployeeId,
            questionsPath: view.questions.isEmpty ? nil : Endpoint.showAnswers.path(in: flow),
            claimPath: claimPath(view), againPath: againPath, recoverPath: path(.showWayBack), form: form)
        return try visit.reply(
            HostedPage(content, "flow.passphraseTitle", in: language), problems, form, visitor)
    }
}

/// The page whose module signs a flow's challenge with the key of this browser.
struct KeyContent: PageContent {
    static let template: PageTemplate = "key"
    let account: String
    let challenge: String
    let purpose: String
    let company: String
    let employee: String
    let againPath: String
    let form: FormPart
    /// The passkey that signs; `nil` for the key of this browser.
    let passkey: SigningPasskey?
}

/// The form for answers to questions.
struct AnswersContent: PageContent {
    static let template: PageTemplate = "answers"
    static let fields: [FieldProblem.Field] = [.answers]

    struct Question: PagePart {
        let field: String
        let question: String
    }

    let problems: FieldProblems?
    let account: String
    let limit: String
    /// The account whose key this browser has; empty for an address.
    let company: String
    let employee: String
    let questions: [Question]
    /// Where somebody says that the questions are not theirs, in a registration.
    let claimPath: String?
    let againPath: String
    let recoverPath: String
    let form: FormPart
}

/// The form for the passphrase.
struct PassphraseContent: PageContent {
    static let template: PageTemplate = "passphrase"
    static let fields: [FieldProblem.Field] = [.passphrase]
    let problems: FieldProblems?
    /// What a registration may be completed with instead; `nil` elsewhere.
    let passkey: NewCredentialsContent.Passkey?
    /// Where somebody without a passphrase logs in first, in a registration.
    let logInPath: String?
    let account: String
    let limit: String
    /// The name for password managers.
    let username: String
    let company: String
    let employee: String
    /// Where the questions are answered instead, if they may be.
    let questionsPath: String?
    /// Where somebody says that the passphrase is not theirs, in a registration.
    let claimPath: String?
    let againPath: String
    let recoverPath: String
    let form: FormPart
}
