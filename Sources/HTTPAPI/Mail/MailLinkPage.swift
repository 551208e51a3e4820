import IdentityService

/// The page behind the link of a mail: HTML without script, style or anything that a caller wrote.
struct MailLinkPage {
    /// What the page says.
    enum Message: Sendable {
        /// It asks for the button, which alone changes something.
        case question
        /// It asks for the button that opens the return of a security admin.
        case returnQuestion
        /// It asks for the button that cancels one.
        case cancelQuestion
        /// The button did its work, now or earlier.
        case done
        /// The time of the link is over.
        case expired
        /// The link is not one of this service.
        case invalid
    }
    let message: Message
    /// Language tags of the reader, best first.
    let languages: [String]

    /// The page as a reply.
    var reply: Reply {
        var reply = Reply.text(html, "text/html; charset=utf-8")
        reply.status = status
        reply.headers["Content-Language"] = isGerman ? "de" : "en"
        reply.headers["Content-Security-Policy"] =
            "default-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
        return reply
    }

    private var status: Int {
        switch message {
        case .question, .returnQuestion, .cancelQuestion, .done: 200
        case .expired: 410
        case .invalid: 400
        }
    }

    private var isGerman: Bool {
        let known = languages.lazy.compactMap { $0.lowercased().split(separator: "-").first }
        return known.first { $0 == "de" || $0 == "en" } == "de"
    }

    private var html: String {
        let (title, text) = isGerman ? german : english
        // The form goes to the address of the page, with its query.
        let isQuestion = [.question, .returnQuestion, .cancelQuestion].contains(message)
        let button = isGerman ? "Bestätigen" : "Confirm"
        let form = "<form method=\"post\"><button type=\"submit\">\(button)</button></form>"
        return """
            <!doctype html>
            <html lang="\(isGerman ? "de" : "en")">
            <head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>\(title)</title></head>
            <body>
            <h1>\(title)</h1>
            <p>\(text)</p>
            \(isQuestion ? form : "")
            </body>
            </html>

            """
    }

    private var english: (String, String) {
        switch message {
        case .question: ("Confirm", "Press the button if you asked for this.")
        case .returnQuestion:
            (
                "Begin the return",
                "Press the button only if you asked for it on your new device. The new device becomes the only one "
                    + "with the role of the security admin after a waiting time of at least 48 hours."
            )
        case .cancelQuestion:
            ("Cancel the return", "Press the button if the new device that is about to get your role is not yours.")
        case .done: ("Confirmed", "You may close this page.")
        case .expired: ("Too late", "This link has expired. Ask for another mail.")
        case .invalid: ("Not valid", "This link is not valid. Open it as it is in the mail.")
        }
    }

    private var german: (String, String) {
        switch message {
        case .question: ("Bestätigen", "Drücken Sie den Knopf, wenn Sie das veranlasst haben.")
        case .returnQuestion:
            (
                "Rückkehr beginnen",
                "Drücken Sie den Knopf nur, wenn Sie das auf Ihrem neuen Gerät veranlasst haben. Das neue Gerät "
                    + "bekommt nach einer Wartezeit von mindestens 48 Stunden als einziges die Rolle des "
                    + "Sicherheitsadministrators."
            )
        case .cancelQuestion:
            (
                "Rückkehr abbrechen",
                "Drücken Sie den Knopf, wenn das neue Gerät, das Ihre Rolle bekommen soll, nicht Ihres ist."
            )
        case .done: ("Bestätigt", "Sie können diese Seite schließen.")
        case .expired: ("Zu spät", "Dieser Link ist abgelaufen. Fordern Sie eine neue Mail an.")
        case .invalid: ("Ungültig", "Dieser Link ist ungültig. Öffnen Sie ihn so, wie er in der Mail steht.")
        }
    }
}
