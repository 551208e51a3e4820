import CIdentityService
import Canonical
import Embedding
import Identity

/// The words of a mail in one language, from the files of `Words`. The sentences hold no caller's text but the tenant's
/// confirmed domain.
struct MailTexts {
    /// The subject, in ASCII or not.
    let subject: String
    /// What happened, in sentences.
    let sentences: [String]
    /// The caption of the link; `nil` for a mail without one.
    let caption: String?
    /// The caption of the link that stops such mails; `nil` for a mail that cannot be stopped.
    let stop: String?
    /// The last sentence, for people who expected no such mail.
    let closing: String
    /// The line above the closing that names who sends the mail.
    let origin: String
    /// That nobody asks for answers by mail.
    let secret: String

    /// - Parameters:
    ///   - isFirst: Whether a mail about a device is about the first one of an account.
    ///   - values: What the sentences name besides the end.
    ///   - domain: The confirmed domain of the tenant, if the mail is about one that has one.
    ///   - operatorName: The name of the operator.
    ///   - end: When the link expires.
    ///   - waiting: Who waits, for the mail that says so.
    init(
        _ kind: MailKind, isFirst: Bool = false, values: [String] = [], domain: String?, by operatorName: String,
        until end: Timestamp, in language: MailLanguage, waiting: WaitSummary? = nil
    ) {
        let words = Self.words(of: language), until = Self.minute(end)
        func text(_ kind: MailKind, _ part: String) -> String? {
            let own = isFirst ? words["\(kind.rawValue).first.\(part)"] : nil
            return (own ?? words["\(kind.rawValue).\(part)"]).map { WordFile.filled($0, [until] + values) }
        }
        // A reminder says what the notice said.
        let said = kind == .returnReminder ? .returnOpened : kind
        subject = text(kind, "subject") ?? kind.rawValue
        sentences =
            (1...Self.mostSentences).compactMap { text(said, "text\($0)") } + (waiting?.sentences(words) ?? [])
        caption = text(said, "caption")
        closing = text(said, "closing") ?? ""
        stop = text(said, "stop")
        origin = WordFile.filled(
            words[domain == nil ? "origin.service" : "origin.domain"] ?? "", [domain ?? "", operatorName])
        secret = words["origin.secret"] ?? ""
    }

    static let mostSentences = 4

    private static let files = unsafe EmbeddedFiles(
        count: identityservice_count, names: identityservice_names, bytes: identityservice_bytes,
        sizes: identityservice_sizes)
    private static let english = WordFile.texts(files["Words/english.words"])
    private static let german = WordFile.texts(files["Words/german.words"])
    private static let french = WordFile.texts(files["Words/french.words"])

    /// The texts of a language by their names.
    static func words(of language: MailLanguage) -> [String: String] {
        switch language {
        case .english: english
        case .german: german
        case .french: french
        }
    }

    /// A time to the minute, such as `2026-11-23 17:28 UTC`.
    static func minute(_ time: Timestamp) -> String {
        let text = time.description.split(separator: "T", maxSplits: 1)
        guard text.count == 2 else { return time.description }
        return "\(text[0]) \(text[1].prefix(5)) UTC"
    }
}
