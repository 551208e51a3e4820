import ErrorCodes

extension Endpoint {
    /// Returns the metadata of the OpenID provider (OpenID Connect Discovery).
    public static let readProviderMetadata = Endpoint(
        "readProviderMetadata", "GET", "/.well-known/openid-configuration", "Give the metadata of the OpenID provider",
        .tokens, by: [.anyone], answers: .json(TokenMetadataResponse.self), [.conditional, .openToOrigins])
    /// Authorizes a client.
    public static let authorize = Endpoint(
        "authorize", "GET", "/authorize", "Authorize a client of the OpenID provider, in a browser", .tokens,
        by: [.anyone], answers: .redirect(), .multilingual)
    /// Authorizes a client by a form.
    public static let authorizeByForm = Endpoint(
        "authorizeByForm", "POST", "/authorize", "Store an authorization request, and continue in a browser", .tokens,
        by: [.anyone], takes: .form(named: "AuthorizationForm"), answers: .redirect(), .multilingual)
    /// Exchanges a code or a refresh token of a client for tokens.
    public static let issueGrantTokens = Endpoint(
        "issueGrantTokens", "POST", "/oauth/token", "Exchange an authorization code or a refresh token for tokens",
        .tokens, by: [.anyone], takes: .form(named: "TokenGrantForm"), answers: .json(TokenGrantResponse.self),
        [.idempotent, .openToOrigins], family: .oauth)
    /// Tells a client about a person.
    public static let readUserInfo = Endpoint(
        "readUserInfo", "GET", "/oauth/userinfo", "Tell a client about the person of a grant", .tokens, by: [.anyone],
        answers: .json(named: "UserInfo"), .openToOrigins)
    /// Tells a client about a person, by a form.
    public static let readUserInfoByForm = Endpoint(
        "readUserInfoByForm", "POST", "/oauth/userinfo", "Tell a client about the person of a grant, by a form",
        .tokens, by: [.anyone], takes: .optionalForm(named: "UserInfoForm"), answers: .json(named: "UserInfo"))
    /// Logs a person out at the request of a client.
    public static let logOut = Endpoint(
        "logOut", "GET", "/logout", "Log a person out, in a browser", .tokens, by: [.anyone], answers: .redirect(),
        .multilingual, refuses: [.serviceBusy])
    /// Logs a person out by a form.
    public static let logOutByForm = Endpoint(
        "logOutByForm", "POST", "/logout", "Log a person out by a form, in a browser", .tokens, by: [.anyone],
        takes: .optionalForm(named: "LogOutForm"), answers: .redirect(), .multilingual, refuses: [.serviceBusy])
    /// Lists the caller's open grants.
    public static let listGrants = Endpoint(
        "listGrants", "GET", "/v1/me/grants", "List the open grants of clients to the caller", .sessions,
        by: .employees, answers: .json(PageResponse<GrantResponse>.self, as: "GrantList"), .conditional)
    /// Ends one of the caller's grants.
    public static let endGrant = Endpoint(
        "endGrant", "DELETE", "/v1/me/grants/{grantId}", "End a grant of a client to the caller", .sessions,
        by: .employees, answers: .empty(204), refuses: [.serviceBusy])
    /// Lists an employee's open grants.
    public static let listEmployeeGrants = Endpoint(
        "listEmployeeGrants", "GET", "/v1/companies/{companyName}/employees/{companyEmployeeId}/grants",
        "List the open grants of clients to an employee", .companies, by: [.administrationApp] + .admins,
        answers: .json(PageResponse<GrantResponse>.self, as: "GrantList"), .conditional)

    /// The endpoints of the OpenID provider, in the order of the documentation.
    static let ofOpenID: [Endpoint] = [
        .readProviderMetadata, .authorize, .authorizeByForm, .issueGrantTokens, .readUserInfo, .readUserInfoByForm,
        .logOut, .logOutByForm, .listGrants, .endGrant, .listEmployeeGrants,
    ]
}
