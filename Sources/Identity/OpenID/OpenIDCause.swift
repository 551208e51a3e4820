/// Why the OpenID provider refused a client or a person, for the operator's log and metrics. The names are stable.
///
/// The client gets the code of the standard and a sentence: a cause would tell a thief what a stolen code still lacks.
package enum OpenIDCause: String, Sendable, Hashable, CaseIterable {
    // Which client it is.
    case clientMissing = "client_missing"
    case clientRepeated = "client_repeated"
    /// The id has not the form of one.
    case clientMalformed = "client_malformed"
    case clientUnknown = "client_unknown"
    /// A client that is not public sent no secret.
    case secretMissing = "secret_missing"
    case secretWrong = "secret_wrong"
    /// The secret is revoked, or has not been handed over yet.
    case secretNotInForce = "secret_not_in_force"
    /// The secret has not the role ACCESS.
    case secretWithoutAccess = "secret_without_access"

    // What an authorization request lacks.
    case redirectMissing = "redirect_missing"
    case redirectRepeated = "redirect_repeated"
    case redirectUnregistered = "redirect_unregistered"
    case requestTooLarge = "request_too_large"
    case parameterRepeated = "parameter_repeated"
    case parameterTooLong = "parameter_too_long"
    case requestObject = "request_object"
    case registration
    case responseType = "response_type"
    case responseMode = "response_mode"
    case scopeMissing = "scope_missing"
    case challengeMissing = "challenge_missing"
    case challengeMalformed = "challenge_malformed"
    case prompt
    case maximumAge = "max_age"
    case hintInvalid = "hint_invalid"

    // Who is there.
    case notLoggedIn = "not_logged_in"
    case logInTooOld = "log_in_too_old"
    /// The `id_token_hint` names somebody else.
    case otherPerson = "other_person"
    /// The request names another tenant.
    case otherCompany = "other_company"
    /// The operator registered the client for other tenants.
    case companyNotTaken = "company_not_taken"
    case companyNotLinked = "company_not_linked"
    case linkWithoutAccess = "link_without_access"
    case consentMissing = "consent_missing"
    case consentRefused = "consent_refused"

    // What a code or a token lacks.
    case codeUnknown = "code_unknown"
    case codeReused = "code_reused"
    /// Somebody presented the code wrongly before.
    case codeSpoilt = "code_spoilt"
    case codeExpired = "code_expired"
    case clientDiffers = "client_differs"
    case redirectDiffers = "redirect_differs"
    case verifierMissing = "verifier_missing"
    case verifierWrong = "verifier_wrong"
    /// The authorization request had no challenge.
    case verifierUnexpected = "verifier_unexpected"
    case sessionEnded = "session_ended"
    case tokenUnknown = "token_unknown"
    case tokenReused = "token_reused"
    case tokenExpired = "token_expired"
    case grantEnded = "grant_ended"
    case scopeExceeded = "scope_exceeded"

    // Where a log-out leads.
    case returnUnregistered = "return_unregistered"
    /// No `id_token_hint` shows which client wants the browser back.
    case returnWithoutHint = "return_without_hint"
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
