import Canonical

/// A request to the authorization endpoint, read and checked against the client's registration.
package struct AuthorizationRequest: Sendable, Equatable {
    /// What the client wants the person to see.
    package enum Prompt: String, Sendable, Hashable, CaseIterable {
        /// Nothing: an error instead.
        case none
        /// A log-in, even within a session.
        case login
        /// A question for consent, even if it was given.
        case consent
        /// A choice of the account.
        case selectAccount = "select_account"
    }

    /// How the client gets the answer (OAuth 2.0 Multiple Response Type Encoding Practices; Form Post Response Mode).
    package enum ResponseMode: String, Sendable, Hashable, CaseIterable {
        /// In the query of the redirect URI.
        case query
        /// In a form that the browser posts to the redirect URI.
        case formPost = "form_post"
    }

    package let client: AppID
    /// The redirect URI: one that the operator registered.
    package let redirect: ClientURI
    /// The value to return with the answer.
    package let state: String?
    /// The value to repeat in the ID token.
    package let nonce: String?
    /// The requested scopes that the service knows; `openid` is among them.
    package let scopes: Set<OpenIDScope>
    /// The SHA-256 of the code verifier (RFC 7636); `nil` if the client sent none and needs none.
    package let challenge: Bytes32?
    /// What the person is to see.
    package let prompts: Set<Prompt>
    /// The age in seconds that the log-in may have at most.
    package let maximumAge: Int64?
    /// An ID token of the person who is expected.
    package let idTokenHint: String?
    /// The name of the tenant whose people are expected.
    package let tenant: String?
    /// How the client gets the answer.
    package let mode: ResponseMode

    /// The largest number of bytes of `state`. Some clients keep all that they know of the request there.
    package static let maximumStateBytes = 8_192
    /// The largest number of bytes of `nonce`.
    package static let maximumNonceBytes = 2_048

    /// Finds the client that a request names.
    ///
    /// - Throws: ``AuthorizationFault/Page/unknownClient``.
    package static func client(of parameters: AuthorizationParameters) throws(AuthorizationFault) -> AppID {
        guard !parameters.isTooLarge else { throw .page(.tooLarge) }
        guard let text = parameters["client_id"], let id = AppID(text: text) else { throw .page(.unknownClient) }
        return id
    }

    /// Finds the redirect URI of a request: one of the client's, byte by byte. A public client, such as a native app, may
    /// name another port of `127.0.0.1` or `[::1]`.
    ///
    /// - Throws: ``AuthorizationFault/Page/unknownRedirect``.
    package static func redirect(
        of parameters: AuthorizationParameters, _ registration: ClientRegistration
    ) throws(AuthorizationFault) -> ClientURI {
        guard let text = parameters["redirect_uri"] else { throw .page(.unknownRedirect) }
        if let uri = registration.redirects.first(where: { $0.text.utf8.elementsEqual(text.utf8) }) { return uri }
        guard registration.isPublic, let uri = try? ClientURI(text), let other = uri.withoutLoopbackPort,
            registration.redirects.contains(where: { $0.withoutLoopbackPort == other })
        else { throw .page(.unknownRedirect) }
        return uri
    }

    /// How the client of a request gets the answer, which may be an error. No form goes to the scheme of an app.
    package static func mode(of parameters: AuthorizationParameters, _ redirect: ClientURI) -> ResponseMode {
        redirect.webOrigin == nil ? .query : parameters["response_mode"].flatMap(ResponseMode.init) ?? .query
    }

    /// Reads a request of a client.
    ///
    /// - Throws: ``AuthorizationFault``. Only after client and redirect URI were found is the client told.
    package init(
        _ parameters: AuthorizationParameters, _ registration: ClientRegistration
    ) throws(AuthorizationFault) {
        client = try Self.client(of: parameters)
        redirect = try Self.redirect(of: parameters, registration)
        mode = Self.mode(of: parameters, redirect)
        do throws(AuthorizationError) {
            try Self.checkForm(parameters)
            try Self.check(mode, parameters)
            state = try Self.text("state", parameters, Self.maximumStateBytes)
            nonce = try Self.text("nonce", parameters, Self.maximumNonceBytes)
            scopes = try Self.scopes(parameters)
            challenge = try Self.challenge(parameters, registration)
            prompts = try Self.prompts(parameters)
            maximumAge = try Self.maximumAge(parameters)
        } catch {
            throw .redirect(error)
        }
        idTokenHint = parameters["id_token_hint"]
        tenant = parameters["tenant"]
    }

    /// Refuses what the service does not support, each with its own code.
    private static func checkForm(_ parameters: AuthorizationParameters) throws(AuthorizationError) {
        if let name = parameters.repeated.min() {
            throw AuthorizationError(.invalidRequest, "the parameter \(name) is given twice", .parameterRepeated)
        }
        if parameters["request"] != nil {
            throw AuthorizationError(.requestNotSupported, "request objects are not supported", .requestObject)
        }
        if parameters["request_uri"] != nil {
            throw AuthorizationError(.requestURINotSupported, "request_uri is not supported", .requestObject)
        }
        if parameters["registration"] != nil {
            throw AuthorizationError(.registrationNotSupported, "the operator registers clients", .registration)
        }
        guard let type = parameters["response_type"] else {
            throw AuthorizationError(.invalidRequest, "response_type is missing; use code", .responseType)
        }
        guard type == "code" else {
            throw AuthorizationError(.unsupportedResponseType, "the only response_type is code", .responseType)
        }
    }

    private static func check(
        _ mode: ResponseMode, _ parameters: AuthorizationParameters
    ) throws(AuthorizationError) {
        guard let wanted = parameters["response_mode"] else { return }
        guard ResponseMode(rawValue: wanted) != nil else {
            throw AuthorizationError(.invalidRequest, "the response_mode is query or form_post", .responseMode)
        }
        guard wanted == mode.rawValue else {
            throw AuthorizationError(.invalidRequest, "form_post needs an http or https redirect URI", .responseMode)
        }
    }

    private static func text(
        _ name: String, _ parameters: AuthorizationParameters, _ maximum: Int
    ) throws(AuthorizationError) -> String? {
        guard let text = parameters[name] else { return nil }
        guard text.utf8.count <= maximum else {
            throw AuthorizationError(.invalidRequest, "\(name) has more than \(maximum) bytes", .parameterTooLong)
        }
        return text
    }

    private static func scopes(_ parameters: AuthorizationParameters) throws(AuthorizationError) -> Set<OpenIDScope> {
        let scopes = OpenIDScope.known(in: parameters["scope"] ?? "")
        guard scopes.contains(.openid) else {
            throw AuthorizationError(.invalidScope, "the scope openid is required", .scopeMissing)
        }
        return scopes
    }

    private static func challenge(
        _ parameters: AuthorizationParameters, _ registration: ClientRegistration
    ) throws(AuthorizationError) -> Bytes32? {
        guard let text = parameters["code_challenge"] else {
            guard !registration.needsChallenge else {
                let words = "code_challenge is missing; PKCE is required for this client (RFC 7636)"
                throw AuthorizationError(.invalidRequest, words, .challengeMissing)
            }
            guard parameters["code_challenge_method"] == nil else {
                let words = "code_challenge is missing; the request names its method"
                throw AuthorizationError(.invalidRequest, words, .challengeMissing)
            }
            return nil
        }
        guard parameters["code_challenge_method"] == "S256" else {
            throw AuthorizationError(.invalidRequest, "the only code_challenge_method is S256", .challengeMalformed)
        }
        guard let bytes = Base64URL.decode(text), let challenge = Bytes32(bytes) else {
            let words = "code_challenge is not the base64url SHA-256 of a verifier"
            throw AuthorizationError(.invalidRequest, words, .challengeMalformed)
        }
        return challenge
    }

    private static func prompts(_ parameters: AuthorizationParameters) throws(AuthorizationError) -> Set<Prompt> {
        var prompts: Set<Prompt> = []
        for word in (parameters["prompt"] ?? "").split(separator: " ") {
            guard let prompt = Prompt(rawValue: String(word)) else {
                throw AuthorizationError(.invalidRequest, "prompt has a value that is not supported", .prompt)
            }
            prompts.insert(prompt)
        }
        guard !prompts.contains(.none) || prompts.count == 1 else {
            throw AuthorizationError(.invalidRequest, "prompt=none stands alone", .prompt)
        }
        return prompts
    }

    private static func maximumAge(_ parameters: AuthorizationParameters) throws(AuthorizationError) -> Int64? {
        guard let text = parameters["max_age"] else { return nil }
        guard text.utf8.count <= 12, text.utf8.allSatisfy(URICharacters.isDigit), let age = Int64(text) else {
            throw AuthorizationError(.invalidRequest, "max_age is a number of seconds", .maxAge)
        }
        return age
    }
}
