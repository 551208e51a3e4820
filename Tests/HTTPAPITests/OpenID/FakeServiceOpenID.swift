import Canonical
import FoundationEssentials
import TenureAPI

@testable import IdentityService

/// What the fake service's OpenID provider answers. By default there is no client.
struct ProviderAnswers: Sendable {
    var authorization = Authorize.Answer.now(.fault(.unknownClient))
    var logOut = LogOutAnswer.done(nil)
    var client: AuthenticatedClient?
    var tokens = TokenAnswer.refused(OAuthRefusal(error: "invalid_grant", description: "not valid"))
    /// The claims of the person of the access token `grant`.
    var claims: JSONValue?
    /// The origins that clients registered.
    var origins: Set<String> = []

    /// A client that everything is given.
    static let working: ProviderAnswers = {
        var answers = ProviderAnswers()
        answers.authorization = .now(.redirect(FakeService.answer))
        answers.client = AuthenticatedClient(id: FakeService.appId, secretID: nil)
        answers.tokens = issued
        return answers
    }()

    static let issued = TokenAnswer.issued(
        TokenGrantResponse(accessToken: "a", expiresIn: 300, refreshToken: "r", idToken: "i", scope: "openid"))
}

extension FakeService {
    /// The answer to a request of the OpenID provider; `nil` for other requests.
    func providerAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case let authorize as Authorize:
            try await enter("authorize", ["cookie": authorize.cookie ?? "", "isPost": "\(authorize.isPost)"], call)
            return provider.authorization
        case let next as ContinueAuthorization:
            try await enter("continueAuthorization", ["handle": next.handle, "cookie": next.cookie ?? ""], call)
            return next.handle == Self.handle ? AuthorizationAnswer.redirect(Self.answer) : .fault(.expired)
        case let logOut as LogOut:
            try await enter("logOut", ["cookie": logOut.cookie ?? ""], call)
            return provider.logOut
        case let client as AuthenticateClient:
            try await enter("authenticateClient", ["id": client.clientID, "secret": client.secret ?? ""], call)
            RequestNotes.note { $0.client = provider.client?.id }
            return .some(provider.client as any Sendable)
        case let redeem as RedeemCode:
            try await enter(
                "redeemCode",
                ["code": redeem.code, "redirect": redeem.redirect, "verifier": redeem.verifier ?? ""], call)
            return provider.tokens
        case let refresh as RefreshGrant:
            try await enter("refreshGrant", ["token": refresh.refreshToken, "scope": refresh.scope ?? ""], call)
            return provider.tokens
        case let read as ReadUserInfo:
            try await enter("readUserInfo", ["token": read.accessToken], call)
            return .some((read.accessToken == "grant" ? provider.claims : nil) as any Sendable)
        case let origin as IsClientOrigin: return provider.origins.contains(origin.origin)
        default: return nil
        }
    }
}
