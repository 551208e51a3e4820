import Canonical
import ErrorCodes
import IdentityService
import TenureAPI

/// The page behind the link of a mail: HTML without script or anything that a caller wrote.
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
        /// Wrong PINs have ended the identity, which no mail brings back.
        case blocked
        /// The identity or the registration was ended.
        case ended
        /// The company does not permit PINs now.
        case notPermitted
        /// The identity is verified by somebody else than the reader of the mail.
        case notByMail
        /// The reader's address has sent too many requests.
        case tooMany
        /// The service cannot answer now.
        case unavailable
    }
    let message: Message
    /// Language tags of the reader, best first.
    let languages: [String]
    /// The id of the request, which a page that helps nobody on shows for whoever helps.
    let requestId: String
    /// The rows of words that the reader chooses from instead of pressing a button, with the link, and whether another
    /// row was wrong.
    var choices: (link: MailLinkParameters, rows: [[UInt8]], isWrong: Bool)?

    var reply: Reply {
        var reply = Reply.text(html, "text/html; charset=utf-8")
        reply.status = status
        reply.headers["Content-Language"] = isGerman ? "de" : "en"
        reply.headers["Content-Security-Policy"] =
            "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'self'; "
            + "frame-ancestors 'none'"
        return reply
    }

    private var status: Int {
        switch message {
        case .question, .returnQuestion, .cancelQuestion, .done: 200
        case .expired, .blocked, .ended: 410
        case .invalid: 400
        case .notPermitted: 403
        case .notByMail: 409
        case .tooMany: 429
        case .unavailable: 503
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
        let request = "<p class=\"detail\">\(isGerman ? "Vorgang" : "Request"): <code>\(requestId)</code></p>"
        let button = isGerman ? "Bestätigen" : "Confirm"
        let form =
            choices.map(forms)
            ?? "<form method=\"post\"><div class=\"actions\"><button type=\"submit\">\(button)</button></div></form>"
        return """
            <!doctype html>
            <html lang="\(isGerman ? "de" : "en")">
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
            \(isQuestion ? form : message == .done ? "" : request)
            </main>
            </body>
            </html>

            """
    }

    /// A form with a button for each row. Its query has the row, and the link, which is checked by now.
    private func forms(link: MailLinkParameters, rows: [[UInt8]], isWrong: Bool) -> String {
        let wrong =
            isGerman
            ? "Das neue Gerät zeigt etwas anderes. Die nächste falsche Wahl beendet den Vorgang."
            : "The new device shows something else. The next wrong choice ends the request."
        let forms = rows.map { row in
            let digits = Hex.encode(row)
            let query = "?expires=\(link.expires)&amp;key=\(link.key)&amp;words=\(digits)"
            return """
                <form method="post" action="\(query)"><div class="actions"><button type="submit" class="second words" \
                translate="no">\(FingerprintWords(row).text)<br><code>\(digits)</code></button></div></form>
                """
        }
        return (isWrong ? ["<p class=\"error\" role=\"alert\">\(wrong)</p>"] : []).joined()
            + forms.joined(separator: "\n")
    }

    private var english: (String, String) {
        switch message {
        case .question: ("Confirm", "Press the button if you asked for this.")
        case .returnQuestion:
            (
                "Begin the return",
                "Only if you asked for it on your new device, press the button with the words or the digits that this "
                    + "device shows. It becomes the only one with the role of the security admin after a waiting time "
                    + "of at least 48 hours."
            )
        case .cancelQuestion:
            ("Cancel the return", "Press the button if the new device that is about to get your role is not yours.")
        case .done: ("Confirmed", "You may close this page.")
        case .expired: ("Too late", "This link has expired. Ask for another mail.")
        case .invalid: ("Not valid", "This link is not valid. Open it as it is in the mail.")
        case .blocked:
            (
                "Blocked",
                "Wrong PINs have ended this registration, and another mail does not help. Delete the user in the app "
                    + "on your device, and register the PIN again."
            )
        case .ended:
            (
                "Ended",
                "This registration was ended, and another mail does not help. Register the PIN again in the app on "
                    + "your device."
            )
        case .notPermitted:
            ("Not permitted", "Your company does not permit PINs now. Ask whoever administers its accounts.")
        case .notByMail:
            (
                "Not by mail",
                "This registration is not confirmed by a mail. Go on in the app on your device; it says who confirms."
            )
        case .tooMany: ("Too many requests", "Wait a minute, and open the link again. It is still valid.")
        case .unavailable:
            (
                "Not available",
                "The service cannot answer now, and nothing has changed. Open the link again in a few minutes."
            )
        }
    }

    private var german: (String, String) {
        switch message {
        case .question: ("Bestätigen", "Drücken Sie den Knopf, wenn Sie das veranlasst haben.")
        case .returnQuestion:
            (
                "Rückkehr beginnen",
                "Nur wenn Sie das auf Ihrem neuen Gerät veranlasst haben, drücken Sie den Knopf mit den Wörtern oder "
                    + "Ziffern, die dieses Gerät zeigt. Es bekommt nach einer Wartezeit von mindestens 48 Stunden als "
                    + "einziges die Rolle des Sicherheitsadministrators."
            )
        case .cancelQuestion:
            (
                "Rückkehr abbrechen",
                "Drücken Sie den Knopf, wenn das neue Gerät, das Ihre Rolle bekommen soll, nicht Ihres ist."
            )
        case .done: ("Bestätigt", "Sie können diese Seite schließen.")
        case .expired: ("Zu spät", "Dieser Link ist abgelaufen. Fordern Sie eine neue Mail an.")
        case .invalid: ("Ungültig", "Dieser Link ist ungültig. Öffnen Sie ihn so, wie er in der Mail steht.")
        case .blocked:
            (
                "Gesperrt",
                "Falsche PINs haben diese Registrierung beendet; eine neue Mail hilft nicht. Löschen Sie den Benutzer "
                    + "in der App auf Ihrem Gerät und registrieren Sie die PIN neu."
            )
        case .ended:
            (
                "Beendet",
                "Diese Registrierung wurde beendet; eine neue Mail hilft nicht. Registrieren Sie die PIN in der App "
                    + "auf Ihrem Gerät neu."
            )
        case .notPermitted:
            ("Nicht erlaubt", "Ihre Firma erlaubt zurzeit keine PINs. Fragen Sie, wer dort die Konten verwaltet.")
        case .notByMail:
            (
                "Nicht per Mail",
                "Diese Registrierung wird nicht durch eine Mail bestätigt. Fahren Sie in der App auf Ihrem Gerät fort; "
                    + "sie sagt, wer bestätigt."
            )
        case .tooMany:
            ("Zu viele Anfragen", "Warten Sie eine Minute und öffnen Sie den Link erneut. Er gilt weiter.")
        case .unavailable:
            (
                "Nicht erreichbar",
                "Der Dienst kann gerade nicht antworten; nichts hat sich geändert. Öffnen Sie den Link in einigen "
                    + "Minuten erneut."
            )
        }
    }
}

extension MailLinkPage {
    /// The answer to an opened link or a pressed button.
    init(_ message: Message, answering exchange: RoutedRequest) {
        self.init(
            message: message, languages: exchange.headers.preferredLanguages, requestId: exchange.call.requestId)
    }
}

extension Reply {
    /// Replies with the page of a refusal. Status and header fields are those of a problem document.
    init(pageOf refusal: Refusal, requestId: String, languages: [String]) {
        let message = MailLinkPage.Message(of: refusal.code)
        self = MailLinkPage(message: message, languages: languages, requestId: requestId).reply
        status = refusal.status ?? refusal.code.status
        code = refusal.code.rawValue
        headers[HeaderName.requestId] = requestId
        if let seconds = refusal.retryAfter { headers["Retry-After"] = String(seconds) }
        headers.merge(refusal.headers) { _, own in own }
    }
}

extension MailLinkPage.Message {
    /// What the reader of a mail is told about a refusal.
    init(of code: ErrorCode) {
        switch code {
        case .mpinRequestExpired: self = .expired
        case .mpinBlocked: self = .blocked
        case .mpinEnded: self = .ended
        case .mpinDisabled: self = .notPermitted
        case .mpinWrongState: self = .notByMail
        case .requestRateLimited: self = .tooMany
        default: self = code.status >= 500 || code == .requestStale ? .unavailable : .invalid
        }
    }
}

/// The parameters of a link in a mail: when it expires, and its code.
///
/// Others are ignored: programs that count visits add some.
struct MailLinkParameters {
    /// The time as it was sent; empty without one.
    var expires = ""
    /// The code as it was sent; empty without one.
    var key = ""
    /// The row of words that the reader chose; `nil` without one.
    var words: [UInt8]?

    /// Reads a query. A parameter that is given twice, or is no percent-encoded UTF-8, counts as absent.
    init(_ rawQuery: Substring) {
        let pairs = rawQuery.split(separator: "&").map {
            $0.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        }
        func value(_ name: String) -> String {
            let found = pairs.filter { $0[0] == name }
            guard found.count == 1, let pair = found.first, pair.count == 2 else { return "" }
            return PercentEncoding.decode(pair[1]) ?? ""
        }
        expires = value("expires")
        key = value("key")
        words = Hex.decode(value("words")).flatMap { $0.count == FingerprintWords.count ? $0 : nil }
    }
}

extension Endpoint {
    /// The endpoints behind links of mails: people open them, so refusals are pages too.
    private static let ofMailLinks: [Endpoint] = [
        .showEmailLink, .confirmEmail, .showMPinLink, .followMPinLink, .showReturnLink, .openReturn,
        .showReturnCancellation, .cancelReturn,
    ]

    /// Whether a path is that of a link in a mail, whatever the method is.
    static func isMailLink(path: some StringProtocol) -> Bool {
        guard let segments = PathTemplate.segments(of: path) else { return false }
        return ofMailLinks.contains { $0.template.match(segments) != nil }
    }
}
