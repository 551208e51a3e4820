import Canonical

/// A person's language is known: mails and notices speak it, whoever causes them.
package struct LanguageChosen: EventPayload {
    package var userID: UserID
    /// A ``MailLanguage``, encrypted under the user's key.
    package var language: Personal

    package static let members = EventMembers<LanguageChosen>(
        "LanguageChosen", LanguageChosen.init,
        Member("userId", \.userID), Member("language", \.language))
}

extension User {
    /// The most choices that the log keeps of a user. Later ones change no mail, so nobody fills a stream by them.
    static let mostLanguageChoices = 64

    /// Decides about a choice, which is recorded if it changes something.
    static func chooseLanguage(_ state: State, _ language: MailLanguage) throws(Rejection) -> [UserEvent] {
        guard let id = state.id, !state.isErased else { throw .unknownUser }
        guard state.language != language, state.languageChoices < mostLanguageChoices else { return [] }
        return [.languageChosen(LanguageChosen(userID: id, language: Personal(id, language.rawValue)))]
    }
}
