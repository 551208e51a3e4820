import FoundationEssentials
import IdentityService
import TenureAPI

/// A person of the demo company, with secrets that only a demonstration shows.
package struct DevelopmentPerson: Sendable, Equatable {
    package var company: String
    package var employeeId: String
    package var email: String
    /// What the person may do, such as `security admin`.
    package var role: String
    package var answers: [Answer]
    /// The passphrase; `nil` if the person answers questions only.
    package var passphrase: String?

    /// A question and its answer.
    package struct Answer: Sendable, Equatable {
        package var question: String
        package var answer: String

        package init(_ question: String, _ answer: String) {
            self.question = question
            self.answer = answer
        }
    }

    package init(
        company: String, employeeId: String, email: String, role: String, answers: [Answer],
        passphrase: String? = nil
    ) {
        self.company = company
        self.employeeId = employeeId
        self.email = email
        self.role = role
        self.answers = answers
        self.passphrase = passphrase
    }
}

/// The page `/dev` of a development service: who can log in, and with what; the mails; the guides.
struct DevelopmentPage: Sendable {
    let people: [DevelopmentPerson]
    let mails: [MailDirectory.Summary]

    /// The newest mails that the page shows.
    static let shownMails = 20

    /// The page. Everything that a mail or a file says is escaped.
    var reply: Reply {
        var reply = Reply.text(html, "text/html; charset=utf-8")
        reply.headers["Content-Language"] = "en"
        reply.headers["Content-Security-Policy"] = HostedPage.policy
        return reply
    }

    private var html: String {
        let people = people.isEmpty ? "<p>None yet. Reload the page in a moment.</p>" : people.map(Self.item).joined()
        let mails = mails.isEmpty ? "<p>None yet.</p>" : Self.list(mails.map(Self.item))
        return """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>Tenure on this machine</title>
            <link rel="stylesheet" href="\(PageAsset.style.path)">
            </head>
            <body>
            <main>
            <h1>Tenure on this machine</h1>
            <p><a href="/">Open the pages</a> and log in as one of these people. Only a development service shows this.</p>
            <h2>People</h2>
            \(people)
            <h2>Mails</h2>
            \(mails)
            <h2>Guides</h2>
            \(Self.list(Self.guides))
            </main>
            </body>
            </html>

            """
    }

    private static let guides = [
        "<a href=\"/docs\">Reference of the API</a>",
        "<code>docs/quickstart.md</code>: a web app that knows who is there",
        "<code>docs/guides</code>: log people in to Flask, Apache, Streamlit, a single-page app",
        "<code>docs/openid.md</code>: what the OpenID provider supports",
        "<code>docs/run.md</code>: apps, pages, keys",
    ]

    private static func item(_ person: DevelopmentPerson) -> String {
        let answers = person.answers.map { "\(escaped($0.question)) <strong>\(escaped($0.answer))</strong>" }
        let passphrase = person.passphrase.map { ["Passphrase: <strong>\(escaped($0))</strong>"] } ?? []
        return """
            <h3>\(escaped(person.employeeId)) at \(escaped(person.company))</h3>
            <p class="detail">\(escaped(person.role)), \(escaped(person.email))</p>
            \(list(passphrase + answers))

            """
    }

    private static func item(_ mail: MailDirectory.Summary) -> String {
        let links = mail.links.map { "<br><a href=\"\(escaped($0))\">\(escaped($0))</a>" }.joined()
        return "<a href=\"/dev/mail/\(mail.id.uuidString.lowercased())\">\(escaped(mail.subject))</a> "
            + "to \(escaped(mail.recipient))\(links)"
    }

    private static func list(_ items: [String]) -> String {
        "<ul>\n" + items.map { "<li>\($0)</li>\n" }.joined() + "</ul>"
    }

    private static func escaped(_ text: String) -> String {
        var html = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": html += "&amp;"
            case "<": html += "&lt;"
            case ">": html += "&gt;"
            case "\"": html += "&quot;"
            case "'": html += "&#39;"
            default: html.unicodeScalars.append(scalar)
            }
        }
        return html
    }
}

extension Route {
    /// `GET /dev` of a development service; none without its people.
    static func developmentPage(_ configuration: HTTPConfiguration) -> [Route] {
        guard let people = configuration.developmentPeople, configuration.bindsLoopback else { return [] }
        let mails = configuration.developmentMail
        return [
            Route(Endpoint("GET", "/dev", .anyone, "Show people and mails of a development service")) { exchange in
                try requireLoopback(exchange)
                let newest = mails?.list().prefix(DevelopmentPage.shownMails).compactMap { mails?.summary($0) } ?? []
                return DevelopmentPage(people: people(), mails: newest).reply
            }
        ]
    }
}
