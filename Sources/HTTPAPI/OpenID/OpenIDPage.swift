import IdentityService

/// A page of the OpenID provider without script, form or anything that a caller wrote: nobody can be sent anywhere.
struct OpenIDPage: Sendable {
    /// What the page says.
    enum Message: Sendable, CaseIterable {
        case unknownClient
        case unknownRedirect
        case tooLarge
        case expired
        case malformed
        case loggedOut
    }

    let message: Message
    /// Language tags of the reader, best first.
    let languages: [String]
    let requestId: String

    /// The page as a reply.
    var reply: Reply {
        let language = language, (title, text) = texts(language)
        let html = """
            <!doctype html>
            <html lang="\(language)">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(title)</title>
            <link rel="icon" href="data:,">
            <link rel="stylesheet" href="\(PageAsset.style.path)">
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            <p>\(text)</p>
            \(message == .loggedOut ? "" : "<p class=\"detail\">\(requestId)</p>")
            </main>
            </body>
            </html>

            """
        var reply = Reply.text(html, "text/html; charset=utf-8")
        reply.status = message == .loggedOut ? 200 : 400
        reply.headers["Content-Language"] = language
        reply.headers["Content-Security-Policy"] =
            "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
        return reply
    }

    private var language: String {
        let known = languages.lazy.compactMap { $0.lowercased().split(separator: "-").first.map(String.init) }
        return known.first { ["en", "de", "fr"].contains($0) } ?? "en"
    }

    private func texts(_ language: String) -> (title: String, text: String) {
        switch language {
        case "de": german
        case "fr": french
        default: english
        }
    }

    private var english: (String, String) {
        switch message {
        case .unknownClient: ("Unknown application", "The application is not registered here. Tell whoever runs it.")
        case .unknownRedirect:
            ("Unknown address", "The application named an address that is not registered. Tell whoever runs it.")
        case .tooLarge, .malformed: ("Not understood", "The application sent a request that cannot be read.")
        case .expired: ("Too late", "This log-in has expired or is done. Begin again at the application.")
        case .loggedOut: ("Logged out", "You are logged out. You may close this page.")
        }
    }

    private var german: (String, String) {
        switch message {
        case .unknownClient:
            ("Unbekannte Anwendung", "Die Anwendung ist hier nicht registriert. Sagen Sie es ihrem Betreiber.")
        case .unknownRedirect:
            (
                "Unbekannte Adresse",
                "Die Anwendung nannte eine nicht registrierte Adresse. Sagen Sie es ihrem Betreiber."
            )
        case .tooLarge, .malformed: ("Nicht verstanden", "Die Anfrage der Anwendung ist nicht lesbar.")
        case .expired:
            ("Zu spät", "Diese Anmeldung ist abgelaufen oder erledigt. Beginnen Sie bei der Anwendung von vorn.")
        case .loggedOut: ("Abgemeldet", "Sie sind abgemeldet. Sie können diese Seite schließen.")
        }
    }

    private var french: (String, String) {
        switch message {
        case .unknownClient:
            ("Application inconnue", "L’application n’est pas enregistrée ici. Prévenez son exploitant.")
        case .unknownRedirect:
            ("Adresse inconnue", "L’application a donné une adresse non enregistrée. Prévenez son exploitant.")
        case .tooLarge, .malformed: ("Demande illisible", "La demande de l’application ne peut pas être lue.")
        case .expired:
            ("Trop tard", "Cette connexion a expiré ou est terminée. Recommencez depuis l’application.")
        case .loggedOut: ("Déconnecté", "Vous êtes déconnecté. Vous pouvez fermer cette page.")
        }
    }
}

extension OpenIDPage.Message {
    /// The message about a fault.
    init(_ fault: AuthorizationAnswer.Fault) {
        switch fault {
        case .unknownClient: self = .unknownClient
        case .unknownRedirect: self = .unknownRedirect
        case .tooLarge: self = .tooLarge
        case .expired: self = .expired
        }
    }
}
