import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Postgres
import TenureAPI

/// What a browser gets at the log-out endpoint.
package enum LogOutAnswer: Sendable, Equatable {
    /// The person is logged out, and the browser goes to the client.
    case redirect(ClientAnswer)
    /// The person is logged out, and a page says so.
    ///
    /// - Parameter fault: Why the browser does not go where the request asks; `nil` if it asks for no place.
    case done(ReturnFault?)
    /// A page asks first, about the stored request of this handle.
    case ask(handle: String)

    /// Why a browser stays here.
    package enum ReturnFault: Sendable, Hashable, CaseIterable {
        /// The `post_logout_redirect_uri` is not registered.
        case unregistered
        /// No ID token shows which client asks.
        case withoutHint
    }
}

/// Logs a person out at the request of a client (OpenID Connect RP-Initiated Logout 1.0).
///
/// Only an ID token of the session, or of one that it replaced, shows that the request comes from a client of it. Without
/// one a page asks, because any site can send a browser here, and nobody is sent to another site without an ID token of
/// that client. The log-out ends the client's grants in the session, those with `offline_access` too. An ID token that
/// comes without the cookie ends the grants of its `sid`, but none with `offline_access`.
package struct LogOut: UseCase, Redacted {
    /// The parameters as the client sent them.
    let parameters: AuthorizationParameters
    package let cookie: String?

    /// - Parameter parameters: The decoded parameters. One that is given twice comes twice.
    package init(_ parameters: [(name: String, value: String)], cookie: String?) {
        self.parameters = AuthorizationParameters(parameters)
        self.cookie = cookie
    }

    /// Logs out, or asks.
    package func run(_ run: UseCaseRun<LogOutAnswer>) async throws -> LogOutAnswer {
        let context = run.context, time = run.call.time
        let end = try await context.end(of: parameters, at: time)
        guard let browser = try await context.browserSession(cookie, at: time) else {
            if let hint = end.hint { try await context.end(hint, run.call) }
            return end.reply
        }
        guard let hint = end.hint, try await context.isSession(of: browser, hint) else {
            // A page asks about a request of any size; of one that is not kept it knows nothing.
            let kept =
                parameters.isTooLarge ? AuthorizationParameters([(name: String, value: String)]()) : parameters
            let request = StoredRequest(kept, isLogOut: true, at: time)
            try await context.insert(request, from: run.call.sourceAddress)
            return .ask(handle: request.handle)
        }
        try await context.end(browser, for: hint.client, run.call)
        return end.reply
    }
}

/// Logs a person out who confirmed it on the page.
package struct ConfirmLogOut: UseCase, Redacted {
    /// The handle of the stored request.
    package let handle: String
    package let cookie: String?

    package init(handle: String, cookie: String?) {
        self.handle = handle
        self.cookie = cookie
    }

    /// Logs out. The browser goes to a client only if the request had an ID token of it, and the URI is registered.
    package func run(_ run: UseCaseRun<LogOutAnswer>) async throws -> LogOutAnswer {
        let context = run.context, time = run.call.time
        let stored = try await StoredRequest.find(handle, isLogOut: true, context, at: time)
        let end = try await stored.asyncMap { try await context.end(of: $0.parameters, at: time) }
        if let hint = end?.hint { try await context.end(hint, run.call) }
        if let browser = try await context.browserSession(cookie, at: time) {
            try await context.end(browser, for: end?.hint?.client, run.call)
        }
        guard let stored, let end, try await stored.consume(context, with: nil, in: nil) else { return .done(nil) }
        return end.reply
    }
}

/// What a log-out request is about.
private struct LogOutRequest: Sendable {
    /// What the ID token of the request says; `nil` if the request does not show that it comes from that client.
    var hint: IDToken.Hint?
    /// Where the browser goes afterwards; `nil` if it stays here.
    var answer: ClientAnswer?
    /// Why it stays although the request names a place.
    var fault: LogOutAnswer.ReturnFault?

    /// What the browser gets once the person is logged out.
    var reply: LogOutAnswer {
        if let answer { return .redirect(answer) }
        if let fault { RequestNotes.note(fault == .unregistered ? .returnUnregistered : .returnWithoutHint) }
        return .done(fault)
    }
}

extension ServiceContext {
    /// What a log-out request is about.
    fileprivate func end(
        of parameters: AuthorizationParameters, at time: Timestamp
    ) async throws -> LogOutRequest {
        let isAsked = parameters["post_logout_redirect_uri"] != nil
        guard parameters.repeated.isEmpty else { return LogOutRequest() }
        guard let token = parameters["id_token_hint"], let hint = try await IDToken.Hint(token, self, at: time),
            parameters["client_id"].map({ $0 == hint.client.description }) ?? true
        else { return LogOutRequest(fault: isAsked ? .withoutHint : nil) }
        var request = LogOutRequest(hint: hint, fault: isAsked ? .unregistered : nil)
        let app = try await client(hint.client)
        guard let text = parameters["post_logout_redirect_uri"],
            let uri = app.state.client?.postLogout.first(where: { $0.text.utf8.elementsEqual(text.utf8) })
        else { return request }
        let state = parameters["state"].map { [(name: "state", value: $0)] } ?? []
        request.answer = ClientAnswer(uri, state, to: app.state.name ?? "")
        return request
    }

    /// Whether an ID token was issued in the session of a browser, or in one that it replaced.
    fileprivate func isSession(of browser: BrowserSession, _ hint: IDToken.Hint) async throws -> Bool {
        guard hint.tenant.uuid == browser.tenantID, hint.employee.uuid == browser.employeeID else { return false }
        if hint.session == browser.sessionID { return true }
        return try await successors(of: hint.session, in: hint.tenant).contains(browser.sessionID)
    }

    /// Ends the session of a browser, and before it the grants that the client which asked has in it.
    fileprivate func end(_ browser: BrowserSession, for client: AppID?, _ call: Call) async throws {
        if let client {
            try await EndGrant(context: self).logOut(
                client, of: browser.employeeID, in: browser.tenantID, where: "session_id = \(browser.sessionID)", call)
        }
        try await end(browser, call)
    }

    /// Ends the grants of the session that an ID token names, for its client. Nobody proved to be the person, so those
    /// with `offline_access` go on.
    fileprivate func end(_ hint: IDToken.Hint, _ call: Call) async throws {
        try await EndGrant(context: self).logOut(
            hint.client, of: hint.employee.uuid, in: hint.tenant.uuid,
            where: """
                opened_in = \(hint.session)
                    AND NOT \(OpenIDScope.offlineAccess.rawValue) = ANY (string_to_array(scopes, ' '))
                """, call)
    }
}
