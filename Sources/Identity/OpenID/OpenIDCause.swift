/// Why the OpenID provider refused a client or a person, for the operator's log and metrics. The names are stable.
///
/// The client gets the code of the standard and a sentence: a cause would tell a thief what a stolen code still lacks.
package enum OpenIDCause: Sendable, Hashable, CaseIterable {
    // Which client it is. A malformed id has not the form of one.
    case clientMissing, clientRepeated, clientMalformed, clientUnknown
    /// The client is not public, and sent no secret.
    case secretMissing
    case secretWrong
    /// The secret is revoked, or has not been handed over yet.
    case secretNotInForce
    case secretWithoutAccess

    // What is wrong with an authorization request.
    case redirectMissing, redirectRepeated, redirectUnregistered
    case requestTooLarge, parameterRepeated, parameterTooLong, requestObject, registration, responseType, responseMode
    case scopeMissing, challengeMissing, challengeMalformed, prompt, maxAge, hintInvalid

    case notLoggedIn, logInTooOld
    /// The `id_token_hint` names somebody else.
    case otherPerson
    /// The request names another tenant.
    case otherCompany
    /// The operator registered the client for other tenants.
    case companyNotTaken
    case companyNotLinked, linkWithoutAccess, consentMissing, consentRefused

    // What is wrong with a code or a token.
    case codeUnknown, codeReused
    /// Somebody presented the code wrongly before.
    case codeSpoilt
    case codeExpired, clientDiffers, redirectDiffers, verifierMissing, verifierWrong
    /// The authorization request had no challenge.
    case verifierUnexpected
    case sessionEnded, idTokenSent, apiTokenSent, tokenUnknown, tokenReused, tokenExpired, grantEnded, scopeExceeded

    /// No log-out leads to the `post_logout_redirect_uri`.
    case returnUnregistered
    /// No `id_token_hint` shows which client wants the browser back.
    case returnWithoutHint

    /// The name in log and metrics, such as `client_missing`.
    package var name: String {
        "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "_" + $1.lowercased() : String($1) }
    }
}

extension AuthorizationFault.Page {
    /// The cause of the fault, as the parameters show it.
    package func cause(in parameters: AuthorizationParameters) -> OpenIDCause {
        func isRepeated(_ name: String) -> Bool { parameters.repeated.contains(name) }
        switch self {
        case .tooLarge: return .requestTooLarge
        case .unknownClient:
            if isRepeated("client_id") { return .clientRepeated }
            guard let text = parameters["client_id"] else { return .clientMissing }
            return AppID(text: text) == nil ? .clientMalformed : .clientUnknown
        case .unknownRedirect:
            if isRepeated("redirect_uri") { return .redirectRepeated }
            return parameters["redirect_uri"] == nil ? .redirectMissing : .redirectUnregistered
        }
    }
}

extension ClientRegistration {
    /// Why the client takes no people of a tenant; `nil` if it does and the tenant links it.
    package func refusal(of tenant: TenantID, _ state: Tenant.State, as client: AppID) -> OpenIDCause? {
        guard takes(tenant) else { return .companyNotTaken }
        if state.links(client, as: .access) { return nil }
        return state.links[client] == nil ? .companyNotLinked : .linkWithoutAccess
    }
}
