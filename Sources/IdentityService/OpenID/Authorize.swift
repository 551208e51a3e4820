import Canonical
import ErrorCodes
import EventCoding
import Identity
import Keys
import Ledger

/// Answers a request to the authorization endpoint (OpenID Connect Core, section 3.1.2).
package struct Authorize: UseCase, Redacted {
    /// The parameters as the client sent them.
    let parameters: AuthorizationParameters
    package let cookie: String?
    /// Whether the request came by POST: it is stored, because such a request carries no cookie from another site.
    package let isPost: Bool

    /// - Parameter parameters: The decoded parameters. One that is given twice comes twice.
    package init(_ parameters: [(name: String, value: String)], cookie: String?, isPost: Bool = false) {
        self.parameters = AuthorizationParameters(parameters)
        self.cookie = cookie
        self.isPost = isPost
    }

    /// What the endpoint does.
    package enum Answer: Sendable, Equatable, RedactedDescription {
        /// What the browser gets.
        case now(AuthorizationAnswer)
        /// The browser asks again with a GET, by the handle of the stored request.
        case again(handle: String)
    }

    package func run(_ run: UseCaseRun<Answer>) async throws -> Answer {
        let context = run.context, call = run.call
        var request = StoredRequest(parameters, at: call.time)
        if isPost {
            if let refusal = try await context.refusal(of: &request) { return .now(refusal) }
            try await context.insert(request, from: call.sourceAddress)
            return .again(handle: request.handle)
        }
        return .now(
            try await context.answer(
                request, isStored: false, cookie: cookie, at: call.time, from: call.sourceAddress))
    }
}

/// Goes on with a stored request, after a page.
package struct ContinueAuthorization: UseCase, Redacted {
    /// The handle of the stored request.
    package let handle: String
    package let cookie: String?

    package init(handle: String, cookie: String?) {
        self.handle = handle
        self.cookie = cookie
    }

    package func run(_ run: UseCaseRun<AuthorizationAnswer>) async throws -> AuthorizationAnswer {
        let context = run.context, time = run.call.time
        guard let request = try await StoredRequest.find(handle, context, at: time) else { return .fault(.expired) }
        return try await context.answer(request, isStored: true, cookie: cookie, at: time)
    }
}

/// Reads what a page shows of a stored request. The answer to the client never rests on it.
package struct ReadAuthorization: UseCase, Redacted {
    /// The handle of the stored request.
    package let handle: String
    /// The value of the browser's cookie; `nil` without one, or for a page of the log-in itself. Without it a log-in is
    /// what the request waits for, and its page shows the texts of the time when the request arrived.
    package let cookie: String?

    package init(handle: String, cookie: String?) {
        self.handle = handle
        self.cookie = cookie
    }

    /// Returns what a page shows; `nil` if the request is not known any more, or needs no page.
    package func run(_ run: UseCaseRun<AwaitedAuthorization?>) async throws -> AwaitedAuthorization? {
        let context = run.context, time = run.call.time
        guard var stored = try await StoredRequest.find(handle, context, at: time) else { return nil }
        do {
            guard let cookie else {
                let awaited = try stored.awaited()
                RequestNotes.note { $0.client = awaited.client }
                return awaited
            }
            let scene = try await AuthorizationScene(stored, cookie: cookie, context, at: time)
            guard let page = scene.request.decide(scene.situation).page else { return nil }
            stored.keep(scene.clientName, scene.registration)
            var awaited = try stored.awaited(page)
            if page != .logIn, let refusal = scene.noteRefusal() {
                awaited.unsuitable = AwaitedAuthorization.Unsuitability(refusal)
            }
            awaited.isUnassured = scene.registration.isUnassured(at: scene.request.redirect)
            if awaited.page != .consent, scene.registration.tenants.count == 1 {
                awaited.onlyTenant = try await StateLoader(reader: context.reader)
                    .tenant(scene.registration.tenants[0]).state.companyName
            }
            return awaited
        } catch is AuthorizationFault {
            return nil
        }
    }
}

extension AuthorizationDecision {
    /// The page that is next; `nil` if the client is answered.
    fileprivate var page: AuthorizationAnswer.Page? {
        switch self {
        case .logIn: .logIn
        case .chooseAccount: .chooseAccount
        case .askConsent: .consent
        case .offerAddress: .address
        case .answer, .refuse: nil
        }
    }
}

extension ServiceContext {
    /// Decides about a request, and answers it or stores it for a page.
    ///
    /// - Parameter address: The address of the browser, for a request that is not stored yet.
    func answer(
        _ stored: StoredRequest, isStored: Bool, cookie: String?, at time: Timestamp, from address: String? = nil
    ) async throws -> AuthorizationAnswer {
        do {
            let scene = try await AuthorizationScene(stored, cookie: cookie, self, at: time)
            switch scene.request.decide(scene.situation) {
            case .answer: return try await code(for: scene, isStored ? stored : nil, at: time)
            case .refuse(let error):
                RequestNotes.note(error.cause)
                if isStored, try await !stored.consume(self, with: nil, in: nil) { return .fault(.expired) }
                return refusal(error, stored.parameters, scene.registration, scene.clientName)
            case let decision:
                guard let page = decision.page else { throw ProgramDefect("a decision leads nowhere") }
                if page != .logIn { scene.noteRefusal() }
                if !isStored {
                    var new = stored
                    new.keep(scene.clientName, scene.registration)
                    try await insert(new, from: address)
                }
                return .ask(
                    page == .logIn ? stored.logInPage : page, handle: stored.handle, client: scene.request.client.uuid)
            }
        } catch let fault as AuthorizationFault {
            return try await refusal(fault, stored.parameters)
        }
    }

    /// What a request gets that cannot be read; `nil` for one that can. Nothing is stored before that is known.
    fileprivate func refusal(of request: inout StoredRequest) async throws -> AuthorizationAnswer? {
        do {
            let app = try await client(AuthorizationRequest.client(of: request.parameters)).state
            guard let registration = app.client else { throw AuthorizationFault.page(.unknownClient) }
            _ = try AuthorizationRequest(request.parameters, registration)
            request.keep(app.name ?? "", registration)
            return nil
        } catch let fault as AuthorizationFault {
            return try await refusal(fault, request.parameters)
        }
    }

    private func refusal(
        _ fault: AuthorizationFault, _ parameters: AuthorizationParameters
    ) async throws -> AuthorizationAnswer {
        switch fault {
        case .page(let page):
            RequestNotes.note(page.cause(in: parameters))
            return .fault(AuthorizationAnswer.Fault(page))
        case .redirect(let error):
            RequestNotes.note(error.cause)
            let app = try await client(AuthorizationRequest.client(of: parameters)).state
            guard let registration = app.client else { return .fault(.unknownClient) }
            return refusal(error, parameters, registration, app.name ?? "")
        }
    }

    /// Stores a new request. A network of addresses may store twice as many as it may make attempts from unknown devices:
    /// nobody has to be known for one.
    ///
    /// - Throws: `request.rate_limited`.
    func insert(_ request: StoredRequest, from address: String?) async throws {
        // A flood of the one does not hold up the other.
        let kind = request.isLogOut ? LedgerID.directory(0) : .system
        if let address { try openID.storedRequests.draw(kind.uuid, network: CallerNetwork(of: address).bytes) }
        try await request.insert(self)
    }

    /// Issues a code. The request that it answers is consumed with it.
    private func code(
        for scene: AuthorizationScene, _ stored: StoredRequest?, at time: Timestamp
    ) async throws -> AuthorizationAnswer {
        guard let browser = scene.browser else { throw ProgramDefect("an answer without a person") }
        let request = scene.request, code = AuthorizationCode(tenant: TenantID(browser.tenantID))
        let end = time.adding(AuthorizationCode.lifetime)
        let row = AuthorizationCodeRow(
            tenant: browser.tenantID, id: code.id.uuid, digest: code.digest(ring), session: browser.sessionID,
            employee: browser.employeeID, client: request.client.uuid, redirect: request.redirect.text,
            challenge: request.challenge?.bytes ?? [], nonce: request.nonce, scopes: request.scopes,
            expiresAt: end, forgetAt: end.adding(AuthorizationCode.memory),
            methods: AuthenticationMethods(values: browser.methods).text, authenticatedAt: browser.authenticatedAt)
        let insertion = row.insertion(ring), ledger = LedgerID(browser.tenantID)
        if let stored {
            guard try await stored.consume(self, with: insertion, in: ledger) else { return .fault(.expired) }
        } else {
            _ = try await pool.query(insertion, in: [ledger])
        }
        return .redirect(
            ClientAnswer(
                request.redirect,
                AuthorizationScene.fields(
                    [(name: "code", value: code.text)], state: request.state, issuer: settings.tokenIssuer),
                to: scene.clientName, isFormPost: request.mode == .formPost))
    }

    /// Tells the client an error. A request whose redirect URI is not the client's gets a page instead.
    private func refusal(
        _ error: AuthorizationError, _ parameters: AuthorizationParameters, _ registration: ClientRegistration,
        _ clientName: String
    ) -> AuthorizationAnswer {
        guard let redirect = try? AuthorizationRequest.redirect(of: parameters, registration) else {
            return .fault(.unknownRedirect)
        }
        let members = [
            (name: "error", value: error.code.rawValue), (name: "error_description", value: error.description),
        ]
        return .redirect(
            ClientAnswer(
                redirect,
                AuthorizationScene.fields(members, state: parameters["state"], issuer: settings.tokenIssuer),
                to: clientName, isFormPost: AuthorizationRequest.mode(of: parameters, redirect) == .formPost))
    }
}
