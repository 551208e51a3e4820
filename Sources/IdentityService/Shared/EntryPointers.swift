import Credentials

/// Where a request has the entries of a person, for refusals that name one of them.
struct EntryPointers: Sendable {
    /// The array of answers, or of questions with their answers.
    var list: String
    /// The member of an item that names the question.
    var question: String
    var passphrase: String

    /// The answers or the passphrase that prove who somebody is.
    static let proof = EntryPointers(list: "/answers", question: "questionId", passphrase: "/passphrase")
    /// The same for the credentials that a change replaces.
    static let current = EntryPointers(
        list: "/currentAnswers", question: "questionId", passphrase: "/currentPassphrase")
    /// The questions of a record that a client made.
    static let record = EntryPointers(list: "/questions", question: "question", passphrase: "/passphrase")

    /// New credentials in a member of the request, or in the request itself.
    static func setUp(under pointer: String = "") -> EntryPointers {
        EntryPointers(
            list: pointer + "/securityQuestions", question: "question", passphrase: pointer + "/passphrase")
    }

    /// The JSON pointer of an entry.
    subscript(place: EntryPlace) -> String {
        switch place {
        case .question(let index): "\(list)/\(index)/\(question)"
        case .answer(let index): "\(list)/\(index)/answer"
        case .passphrase: passphrase
        }
    }
}
