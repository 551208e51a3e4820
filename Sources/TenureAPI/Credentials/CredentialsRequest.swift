public import Canonical

/// The body of `POST /v1/registrations/{flow}/credentials`.
public struct CredentialsRequest: Sendable, Equatable, RequestObject, RedactedDescription {
    /// The questions with their answers, in the user's order.
    public var securityQuestions: [NewSecurityQuestion]
    /// The passphrase, or `nil` if the user chose none.
    public var passphrase: String?
    /// Whether a user with a passphrase may answer the questions instead; `false` if absent.
    public var questionsWithPassphrase: Bool

    /// Describes new credentials.
    public init(
        securityQuestions: [NewSecurityQuestion], passphrase: String? = nil, questionsWithPassphrase: Bool = false
    ) {
        self.securityQuestions = securityQuestions
        self.passphrase = passphrase
        self.questionsWithPassphrase = questionsWithPassphrase
    }

    /// The members on the wire.
    public static let members = WireMembers<CredentialsRequest>(
        "CredentialsRequest", CredentialsRequest.init, Member("securityQuestions", \.securityQuestions, .list()),
        Member(optional: "passphrase", \.passphrase),
        Member("questionsWithPassphrase", \.questionsWithPassphrase, .flag, absent: false))
}

/// A question with its answer.
public struct NewSecurityQuestion: Sendable, Equatable, RequestObject, RedactedDescription {
    /// The question that was chosen.
    public var choice: QuestionChoice
    /// The answer as entered.
    public var answer: String

    /// Pairs a question with its answer.
    public init(_ choice: QuestionChoice, answer: String) {
        self.choice = choice
        self.answer = answer
    }

    /// Pairs a question with its answer. The text may be that of a listed question.
    public init(question: String, answer: String) { self.init(.text(question), answer: answer) }

    /// The members on the wire.
    public static let members = WireMembers<NewSecurityQuestion>(
        "NewSecurityQuestion", NewSecurityQuestion.init(_:answer:), .choice(\.choice), Member("answer", \.answer))
}

/// The body of `POST /v1/credentials/changes/{flow}/credentials`.
public struct CredentialsChangeRequest: Sendable, Equatable, RequestObject, RedactedDescription {
    /// The current secret, which authorizes the change.
    public enum Current: Sendable, Equatable, RedactedDescription {
        /// At least three answers to the questions that were shown.
        case answers([AnswersRequest.Answer])
        case passphrase(String)
    }

    /// The current secret, which authorizes the change.
    public var current: Current
    /// The new credentials.
    public var credentials: CredentialsRequest

    /// Describes a change of credentials.
    public init(current: Current, credentials: CredentialsRequest) {
        self.current = current
        self.credentials = credentials
    }

    /// The members on the wire.
    public static let members = WireMembers<CredentialsChangeRequest>(
        "CredentialsChangeRequest", CredentialsChangeRequest.init, .current(\.current),
        Member("credentials", \.credentials))
}

extension Member<CredentialsChangeRequest, Void, CredentialsChangeRequest.Current> {
    /// Exactly one current secret.
    fileprivate static func current(_ get: @escaping @Sendable (Object) -> Value) -> Member {
        let answers = MemberDescription(
            optional: "currentAnswers", .array(.object(name: AnswersRequest.Answer.members.name), count: 0...Int.max))
        let passphrase = MemberDescription(optional: "currentPassphrase", .string(format: "text"))
        return Member(together: [answers, passphrase], get) { (reader) throws(JSONError) in
            let answers: [AnswersRequest.Answer]? = try reader.optionalWire("currentAnswers")
            switch (answers, try reader.optionalString("currentPassphrase")) {
            case (let answers?, nil): return .answers(answers)
            case (nil, let passphrase?): return .passphrase(passphrase)
            default:
                throw reader.invalid("currentAnswers", "either current answers or the current passphrase is expected")
            }
        } write: { current in
            switch current {
            case .answers(let answers): ["currentAnswers": answers.json]
            case .passphrase(let text): ["currentPassphrase": .string(text)]
            }
        }
    }
}
