import Embedding
import Mustache

/// A template of the pages. The raw value is the name by which templates refer to each other.
enum PageTemplate: String, Sendable, CaseIterable {
    /// The frame around every page.
    case layout
    /// A text without a form: an error, or the end of something.
    case notice
    /// The question for consent to a client.
    case consent
    /// The question before a log-out that no client of the session asked for.
    case logout
    /// The form that begins a log-in, with the accounts that this browser knows.
    case login
    /// The form that begins a log-in by an address.
    case loginAddress
    /// The accounts to pick from after a log-in by an address.
    case pick
    /// The page whose module signs a flow's challenge with the key of this browser.
    case key
    /// The form for answers to questions.
    case answers
    /// The form for the passphrase.
    case passphrase
    /// The question which account a client gets.
    case accounts
    /// The end of a flow that went wrong, with a way to begin again.
    case ending
    /// The question whether to join a tenant or to found one.
    case registerChoice
    /// The form that begins a registration.
    case register
    /// The form for new questions, answers and a passphrase.
    case credentials
    /// The form that asks for a way back to an account.
    case wayBack
    /// What happens after a way back was asked for.
    case wayBackWait
    /// Part of the pages of an account: the links to the others, and what went wrong.
    case sections
    /// Part of a page: what is wrong with the input of its form.
    case problems
    /// Part of a form: its hidden fields.
    case hidden
    /// Part of a form: the button that is armed.
    case arm
    /// Part of a form: the rows of words to choose from.
    case wordRows
    /// Who is logged in.
    case account
    /// The devices of an account.
    case devices
    /// The sessions of an account.
    case sessions
    /// The consents of an account.
    case consents
    /// The device keys that wait for an admin.
    case approvals
    /// What somebody signs, in words.
    case sign
    /// Why there is nothing to sign.
    case refused
    /// Whom a browser waits for, with the form for the code of a mail.
    case waiting
    /// The page whose module opens the session that a browser waited for.
    case waitingEnd
    /// The device that a mail is about.
    case deviceMail
    /// What the button behind the link of a mail does.
    case mailLink
    /// The page that leads to a client.
    case answer
    /// Who can log in to a development service, and its mails.
    case development

    /// The Mustache text, as it was compiled in.
    var source: String {
        String(decoding: EmbeddedFiles.httpAPI["Templates/\(rawValue).mustache"], as: UTF8.self)
    }

    /// Renders the template.
    ///
    /// - Throws: An error if a template cannot be parsed, which a test excludes.
    func render(_ page: some MustacheParent) throws -> String {
        guard let html = try Self.library.get().render(page, withTemplate: rawValue) else {
            throw PageTemplateDefect(template: rawValue)
        }
        return html
    }

    /// All templates. They are parsed at the first use.
    private static let library = Result {
        MustacheLibrary(
            templates: Dictionary(
                uniqueKeysWithValues: try allCases.map { ($0.rawValue, try MustacheTemplate(string: $0.source)) }))
    }
}

/// A template that the library does not have.
struct PageTemplateDefect: Error, CustomStringConvertible {
    let template: String
    var description: String { "there is no template \(template)" }
}
