import Canonical
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import TenureAPI

/// What a browser gets at the log-out endpoint.
package enum LogOutAnswer: Sendable, Equatable {
    /// The person is logged out, and the browser goes to the client.
    case redirect(ClientAnswer)
    /// The person is logged out, and a page says so.
    case done
    /// A page asks first, about the stored request of this handle.
    case ask(handle: String)
}

/// Logs a person out at the request of a client (OpenID Connect RP-Initiated Logout 1.0).
///
/// Only an ID token of the session shows that the request comes from a client of it. Without one a page asks, because
/// any site can send a browser here, and nobody is sent to another site without an ID token of that client.
package struct LogOut: UseCase, CustomStringConvertible {
    /// The parameters as the client sent them.
    let parameters: AuthorizationParameters
    /// The value of the browser's cookie; `nil` without one.
    package let cookie: String?
    /// A placeholder that never contains the cookie.
    package var description: String { "[redacted]" }

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
            return end.answer.map { .redirect($0) } ?? .done
        }
        guard end.session == browser.sessionID else {
            // A page asks about a request of any size; of one that is not kept it knows nothing.
            let kept =
                parameters.isTooLarge ? AuthorizationParameters([(name: String, value: String)]()) : parameters
            let request = StoredRequest(kept, at: time)
            try await request.insert(context)
            return .ask(handle: request.handle)
        }
        try await context.end(browser, run.call)
        return end.answer.map { .redirect($0) } ?? .done
    }
}

/// Logs a person out who confirmed it on the page.
package struct ConfirmLogOut: UseCase, CustomStringConvertible {
    /// The handle of the stored request.
    package let handle: String
    /// The value of the browser's cookie; `nil` without one.
    package let cookie: String?
    /// A placeholder that never contains the cookie.
    package var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    package init(handle: String, cookie: String?) {
        self.handle = handle
        self.cookie = cookie
    }

    /// Logs out. The browser goes to a client only if the request had an ID token of it, and the URI is registered.
    package func run(_ run: UseCaseRun<LogOutAnswer>) async throws -> LogOutAnswer {
        let context = run.context, time = run.call.time
        let stored = try await StoredRequest.find(handle, context, at: time)
        if let browser = try await context.browserSession(cookie, at: time) { try await context.end(browser, run.call) }
        guard let stored, try await stored.consume(context, with: nil, in: nil) else { return .done }
        return try await context.end(of: stored.parameters, at: time).answer.map { .redirect($0) } ?? .done
    }
}

extension ServiceContext {
    /// The session that a log-out request is about, and where the browser goes afterwards: `nil` if the request does
    /// not show that it comes from that client.
    fileprivate func end(
        of parameters: AuthorizationParameters, at time: Timestamp
    ) async throws -> (session: UUID?, answer: ClientAnswer?) {
        guard parameters.repeated.isEmpty, let token = parameters["id_token_hint"],
            let hint = try await IDToken.Hint(token, self, at: time),
            parameters["client_id"].map({ $0 == hint.client.description }) ?? true
        else { return (nil, nil) }
        let app = try await StateLoader(reader: reader).app(hint.client)
        guard let text = parameters["post_logout_redirect_uri"],
            let uri = app.state.client?.postLogout.first(where: { $0.text.utf8.elementsEqual(text.utf8) })
        else { return (hint.session, nil) }
        let state = parameters["state"].map { [(name: "state", value: $0)] } ?? []
        return (hint.session, ClientAnswer(uri, state, to: app.state.name ?? ""))
    }
}
