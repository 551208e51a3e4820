import IdentityService
import TenureAPI

extension Endpoint {
    static let showFirstSteps = Endpoint(
        page: "GET", "/account/start", "Show a founder three steps against the loss of the company")
}

extension Route {
    /// `GET /account/start`: where a founder comes after founding. Each step may be left out.
    static let showFirstSteps = account(.showFirstSteps) { account in
        let me = try await account.me(), passkeys = try await account.exchange.run(ReadPasskeys(caller: account.caller))
        let isSecretless = passkeys?.isSecretless == true
        let isMissing = isSecretless && (passkeys?.held.count { !$0.isPending } ?? 0) < 2
        let own = passkeys?.held.first { $0.fingerprint == me.session.fingerprint }
        let content = FirstStepsContent(
            text: account.text(isMissing ? "start.missing" : "start.text"), isSecretless: isSecretless,
            isMissing: isMissing, isSynced: isSecretless && own?.isSynced == true,
            hint: me.emailVerified
                ? nil : account.text(isSecretless ? "start.addressFree" : "start.addressText"),
            address: me.emailVerified ? nil : account.form(.mailAddressLink, "address"),
            devicesPath: Endpoint.showDevices.template.text,
            loginURL: account.exchange.publicURL + AccountVisit.logInPath,
            accountPath: Endpoint.showAccount.template.text)
        let title: PageWord = isMissing ? "start.unfinished" : "start.title"
        return try account.page(content, title, of: me, at: .showFirstSteps).reply()
    }
}

/// Three steps after founding, each with what it prevents.
struct FirstStepsContent: AccountContent {
    static let template: PageTemplate = "start"
    let text: String
    /// Whether the founder logs in with passkeys alone.
    let isSecretless: Bool
    /// Whether one passkey is the only way in. A confirmed address leads back only together with a secret.
    let isMissing: Bool
    /// Whether the session carries no role, because its passkey is synced.
    let isSynced: Bool
    /// Why the address is worth a confirmation; `nil` once it is confirmed.
    let hint: String?
    /// The form that sends the mail about the address; `nil` once it is confirmed.
    let address: FormPart?
    let devicesPath: String
    /// Where a second device logs in.
    let loginURL: String
    let accountPath: String
}
