extension Endpoint {
    /// Returns the metadata of the OpenID provider (OpenID Connect Discovery).
    public static let readProviderMetadata = Endpoint(
        "GET", "/.well-known/openid-configuration", .anyone, "Give the metadata of the OpenID provider")
    /// Authorizes a client.
    public static let authorize = Endpoint(
        "GET", "/authorize", .anyone, "Authorize a client of the OpenID provider, in a browser")
    /// Authorizes a client by a form.
    public static let authorizeByForm = Endpoint(
        "POST", "/authorize", .anyone, "Store an authorization request, and continue in a browser")
    /// Exchanges a code or a refresh token of a client for tokens.
    public static let issueGrantTokens = Endpoint(
        "POST", "/oauth/token", .anyone, "Exchange an authorization code or a refresh token for tokens")
    /// Tells a client about a person.
    public static let readUserInfo = Endpoint(
        "GET", "/oauth/userinfo", .anyone, "Tell a client about the person of a grant")
    /// Tells a client about a person, by a form.
    public static let readUserInfoByForm = Endpoint(
        "POST", "/oauth/userinfo", .anyone, "Tell a client about the person of a grant, by a form")
    /// Logs a person out at the request of a client.
    public static let logOut = Endpoint("GET", "/logout", .anyone, "Log a person out, in a browser")
    /// Logs a person out by a form.
    public static let logOutByForm = Endpoint("POST", "/logout", .anyone, "Log a person out by a form, in a browser")

    /// The endpoints of the OpenID provider, in the order of the documentation.
    static let ofOpenID: [Endpoint] = [
        .readProviderMetadata, .authorize, .authorizeByForm, .issueGrantTokens, .readUserInfo, .readUserInfoByForm,
        .logOut, .logOutByForm,
    ]

    /// Whether scripts of a client's web pages may call the endpoint at a raw path.
    public static func isOpenToOrigins(path: some StringProtocol) -> Bool {
        [
            readProviderMetadata, readTokenMetadata, readTokenKeys, issueGrantTokens, readUserInfo, revokeToken,
        ].contains { $0.template.text == path }
    }
}
