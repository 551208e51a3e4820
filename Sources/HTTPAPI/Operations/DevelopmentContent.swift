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

/// Who can log in to a development service, and with what; the mails; the guides.
struct DevelopmentContent: PageContent {
    static let template: PageTemplate = "development"
    /// The newest mails that the page shows.
    static let shownMails = 20

    struct Person: PagePart {
        let name: String
        let role: String
        let email: String
        let passphrase: String?
        let answers: [Answer]
    }

    struct Answer: PagePart {
        let question: String
        let answer: String
    }

    struct Mail: PagePart {
        let path: String
        let subject: String
        let recipient: String
        let links: [String]
    }

    let hasPeople: Bool
    let people: [Person]
    let mails: [Mail]
}

extension HostedPage {
    /// The page of a development service.
    ///
    /// - Parameter people: `nil` for a service that has no people of its own.
    init(development people: [DevelopmentPerson]?, _ mails: [MailDirectory.Summary], in language: PageLanguage) {
        let persons = (people ?? []).map { person in
            DevelopmentContent.Person(
                name: language.text("flow.account", person.employeeId, person.company), role: person.role,
                email: person.email, passphrase: person.passphrase,
                answers: person.answers.map { DevelopmentContent.Answer(question: $0.question, answer: $0.answer) })
        }
        let mails = mails.map { mail in
            DevelopmentContent.Mail(
                path: "/dev/mail/\(mail.id.uuidString.lowercased())", subject: mail.subject,
                recipient: mail.recipient, links: mail.links)
        }
        self.init(
            DevelopmentContent(hasPeople: people != nil, people: persons, mails: mails), "development.title",
            in: language)
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
                let newest = mails?.list().prefix(DevelopmentContent.shownMails).compactMap { mails?.summary($0) } ?? []
                let language = PageVisit(exchange: exchange).language()
                return try HostedPage(development: people(), newest, in: language).reply()
            }
        ]
    }
}
