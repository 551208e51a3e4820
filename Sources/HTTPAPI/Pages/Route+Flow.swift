import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// `GET /flow/key`: the page whose module signs the challenge.
    static let showKey = Route(page: .showKey) { exchange in
        let visit = PageVisit(exchange: exchange)
        return try await visit.show(where: { $0.step == .key }) { page, view in
            let language = page.language, visitor = visit.visitor
            let content: PageContent = [
                "account": .text(page.account(view)), "text": .text(PageWord.flowKeyText.text(in: language)),
                "challenge": .text(Base64URL.encode(view.challenge)), "purpose": .text(view.purpose.rawValue),
                "company": .text(view.companyName),
                "employee": .text(view.address ?? view.companyEmployeeId),
                "againPath": .text(page.againPath), "module": .text(PageAsset.flow.path),
            ]
            let words = PageContent(
                [("needsScript", .pageNeedsScript), ("keyMissing", .flowKeyMissing), ("again", .endingAgain)],
                in: language)
            return try HostedPage(
                template: .key, language: language, title: PageWord.flowKeyTitle.text(in: language),
                content: content.merging(words).merging(
                    visit.hiddenFields(of: .proveBrowserKey, subject: page.flow.text, visitor)),
                clientOrigin: page.pending?.origin
            ).reply(visitor)
        }
    }

    /// `POST /flow/key`.
    static let proveBrowserKey = Route(page: .proveBrowserKey, body: .form) { exchange in
        try await PageVisit(exchange: exchange).take { form, flow, app in
            let proof = form.text("proof").flatMap { Base64URL.decode($0) } ?? []
            return ProveKey(proof, purpose: flow.purpose, flow: flow.flow, app: app)
        }
    }
}

extension Route {
    /// `GET /flow/answers`.
    static let showAnswers = Route(page: .showAnswers) { exchange in
        try await PageVisit(exchange: exchange).show(where: { !$0.questions.isEmpty }) { page, view in
            try page.answersPage(view)
        }
    }

    /// `POST /flow/answers`.
    static let giveAnswers = Route(page: .giveAnswers, body: .form) { exchange in
        try await PageVisit(exchange: exchange).takeSecret { form in
            let answers = form.answers
            guard answers.count >= 3 else { throw ServiceError(.answersAtLeastThreeRequired) }
            return .answers(answers)
        }
    }

    /// `GET /flow/passphrase`.
    static let showPassphrase = Route(page: .showPassphrase) { exchange in
        try await PageVisit(exchange: exchange).show(where: { $0.step == .passphrase }) { page, view in
            try page.passphrasePage(view)
        }
    }

    /// `POST /flow/passphrase`.
    static let givePassphrase = Route(page: .givePassphrase, body: .form) { exchange in
        try await PageVisit(exchange: exchange).takeSecret { form in
            guard let passphrase = form.text("passphrase") else { throw ServiceError(.passphraseMissing) }
            return .passphrase(passphrase)
        }
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

extension PageVisit {
    /// Takes the form of a step, and goes where its outcome leads.
    ///
    /// - Parameter make: Makes the step of the form's input. The refusals that it throws are told as those of the step.
    func take<Step: FlowStepUseCase<FlowOutcomeResponse>>(
        _ make: (VisitorForm, FlowCookie.Value, AppCaller) throws -> Step
    ) async throws -> Reply {
        try await takeForm { form, flow, app in
            try await go(on: try await step(try make(form, flow, app), once: form.callKey), flow, once: form.callKey)
        }
    }

    /// Takes the form with a secret. After that of an address the person picks an account.
    fileprivate func takeSecret(
        _ make: (VisitorForm) throws -> CredentialsChangeRequest.Current
    ) async throws -> Reply {
        try await takeForm { form, flow, app in
            let secret = try make(form)
            guard flow.purpose == .address else {
                let validation = ValidateCredential(secret, purpose: flow.purpose, flow: flow.flow, app: app)
                return try await go(on: try await step(validation, once: form.callKey), flow, once: form.callKey)
            }
            _ = try await step(ProveAddress(secret, flow: flow.flow, app: app), once: form.callKey)
            return stay(in: flow, at: FlowPath.account)
        }
    }

    private func takeForm(
        _ body: (VisitorForm, FlowCookie.Value, AppCaller) async throws -> Reply
    ) async throws -> Reply {
        let form: VisitorForm
        do throws(PageFormRefusal) { form = try VisitorForm(self) } catch { return try reply(error.notice) }
        guard let flow = form.flow else { return try reply(.malformed) }
        do {
            let app = try await exchange.pagesApp()
            return try await body(form, flow, app)
        } catch let error as ServiceError {
            return try await FlowPage(self, flow).refused(error)
        }
    }
}

extension FlowPage {
    /// The prefix of the names of fields for answers; the question's id follows.
    static let answerPrefix = "answer-"

    /// Which account the flow is about.
    func account(_ view: FlowView) -> String {
        view.address ?? PageWord.flowAccount.text(in: language, view.companyEmployeeId, view.companyName)
    }

    /// The reply to a refused step: the form again, the page of the step that the flow waits for, or the end.
    ///
    /// - Throws: The error, if it is neither about the input nor about the flow.
    fileprivate func refused(_ error: ServiceError) async throws -> Reply {
        if error.code == .flowWrongStep {
            // The form was sent twice, or the person went back. The page of the step knows what is next.
            var reply = Reply.seeOther(FlowPath.key)
            reply.cookies = [visit.flowCookie.setting(flow)]
            return reply
        }
        guard let problem = problem(error) else { return try ending(error) }
        do {
            let view = try await view(), isAboutAnswers = visit.exchange.endpoint == .giveAnswers
            var reply = try isAboutAnswers ? answersPage(view, problem) : passphrasePage(view, problem)
            reply.status = error.code.status
            reply.code = error.code.rawValue
            reply.cookies.append(visit.flowCookie.setting(flow))
            if let seconds = error.retryAfterSeconds, seconds > 0 { reply.headers["Retry-After"] = String(seconds) }
            if flow.isLogIn { reply.login = .refused }
            return reply
        } catch let error as ServiceError {
            return try ending(error)
        }
    }

    /// What is wrong with the input; `nil` if the refusal is not about it.
    private func problem(_ error: ServiceError) -> String? {
        let endpoint = visit.exchange.endpoint
        guard endpoint == .giveAnswers || endpoint == .givePassphrase else { return nil }
        switch error.code {
        case .answersIncorrect: return PageWord.flowAnswersWrong.text(in: language)
        case .passphraseIncorrect: return PageWord.flowPassphraseWrong.text(in: language)
        case .answersAtLeastThreeRequired: return PageWord.flowAnswersMissing.text(in: language)
        case .passphraseMissing: return PageWord.flowPassphraseMissing.text(in: language)
        case .requestInvalid, .credentialsIncomplete: return PageWord.flowInputInvalid.text(in: language)
        case .credentialsLocked:
            guard let seconds = error.retryAfterSeconds, seconds > 0 else {
                return PageWord.flowLockedForGood.text(in: language)
            }
            return PageWord.flowLocked.text(in: language, WaitingTime(seconds: seconds).text(in: language))
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
            "text": .text(PageWord.flowAnswersText.text(in: language)), "questions": .list(fields),
            "error": .text(problem ?? ""), "problems": summary(problem, at: first),
        ]
        return try reply(.answers, .flowAnswersTitle, .giveAnswers, view, content)
    }

    /// The form for the passphrase.
    fileprivate func passphrasePage(_ view: FlowView, _ problem: String? = nil) throws -> Reply {
        var content: PageContent = [
            "passphraseLabel": .text(PageWord.flowPassphrase.text(in: language)),
            "username": .text(view.address ?? "\(view.companyEmployeeId)@\(view.companyName)"),
            "error": .text(problem ?? ""), "problems": summary(problem, at: "passphrase"),
        ]
        if !view.questions.isEmpty {
            content["questions"] = .list([["toQuestions": .text(PageWord.flowToQuestions.text(in: language))]])
        }
        return try reply(.passphrase, .flowPassphraseTitle, .givePassphrase, view, content)
    }

    private func summary(_ problem: String?, at field: String) -> PageContent.Value {
        PageProblem.summary(problem.map { [PageProblem(field: field, text: $0)] } ?? [], in: language)
    }

    private func reply(
        _ template: PageTemplate, _ title: PageWord, _ endpoint: Endpoint, _ view: FlowView, _ content: PageContent
    ) throws -> Reply {
        let visitor = visit.visitor
        let common: PageContent = [
            "account": .text(account(view)), "continue": .text(PageWord.pageContinue.text(in: language)),
            "againPath": .text(againPath), "again": .text(PageWord.endingAgain.text(in: language)),
            "recoverPath": .text(path("/recover")), "recover": .text(PageWord.loginRecover.text(in: language)),
        ]
        return try HostedPage(
            template: template, language: language, title: title.text(in: language),
            content: common.merging(content).merging(
                visit.hiddenFields(of: endpoint, subject: flow.text, visitor)),
            clientOrigin: pending?.origin
        ).reply(visitor)
    }
}
