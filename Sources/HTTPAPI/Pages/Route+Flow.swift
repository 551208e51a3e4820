import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// `GET /flow/{flow}/key`: the page whose module signs the challenge.
    static let showKey = step(.showKey, where: { $0.step == .key }) { page, view in
        let language = page.language, visitor = page.visit.visitor
        let content: PageContent = [
            "account": .text(page.account(view)), "text": .text(PageWord("flow.keyText").text(in: language)),
            "challenge": .text(Base64URL.encode(view.challenge)), "purpose": .text(view.purpose.rawValue),
            "company": .text(view.companyName),
            "employee": .text(view.address ?? view.companyEmployeeId),
            "againPath": .text(page.againPath), "module": .text(PageAsset.flow.path),
        ]
        let words = PageContent(
            [("needsScript", "page.needsScript"), ("keyMissing", "flow.keyMissing"), ("again", "ending.again")],
            in: language)
        return try HostedPage(
            template: .key, language: language, title: PageWord("flow.keyTitle").text(in: language),
            content: content.merging(words).merging(page.visit.form(of: .proveBrowserKey, visitor))
        ).reply(visitor)
    }

    /// `POST /flow/{flow}/key`.
    static let proveBrowserKey = take(.proveBrowserKey) { form, page, app in
        let proof = form.text("proof").flatMap { Base64URL.decode($0) } ?? []
        return ProveKey(proof, purpose: page.purpose, flow: page.handle, app: app)
    }
}

extension Route {
    /// `GET /flow/{flow}/answers`.
    static let showAnswers = step(.showAnswers, where: { !$0.questions.isEmpty }) { try $0.answersPage($1) }

    /// `POST /flow/{flow}/answers`.
    static let giveAnswers = takeSecret(.giveAnswers) { form in
        let answers = form.answers
        guard answers.count >= 3 else { throw ServiceError(.answersAtLeastThreeRequired) }
        return .answers(answers)
    }

    /// `GET /flow/{flow}/passphrase`.
    static let showPassphrase = step(.showPassphrase, where: { $0.step == .passphrase }) { try $0.passphrasePage($1) }

    /// `POST /flow/{flow}/passphrase`.
    static let givePassphrase = takeSecret(.givePassphrase) { form in
        guard let passphrase = form.text("passphrase") else { throw ServiceError(.passphraseMissing) }
        return .passphrase(passphrase)
    }
}

extension VisitorForm {
    /// The answers that were given, in the order of the questions' ids.
    fileprivate var answers: [AnswersRequest.Answer] {
        fields.pairs.compactMap { name, value in
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

    private static func takeForm(
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

extension FlowPage {
    /// The prefix of the names of fields for answers; the question's id follows.
    static let answerPrefix = "answer-"

    /// Which account the flow is about.
    func account(_ view: FlowView) -> String {
        view.address ?? PageWord("flow.account").text(in: language, view.companyEmployeeId, view.companyName)
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
            if purpose.isLogIn { reply.login = .refused }
            return reply
        } catch let error as ServiceError {
            return try ending(error)
        }
    }

    /// The page again after a form whose token was wrong. Secrets are typed again. A page whose module sends the form
    /// is shown again only to a browser that keeps cookies: another one would send it for ever.
    fileprivate func again() async throws -> Reply {
        let endpoint = visit.exchange.endpoint
        guard endpoint == .giveAnswers || endpoint == .givePassphrase else {
            return visit.visitor.setting == nil ? .seeOther(Endpoint.showKey.path(in: flow)) : try visit.reply(.cookie)
        }
        do {
            var reply = try page(try await view(), PageWord("form.again").text(in: language))
            reply.status = 403
            return reply
        } catch let error as ServiceError {
            return try ending(error)
        }
    }

    private func page(_ view: FlowView, _ problem: String) throws -> Reply {
        try visit.exchange.endpoint == .giveAnswers ? answersPage(view, problem) : passphrasePage(view, problem)
    }

    /// What is wrong with the input; `nil` if the refusal is not about it.
    private func problem(_ error: ServiceError) -> String? {
        let endpoint = visit.exchange.endpoint
        guard endpoint == .giveAnswers || endpoint == .givePassphrase else { return nil }
        switch error.code {
        case .answersIncorrect: return PageWord("flow.answersWrong").text(in: language)
        case .passphraseIncorrect: return PageWord("flow.passphraseWrong").text(in: language)
        case .answersAtLeastThreeRequired: return PageWord("flow.answersMissing").text(in: language)
        case .passphraseMissing: return PageWord("flow.passphraseMissing").text(in: language)
        case .requestInvalid, .credentialsIncomplete: return PageWord("flow.inputInvalid").text(in: language)
        case .credentialsLocked:
            guard let seconds = error.retryAfterSeconds, seconds > 0 else {
                return PageWord("flow.lockedForGood").text(in: language)
            }
            return PageWord("flow.locked").text(in: language, WaitingTime(seconds: seconds).text(in: language))
        default: return nil
        }
    }

    /// The form for answers.
    fileprivate func answersPage(_ view: FlowView, _ problem: String? = nil) throws -> Reply {
        let fields = view.questions.map { question -> PageContent in
            ["field": .text(Self.answerPrefix + question.questionId), "question": .text(question.question)]
        }
        let first = view.questions.first.map { Self.answerPrefix + $0.questionId } ?? "rule"
        let content: PageContent = [
            "text": .text(PageWord("flow.answersText").text(in: language)), "questions": .list(fields),
            "error": .text(problem ?? ""), "problems": summary(problem, at: first),
        ]
        return try reply(.answers, "flow.answersTitle", .giveAnswers, view, content)
    }

    /// The form for the passphrase.
    fileprivate func passphrasePage(_ view: FlowView, _ problem: String? = nil) throws -> Reply {
        var content: PageContent = [
            "passphraseLabel": .text(PageWord("flow.passphrase").text(in: language)),
            "username": .text(view.address ?? "\(view.companyEmployeeId)@\(view.companyName)"),
            "error": .text(problem ?? ""), "problems": summary(problem, at: "passphrase"),
        ]
        if !view.questions.isEmpty {
            content["questions"] = .list([
                [
                    "toQuestions": .text(PageWord("flow.toQuestions").text(in: language)),
                    "questionsPath": .text(Endpoint.showAnswers.path(in: flow)),
                ]
            ])
        }
        return try reply(.passphrase, "flow.passphraseTitle", .givePassphrase, view, content)
    }

    private func summary(_ problem: String?, at field: String) -> PageContent.Value {
        PageProblem.summary(problem.map { [PageProblem(field: field, text: $0)] } ?? [], in: language)
    }

    private func reply(
        _ template: PageTemplate, _ title: PageWord, _ endpoint: Endpoint, _ view: FlowView, _ content: PageContent
    ) throws -> Reply {
        let visitor = visit.visitor
        let common: PageContent = [
            "account": .text(account(view)), "continue": .text(PageWord("page.continue").text(in: language)),
            "againPath": .text(againPath), "again": .text(PageWord("ending.again").text(in: language)),
            "recoverPath": .text(path(.showWayBack)), "recover": .text(PageWord("login.recover").text(in: language)),
        ]
        return try HostedPage(
            template: template, language: language, title: title.text(in: language),
            content: common.merging(content).merging(visit.form(of: endpoint, visitor))
        ).reply(visitor)
    }
}
