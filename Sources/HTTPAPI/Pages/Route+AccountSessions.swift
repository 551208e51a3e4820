import Canonical
import FoundationEssentials
import IdentityService
import TenureAPI

extension Route {
    /// What the form that ends all other sessions is about.
    private static let others = "others"

    /// `GET /account/sessions`.
    static let showSessions = account(.showSessions) { account in
        let me = try await account.me()
        let sessions = try await account.exchange.run(ListSessions(caller: account.caller))
        let devices = try await account.exchange.run(ListDevices(caller: account.caller))
        let names = Dictionary(devices.map { ($0.fingerprint, $0.name) }, uniquingKeysWith: { first, _ in first })
        var content: PageContent = [
            "explanation": .text(account.text("sessions.explanation")), "end": .text(account.text("sessions.end")),
            "sessions": .list(
                sessions.reversed().map { session in
                    let name = names[session.fingerprint] ?? nil
                    var shown: PageContent = [
                        "device": .text(name ?? account.text("devices.nameless")),
                        "words": .text(FingerprintWords(hex: session.fingerprint).text),
                        "times": .text(
                            account.text(
                                "sessions.times", session.createdAt.forPeople, session.expiresAt.forPeople)),
                    ]
                    if session.isCurrent {
                        shown["current"] = .text(account.text("sessions.current"))
                    } else {
                        shown["session"] = .text(session.sessionId.lowercased)
                        shown["token"] = .text(
                            account.token(.endSessionsOfAccount, session.sessionId.lowercased))
                    }
                    return shown
                }),
        ]
        if sessions.contains(where: { !$0.isCurrent }) {
            content["others"] = .text(others)
            content["othersToken"] = .text(account.token(.endSessionsOfAccount, others))
            content["endOthers"] = .text(account.text("sessions.endOthers"))
        }
        return try account.page(.sessions, "sessions.title", of: me, at: .showSessions, content).reply()
    }

    /// `POST /account/sessions`: ends one other session, or all others.
    static let endSessionsOfAccount = accountForm(.endSessionsOfAccount) { account, form in
        let session = UUID(lowercased: form.request)
        guard session != nil || form.request == others else { return try account.visit.reply(.malformed) }
        try await account.exchange.run(EndOtherSessions(session: session, caller: account.caller))
        return .seeOther(Endpoint.showSessions.template.text)
    }
}
