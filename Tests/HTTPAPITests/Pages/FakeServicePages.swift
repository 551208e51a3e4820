import Canonical
import FoundationEssentials
import TenureAPI

@testable import IdentityService

extension FakeService {
    /// The value of the cookie of the one browser session.
    static let cookie = "cookie-of-the-session"
    /// The handle of the one stored request.
    static let handle = "handle-of-the-request"
    static let clientOrigin = "https://wiki.example"

    /// The request that waits for consent.
    static func pending(
        clientName: String = "Wiki", locales: [String] = [], page: AuthorizationAnswer.Page = .consent,
        loginHint: String? = nil, tenant: String? = nil
    ) -> AwaitedAuthorization {
        AwaitedAuthorization(
            page: page, client: appId, clientName: clientName, origin: clientOrigin,
            scopes: ["openid", "profile", "email", "groups", "offline_access"], loginHint: loginHint, tenant: tenant,
            locales: locales, hintIsAddress: loginHint?.contains("@") ?? false)
    }

    /// The question for the words of the one device key.
    static let words = WordQuestion(
        rows: [
            [UInt8](repeating: 1, count: 8), Array((Hex.decode(fingerprint) ?? []).prefix(8)),
            [7, 6, 5, 4, 3, 2, 1, 0],
        ],
        isSpent: false)

    /// The app that the pages act as.
    static let pagesApp = AppCaller(
        appId: appId, secretId: appId, roles: AppLinkRequest.Role.usual, isPagesApp: true,
        presented: PresentedSecret(secret: [], salt: []))

    static let browser = BrowserSession(
        id: appId, sessionID: employeeId, tenantID: employeeId, employeeID: employeeId, fingerprint: [],
        authenticatedAt: time, methods: ["pop", "pwd", "mfa"], expiresAt: time)

    /// The answer to a request of pages; `nil` for other requests.
    func pageAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case is ActAsPagesApp:
            try await enter("actAsPagesApp", [:], call)
            return .some((hasPagesApp ? Self.pagesApp : nil) as any Sendable)
        case let spend as SpendNonce:
            try await enter("spendNonce", ["nonce": spend.nonce], call)
            return await recorder.entries.count { $0.details["nonce"] == spend.nonce } == 1
        case let ask as AskForWords:
            try await enter("askForWords", ["fingerprint": Hex.encode(ask.fingerprint)], call)
            return words
        case let choose as ChooseWords:
            try await enter("chooseWords", ["row": Hex.encode(choose.row)], call)
            return wordChoice
        case is ReadRegistrationTerms: return RegistrationTerms(founding: founding, sendsMails: sendsMails)
        case let find as FindBrowserSession:
            try await enter("findBrowserSession", ["cookie": find.cookie], call)
            return .some((find.cookie == Self.cookie ? Self.browser : nil) as any Sendable)
        case let read as ReadAuthorization:
            try await enter("readAuthorization", ["handle": read.handle, "cookie": read.cookie ?? ""], call)
            return .some((read.handle == Self.handle ? pending : nil) as any Sendable)
        case let answer as AnswerConsent:
            try await enter(
                "answerConsent",
                ["handle": answer.handle, "cookie": answer.cookie ?? "", "isGiven": "\(answer.isGiven)"], call)
            guard answer.handle == Self.handle else { return AuthorizationAnswer.fault(.expired) }
            return AuthorizationAnswer.redirect(url: Self.clientOrigin + "/callback?code=c", origin: Self.clientOrigin)
        case let read as ReadLogOut:
            try await enter("readLogOut", ["handle": read.handle], call)
            return .some((read.handle == Self.handle ? Self.clientOrigin : nil) as any Sendable)
        case let confirm as ConfirmLogOut:
            try await enter("confirmLogOut", ["handle": confirm.handle, "cookie": confirm.cookie ?? ""], call)
            return confirm.handle == Self.handle
                ? LogOutAnswer.redirect(url: Self.clientOrigin + "/bye") : LogOutAnswer.done
        default: return nil
        }
    }
}
