import IdentityService
import TenureAPI

extension Route {
    /// `POST /v1/registrations/{flow}/credentials`.
    static let setCredentials = Route(.setCredentials) { exchange in
        let request = try exchange.read(CredentialsRequest.self)
        return try await exchange.outcome(
            SetCredentials(CredentialsInput(request), flow: exchange.captures["flow"], app: exchange.app()))
    }
}

extension Route {
    /// `POST /v1/credentials/changes`.
    static let startChange = Route(.startChange) { exchange in
        try await exchange.started(.change, exchange.read(LoginRequest.self))
    }

    /// `POST /v1/credentials/changes/{flow}/credentials`.
    static let changeCredentials = Route(.changeCredentials) { exchange in
        let request = try exchange.read(CredentialsChangeRequest.self)
        let current: ValidateCredential.Secret =
            switch request.current {
            case .answers(let answers):
                .answers(answers.map { AnswerInput(questionId: $0.questionId, answer: $0.answer) })
            case .passphrase(let text): .passphrase(text)
            }
        return try await exchange.outcome(
            ChangeInDirectMode(
                current: current, credentials: CredentialsInput(request.credentials),
                flow: exchange.captures["flow"], app: exchange.app()))
    }
}

extension Route {
    /// `GET /v1/questions`. Replies with the published list in the language that `locale` or `Accept-Language`
    /// requests.
    static let listQuestions = Route(.listQuestions) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let locale = query.text("locale")
        try query.finish()
        let list = QuestionCatalogue(preferring: locale.map { [$0] } ?? exchange.headers.preferredLanguages)
        var reply = Reply.json(QuestionListResponse(list))
        reply.headers["Cache-Control"] = "public, max-age=3600"
        reply.headers["Content-Language"] = list.locale
        reply.headers["Vary"] = "Accept-Language"
        return reply
    }
}

extension QuestionListResponse {
    init(_ list: QuestionCatalogue) {
        self.init(
            version: Int64(list.version), locale: list.locale, locales: list.locales,
            items: list.items.map { Item(number: Int64($0.number), question: $0.question) })
    }
}

extension CredentialsInput {
    init(_ request: CredentialsRequest) {
        self.init(
            securityQuestions: request.securityQuestions.map { (QuestionInput($0.choice), $0.answer) },
            passphrase: request.passphrase, questionsWithPassphrase: request.questionsWithPassphrase)
    }
}

extension QuestionInput {
    init(_ choice: QuestionChoice) {
        self =
            switch choice {
            case .text(let text): .text(text)
            case .listed(let number, let version): .listed(number: number, version: version)
            }
    }
}
