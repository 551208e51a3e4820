import Canonical
import FoundationEssentials
import IdentityService
import TenureAPI

/// The sessions of an account.
struct SessionsContent: AccountContent {
    static let template: PageTemplate = "sessions"

    struct Item: PagePart {
        let device: String
        let words: String
        let times: String
        let isCurrent: Bool
        /// The form that ends the session.
        let form: FormPart?
    }

    /// The form that ends all other sessions.
    struct Others: PagePart {
        let form: FormPart
    }

    let sessions: [Item]
    let others: Others?
}

extension Route {
    /// What the form that ends all other sessions is about.
    private static let others = "others"

    static let showSessions = account(.showSessions) { account in
        let me = try await account.me()
        let sessions = try await account.exchange.run(ListSessions(caller: account.caller))
        let devices = try await account.exchange.run(ListDevices(caller: account.caller))
        let names = Dictionary(devices.map { ($0.fingerprint, $0.name) }, uniquingKeysWith: { first, _ in first })
        let items = sessions.reversed().map { session in
            SessionsContent.Item(
                device: (names[session.fingerprint] ?? nil) ?? account.text("devices.nameless"),
                words: FingerprintWords(hex: session.fingerprint).text,
                times: account.text("sessions.times", session.createdAt.forPeople, session.expiresAt.forPeople),
                isCurrent: session.isCurrent,
                form: session.isCurrent ? nil : account.form(.endSessionsOfAccount, session.sessionId.lowercased))
        }
        let hasOthers = sessions.contains { !$0.isCurrent }
        let content = SessionsContent(
            sessions: items,
            others: hasOthers ? SessionsContent.Others(form: account.form(.endSessionsOfAccount, others)) : nil)
        return try account.page(content, "sessions.title", of: me, at: .showSessions).reply()
    }

    /// `POST /account/sessions`: ends one other session, or all others.
    static let endSessionsOfAccount = accountForm(.endSessionsOfAccount) { account, form in
        let session = UUID(lowercased: form.request)
        guard session != nil || form.request == others else { return try account.visit.reply(.malformed) }
        try await account.exchange.run(EndOtherSessions(session: session, caller: account.caller))
        return .seeOther(Endpoint.showSessions.template.text)
    }
}
