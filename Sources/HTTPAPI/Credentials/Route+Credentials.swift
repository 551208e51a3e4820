import IdentityService
import TenureAPI

extension Route {
    static let setCredentials = Route(.setCredentials) { exchange in
        let request = try exchange.read(CredentialsRequest.self)
        return try await exchange.outcome(
            SetCredentials(request, flow: exchange.captures["flow"], app: exchange.app()))
    }

    static let startChange = Route(.startChange) { exchange in
        try await exchange.started(.change, exchange.read(LoginRequest.self))
    }

    static let changeCredentials = Route(.changeCredentials) { exchange in
        let request = try exchange.read(CredentialsChangeRequest.self)
        return try await exchange.outcome(
            ChangeInDirectMode(
                current: request.current, credentials: request.credentials,
                flow: exchange.captures["flow"], app: exchange.app()))
    }

    /// `GET /v1/questions`. Replies with the published list in the language that `locale` or `Accept-Language`
    /// requests.
    static let listQuestions = Route(.listQuestions) { exchange in
        var query = try QueryReader(exchange.rawQuery)
        let locale = query.text("locale")
        try query.finish()
        let list = QuestionListResponse(preferring: locale.map { [$0] } ?? exchange.headers.preferredLanguages)
        var reply = Reply.json(list)
        reply.headers["Cache-Control"] = "public, max-age=3600"
        reply.headers["Content-Language"] = list.locale
        reply.headers["Vary"] = "Accept-Language"
        return reply
    }
}
