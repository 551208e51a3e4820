/// The reason why an authorization request is refused.
package enum AuthorizationFault: Error, Sendable, Hashable {
    /// Nobody may be sent anywhere: a page says what is wrong (RFC 6749, section 4.1.2.1).
    case page(Page)
    /// The client is told, by a redirect to the redirect URI of the request.
    case redirect(AuthorizationError)

    /// What a page says.
    package enum Page: String, Sendable, Hashable, CaseIterable {
        /// There is no such client, or `client_id` is missing or given twice.
        case unknownClient
        /// The redirect URI is missing, given twice or not one that the operator registered.
        case unknownRedirect
        /// The request is larger than the service keeps.
        case tooLarge
    }
}

/// An error that a client is told by a redirect (RFC 6749, section 4.1.2.1, and OpenID Connect Core, section 3.1.2.6).
package struct AuthorizationError: Error, Sendable, Hashable {
    /// The codes.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case invalidRequest = "invalid_request"
        case unsupportedResponseType = "unsupported_response_type"
        case invalidScope = "invalid_scope"
        case accessDenied = "access_denied"
        case loginRequired = "login_required"
        case consentRequired = "consent_required"
        case interactionRequired = "interaction_required"
        case accountSelectionRequired = "account_selection_required"
        case requestNotSupported = "request_not_supported"
        case requestURINotSupported = "request_uri_not_supported"
        case registrationNotSupported = "registration_not_supported"
    }

    /// The code, `error`.
    package let code: Code
    /// What happened and what to do, `error_description`: printable ASCII without `"` and `\`.
    package let description: String
    /// What the log says.
    package let cause: OpenIDCause

    package init(_ code: Code, _ description: String, _ cause: OpenIDCause) {
        self.code = code
        self.description = description
        self.cause = cause
    }
}
