import Credentials
import ErrorCodes

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

extension ServiceError {
    /// The credential library's refusal of an input.
    ///
    /// - Parameter pointers: Where the request has the entries.
    init(_ error: CredentialsError, in pointers: EntryPointers) {
        switch error.code {
        case .tooWeak:
            self.init(
                .credentialsTooWeak,
                members: error.weaknesses.map { Member(pointer: pointers[$0.place], detail: $0.advice) })
        case .keyInvalid: self.init(.employeeKeyInvalid)
        case .signatureInvalid: self.init(.employeeKeyInvalid, detail: "the signature does not verify")
        default:
            let place = error.place.map { pointers[$0] } ?? ""
            self.init(
                Self.code(error.code), members: error.advice.map { [Member(pointer: place, detail: $0)] } ?? [])
        }
    }

    private static func code(_ code: CredentialsError.Code) -> ErrorCode {
        switch code {
        case .fiveQuestionsRequired, .questionsAlike: .credentialsFiveQuestionsRequired
        case .incomplete: .credentialsIncomplete
        case .atLeastThreeAnswersRequired: .answersAtLeastThreeRequired
        case .passphraseMissing: .passphraseMissing
        default: .requestInvalid
        }
    }
}

/// Calls the credential library and maps its refusal to the contract's code.
///
/// - Parameter pointers: Where the request has the entries.
func accepted<Value>(
    in pointers: EntryPointers = .setUp(), _ body: () throws(CredentialsError) -> Value
) throws(ServiceError) -> Value {
    do { return try body() } catch { throw ServiceError(error, in: pointers) }
}
