import Canonical
import IdentityService
import TenureAPI

extension Route {
    /// `GET /.well-known/openid-configuration`, the document of `/.well-known/oauth-authorization-server`.
    static let readProviderMetadata = Route(.readProviderMetadata) { try await readTokenMetadata.respond($0) }

    /// `GET /authorize`: a client's request, or a stored one that goes on.
    static let authorize = Route(.authorize) { exchange in
        guard let form = try? FormReader(exchange.rawQuery.utf8) else { return try exchange.page(.malformed) }
        let cookie = exchange.cookie.value(in: exchange.headers)
        // A client may send a parameter of that name, which is ignored as every unknown one is.
        if let handle = try? form.text("continue"), (try? form.text("client_id")) == nil {
            let answer = try await exchange.run(ContinueAuthorization(handle: handle, cookie: cookie))
            return try await exchange.reply(to: answer, of: handle)
        }
        // An image or a frame of another site can show nobody a page, so nothing is stored for it.
        let isSilent = (try? form.text("prompt")) == "none"
        guard isSilent || exchange.headers.all("Sec-Fetch-Dest").allSatisfy({ $0 == "document" }) else {
            return try exchange.page(.crossSite)
        }
        switch try await exchange.run(Authorize(form.pairs, cookie: cookie)) {
        case .now(let answer): return try await exchange.reply(to: answer, sent: form)
        case .again(let handle): return .seeOther(continuing(handle))
        }
    }

    /// `POST /authorize`. The request is stored, and the browser comes back with its cookie: a form of another site
    /// carries none.
    static let authorizeByForm = Route(.authorizeByForm) { exchange in
        guard let form = try? FormReader(exchange.body) else { return try exchange.page(.malformed) }
        switch try await exchange.run(Authorize(form.pairs, cookie: nil, isPost: true)) {
        case .now(let answer): return try await exchange.reply(to: answer, sent: form)
        case .again(let handle): return .seeOther(continuing(handle))
        }
    }

    static let issueGrantTokens = Route(.issueGrantTokens) { exchange in
        do {
            let form = try FormReader(exchange.body)
            guard let client = try await exchange.client(form) else { return .invalidClient }
            return try await exchange.tokens(form, client)
        } catch let error as FormError {
            RequestNotes.note("form")
            return .oauth(OAuthRefusal(error: "invalid_request", description: error.words))
        }
    }

    static let readUserInfo = Route(.readUserInfo) { try await $0.userInfo(nil) }

    /// `POST /oauth/userinfo`, with the token in the header or in the form.
    static let readUserInfoByForm = Route(.readUserInfoByForm) { exchange in
        let posted: String?
        do throws(FormError) { posted = try FormReader(exchange.body).text("access_token") } catch {
            return .unclearToken(error.words)
        }
        return try await exchange.userInfo(posted)
    }

    static let logOut = Route(.logOut) { try await $0.logOut(Array($0.rawQuery.utf8)) }

    /// `POST /logout`. A form of another site carries no cookie, so the browser comes back with it.
    static let logOutByForm = Route(.logOutByForm) { exchange in
        guard exchange.cookie.value(in: exchange.headers) == nil, let form = try? FormReader(exchange.body),
            case let query = FormEncoding.encode(form.pairs), query.count <= 8_192
        else { return try await exchange.logOut(exchange.body) }
        return .seeOther(Endpoint.logOut.template.text + "?" + String(decoding: query, as: UTF8.self))
    }

    private static func continuing(_ handle: String) -> String {
        "\(Endpoint.authorize.template.text)?continue=\(PercentEncoding.encode(handle))"
    }

    /// The routes of the OpenID provider, in the order of the documentation.
    static var ofOpenID: [Route] {
        [
            readProviderMetadata, authorize, authorizeByForm, issueGrantTokens, readUserInfo, readUserInfoByForm,
            logOut,
            logOutByForm, listGrants, endGrant, listEmployeeGrants,
        ]
    }
}

extension RoutedRequest {
    var cookie: BrowserCookieField { BrowserCookieField(publicURL: publicURL) }

    func page(_ notice: PageNotice) throws -> Reply { try PageVisit(exchange: self).reply(notice) }

    /// Sends the browser on, or says why not. A page that asks gets a flow of the browser.
    ///
    /// - Parameters:
    ///   - handle: That of the stored request; `nil` for a request that arrives.
    ///   - form: The parameters of the request that arrives.
    fileprivate func reply(
        to answer: AuthorizationAnswer, of handle: String? = nil, sent form: FormReader? = nil
    ) async throws -> Reply {
        let visit = PageVisit(exchange: self)
        switch answer {
        case .fault(let fault):
            guard let notice = PageNotice(fault) else {
                // A browser that has shown a page of the request still knows its client.
                let flow = visit.flows.all.first { $0.request == handle }
                return try await visit.over(flow?.at(.ended))
            }
            return try visit.reply(refusing: notice, sent: form)
        case .redirect(let answer):
            var reply: Reply =
                answer.isFormPost
                ? try AnswerPage(answer: answer, language: visit.language()).reply() : .seeOther(answer.url)
            reply.openID = OpenIDOutcome(answer)
            return reply
        case .ask(let page, let handle, let client):
            return ask(at: page.rawValue, BrowserFlow(at: call.time, request: handle, client: client))
        }
    }

    private func ask(at page: String, _ flow: BrowserFlow) -> Reply {
        var reply = Reply.seeOther("\(page)/\(flow.id)")
        reply.cookies = PageVisit(exchange: self).flows.setting(flow)
        reply.openID = .asked
        return reply
    }

    /// The client that a request to an endpoint of tokens comes from; `nil` if it does not authenticate.
    ///
    /// - Throws: `FormError` for no credentials, or for two ways in one request.
    func client(_ form: FormReader) async throws -> AuthenticatedClient? {
        let credentials: ClientCredentials
        switch headers.credentials {
        case .basic(let id, let secret): credentials = try ClientCredentials(basic: (id, secret), form: form)
        case .missing: credentials = try ClientCredentials(basic: nil, form: form)
        case .garbled, .bearer: return nil
        }
        return try await run(AuthenticateClient(clientID: credentials.clientID, secret: credentials.secret))
    }

    /// Answers a request for tokens of an authenticated client.
    fileprivate func tokens(_ form: FormReader, _ client: AuthenticatedClient) async throws -> Reply {
        func required(_ name: String) throws(FormError) -> String {
            guard let text = try form.text(name) else {
                throw FormError(parameter: name, reason: "the parameter is missing")
            }
            return text
        }
        switch try required("grant_type") {
        case "authorization_code":
            let request = RedeemCode(
                client: client, code: try required("code"), redirect: try required("redirect_uri"),
                verifier: try form.text("code_verifier"))
            return .tokens(try await run(request))
        case "refresh_token":
            let request = RefreshGrant(
                client: client, refreshToken: try required("refresh_token"), scope: try form.text("scope"))
            return try await reply(to: request) { .tokens($0) }
        default:
            RequestNotes.note("grant_type")
            return .oauth(
                OAuthRefusal(
                    error: "unsupported_grant_type", description: "use authorization_code or refresh_token"))
        }
    }

    /// Answers a request to userinfo. Errors are those of RFC 6750, section 3.
    fileprivate func userInfo(_ posted: String?) async throws -> Reply {
        let token: String?
        switch headers.credentials {
        case .bearer(let text):
            guard posted == nil else { return .unclearToken("the access token is in two places; use one") }
            token = text
        case .missing: token = posted
        case .garbled, .basic: token = nil
        }
        if token == nil, (try? FormReader(rawQuery.utf8).text("access_token")) != nil {
            return .unclearToken("access_token: logs keep what is in the query; send it in the Authorization header")
        }
        guard let token, let claims = try await run(ReadUserInfo(accessToken: token)) else {
            let words = token.map { PresentedToken($0).wordsAtUserInfo } ?? "an access token of a grant is missing"
            if token == nil { RequestNotes.note("token_missing") }
            var reply = Reply.oauth(OAuthRefusal(error: "invalid_token", description: words), status: 401)
            let isSilent = token == nil && posted == nil
            reply.headers["WWW-Authenticate"] =
                isSilent ? "Bearer realm=\"tenure\"" : "Bearer realm=\"tenure\", error=\"invalid_token\""
            return reply
        }
        var reply = Reply(headers: ["Content-Type": "application/json"], body: claims.canonicalBytes())
        reply.openID = .success
        return reply
    }

    /// Answers a request to log out.
    fileprivate func logOut(_ parameters: [UInt8]) async throws -> Reply {
        guard let form = try? FormReader(parameters) else { return try page(.malformed) }
        let answer = try await run(
            LogOut(form.pairs, cookie: cookie.value(in: headers)))
        var reply: Reply
        switch answer {
        case .redirect(let answer): reply = .seeOther(answer.url)
        case .done(let fault): reply = try page(PageNotice(loggedOut: fault))
        case .ask(let handle): return ask(at: "/logout/confirm", BrowserFlow(at: call.time, request: handle))
        }
        reply.openID = .success
        // Without its cookie a session goes on, so the browser keeps it.
        reply.cookies =
            (cookie.value(in: headers) == nil ? [] : [cookie.deleting])
            + PageVisit(exchange: self).flows.deletingWaits
        return reply
    }
}

extension Reply {
    /// Sends the browser to another address with GET (RFC 9700, section 4.12).
    static func seeOther(_ url: String) -> Reply { Reply(status: 303, headers: ["Location": url]) }

    /// Refuses as RFC 6749, section 5.2 says.
    static func oauth(_ refusal: OAuthRefusal, status: Int = 400) -> Reply {
        let body: JSONValue = [
            "error": .string(refusal.error), "error_description": .string(refusal.description),
        ]
        var reply = Reply(
            status: status, headers: ["Content-Type": "application/json"], body: body.canonicalBytes())
        reply.openID = .refused(refusal.error)
        return reply
    }

    /// Refuses a client that does not authenticate.
    static var invalidClient: Reply {
        var reply = oauth(
            OAuthRefusal(error: "invalid_client", description: "the client is unknown, or its secret is not in force"),
            status: 401)
        reply.headers["WWW-Authenticate"] = "Basic realm=\"tenure\""
        return reply
    }

    /// Refuses a request from which it is not clear what the access token is (RFC 6750, section 3.1).
    fileprivate static func unclearToken(_ words: String) -> Reply {
        RequestNotes.note("token_unclear")
        var reply = oauth(OAuthRefusal(error: "invalid_request", description: words))
        reply.headers["WWW-Authenticate"] = "Bearer realm=\"tenure\", error=\"invalid_request\""
        return reply
    }

    /// Replies with tokens, or with the refusal.
    fileprivate static func tokens(_ answer: TokenAnswer) -> Reply {
        switch answer {
        case .issued(let response):
            var reply = json(response)
            reply.headers["Pragma"] = "no-cache"
            reply.openID = .success
            return reply
        case .refused(let refusal): return oauth(refusal)
        }
    }
}

extension PresentedToken {
    /// What userinfo says of a token that it does not take.
    fileprivate var wordsAtUserInfo: String {
        switch self {
        case .accessToken: "this is an access token of the API: send the one that the token endpoint gave the client"
        case .idToken: "this is an ID token: send the access token that came with it"
        case .other: "the access token is not one of a grant in force"
        }
    }
}

extension FormError {
    /// The fault with the name of its parameter.
    fileprivate var words: String { parameter.map { "\($0): \(reason)" } ?? reason }
}
