import Canonical
import FoundationEssentials
import TenureAPI
import Testing

@testable import HTTPAPI
@testable import IdentityService

extension FakeService {
    /// The value of the cookie of the one browser session.
    static let cookie = "cookie-of-the-session"
    /// The handle of the one stored request.
    static let handle = "handle-of-the-request"
    static let clientOrigin = "https://wiki.example"
    /// The answer to the one stored request.
    static let answer = ClientAnswer(
        uri: clientOrigin + "/callback", origin: clientOrigin, clientName: "Wiki",
        fields: [.init(name: "code", value: "c")])
    /// The id of a browser's flow.
    static let flowID = "flow-of-the-browser-22"

    /// A flow of the browser at a stage.
    static func flow(
        _ stage: BrowserFlow.Stage = .request, request: String = handle, id: String = flowID, began: Int64 = 1
    ) throws -> BrowserFlow {
        let text = BrowserFlow(at: time, request: request, client: appId, stage: stage).text
        return try #require(
            BrowserFlow(
                id: id, "\(began)." + text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)[1]))
    }

    /// The request that waits for consent.
    static func pending(
        clientName: String = "Wiki", locales: [String] = [], page: AuthorizationAnswer.Page = .consent,
        loginHint: String? = nil, tenant: String? = nil
    ) -> AwaitedAuthorization {
        AwaitedAuthorization(
            page: page, client: appId, clientName: clientName,
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

    static func browser(of employee: UUID = employeeId) -> BrowserSession {
        BrowserSession(
            id: appId, sessionID: employeeId, tenantID: employeeId, employeeID: employee, fingerprint: [],
            authenticatedAt: time, methods: ["pop", "pwd", "mfa"], expiresAt: time)
    }

    /// The answer to a request of pages; `nil` for other requests.
    func pageAnswer(to request: any UseCase, _ call: Call) async throws -> (any Sendable)? {
        switch request {
        case is ActAsPagesApp:
            try await enter("actAsPagesApp", [:], call)
            return .some((hasPagesApp ? Self.pagesApp : nil) as any Sendable)
        case let spend as SpendNonce:
            try await enter("spendNonce", ["nonce": spend.nonce], call)
            return await recorder.entries.count { $0.details["nonce"] == spend.nonce } == 1
        case is ReadPasskeySite: return .some((passkeys?.rpID) as any Sendable)
        case is ReadPasskeys: return .some(passkeys as any Sendable)
        case let issue as IssuePasskeyChallenge:
            let owner = issue.owner?.employeeId.lowercased ?? ""
            try await enter("issuePasskeyChallenge", ["visitor": issue.visitor, "owner": owner], call)
            return Array("challenge".utf8)
        case is StartPasskeyLogin:
            try await enter("startPasskeyLogin", [:], call)
            return PasskeyOptionsResponse(
                rpId: "id.example.com", challenge: [1], digest: [2], expiresAt: Self.time)
        case is ReadPasskeyOptions:
            try await enter("readPasskeyOptions", [:], call)
            return PasskeyOptionsResponse(
                rpId: "id.example.com", challenge: [1], digest: [2], expiresAt: Self.time, userHandle: [3],
                credentialIds: [[4]])
        case let add as AddPasskey:
            try await enter("addPasskey", ["spki": Hex.encode(add.made.spki ?? []), "visitor": add.visitor], call)
            return Self.fingerprint
        case let issue as ChallengeNewPasskey:
            try await enter("challengeNewPasskey", ["key": Hex.encode(issue.key), "flow": issue.flow], call)
            return Array("challenge".utf8)
        case let issue as ChallengeJoining:
            let details = ["key": Hex.encode(issue.key), "caller": issue.caller.employeeId.lowercased]
            try await enter("challengeJoining", details, call)
            return Array("joining".utf8)
        case let register as RegisterByPasskey:
            let signed = register.signed.map { Hex.encode($0.evidence) + "|" + Hex.encode($0.challenge) }
            try await enter(
                "registerByPasskey",
                ["spki": Hex.encode(register.made.spki ?? []), "flow": register.flow, "signed": signed ?? ""], call)
            return outcome
        case let logIn as LogInByPasskey:
            try await enter("logInByPasskey", ["credential": Hex.encode(logIn.proof.credential)], call)
            return outcome
        case let start as StartLoginByPasskey:
            try await enter("startLoginByPasskey", ["credential": Hex.encode(start.proof.credential)], call)
            return Self.started
        case let ask as AskForWords:
            try await enter("askForWords", ["fingerprint": Hex.encode(ask.fingerprint)], call)
            return words
        case let choose as ChooseWords:
            try await enter("chooseWords", ["row": Hex.encode(choose.row)], call)
            return wordChoice
        case is ReadRegistrationTerms: return RegistrationTerms(founding: founding, sendsMails: sendsMails)
        case let find as FindBrowserSession:
            try await enter("findBrowserSession", ["cookie": find.cookie], call)
            return .some((find.cookie == Self.cookie ? browser : nil) as any Sendable)
        case let goOn as GoOnWithoutAddress:
            try await enter("goOnWithoutAddress", ["handle": goOn.handle, "cookie": goOn.cookie ?? ""], call)
            return AuthorizationAnswer.redirect(Self.answer)
        case let read as ReadAuthorization:
            try await enter("readAuthorization", ["handle": read.handle, "cookie": read.cookie ?? ""], call)
            return .some((read.handle == Self.handle ? pending : nil) as any Sendable)
        case let answer as AnswerConsent:
            try await enter(
                "answerConsent",
                ["handle": answer.handle, "cookie": answer.cookie ?? "", "isGiven": "\(answer.isGiven)"], call)
            guard answer.handle == Self.handle else { return AuthorizationAnswer.fault(.expired) }
            return AuthorizationAnswer.redirect(Self.answer)
        case let read as ReadClientStart:
            let known = ReadClientStart.Start(name: "Wiki", origin: Self.clientOrigin)
            return .some((read.client == Self.appId ? known : nil) as any Sendable)
        case let confirm as ConfirmLogOut:
            try await enter("confirmLogOut", ["handle": confirm.handle, "cookie": confirm.cookie ?? ""], call)
            return confirm.handle == Self.handle
                ? LogOutAnswer.redirect(
                    ClientAnswer(uri: Self.clientOrigin + "/bye", origin: Self.clientOrigin, clientName: "Wiki"))
                : LogOutAnswer.done(nil)
        default: return nil
        }
    }
}
