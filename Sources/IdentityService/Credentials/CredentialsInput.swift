import Canonical
import Credentials
import ErrorCodes
import FoundationEssentials

/// New credentials in direct mode.
public struct CredentialsInput: Sendable, CustomStringConvertible {
    /// The questions with their answers, in the user's order.
    public var securityQuestions: [(question: QuestionInput, answer: String)]
    /// The passphrase, if the user chose one.
    public var passphrase: String?
    /// Whether the questions may be used instead of the passphrase.
    public var questionsWithPassphrase: Bool
    /// A placeholder that never contains the secrets.
    public var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    public init(
        securityQuestions: [(question: QuestionInput, answer: String)], passphrase: String?,
        questionsWithPassphrase: Bool
    ) {
        self.securityQuestions = securityQuestions
        self.passphrase = passphrase
        self.questionsWithPassphrase = questionsWithPassphrase
    }

    /// New credentials whose questions are texts, listed ones or the user's own.
    public init(
        texts: [(question: String, answer: String)], passphrase: String?, questionsWithPassphrase: Bool
    ) {
        self.init(
            securityQuestions: texts.map { (.text($0.question), $0.answer) }, passphrase: passphrase,
            questionsWithPassphrase: questionsWithPassphrase)
    }
}

/// One answer in direct mode.
public struct AnswerInput: Sendable, CustomStringConvertible {
    /// The question's id, unpadded base64url of 16 bytes.
    public var questionId: String
    /// The answer as typed.
    public var answer: String
    /// A placeholder that never contains the answer.
    public var description: String { "[redacted]" }

    /// Each parameter sets the property of the same name.
    public init(questionId: String, answer: String) {
        self.questionId = questionId
        self.answer = answer
    }
}

/// The secret that a client supplies in direct mode.
public enum SuppliedSecret: Sendable, CustomStringConvertible {
    /// At least three answers.
    case answers([AnswerInput])
    /// The passphrase.
    case passphrase(String)

    /// A placeholder that never contains the secret.
    public var description: String { "[redacted]" }
}

extension SuppliedSecret {
    var kind: FlowProof.Kind {
        switch self {
        case .answers: .answers
        case .passphrase: .passphrase
        }
    }

    /// Refuses a secret that the flow does not ask for.
    ///
    /// - Throws: `flow.wrong_step`.
    func requireExpected(in state: FlowState) throws(ServiceError) {
        switch (self, state.step) {
        case (.answers, .answers), (.passphrase, .passphrase): return
        case (.answers, .passphrase) where state.questionsAllowed: return
        default: throw ServiceError(.flowWrongStep)
        }
    }

    /// Parses the secret before anything is charged, and returns the work for the compute pool.
    func opening(_ target: ChallengedCredential) throws -> @Sendable () throws -> UserKey? {
        let sealed = target.sealed, seed = try target.seed
        switch self {
        case .answers(let answers):
            var pairs: [(questionId: UUID, answer: String)] = []
            for answer in answers {
                guard let bytes = Base64URL.decode(answer.questionId), let id = UUID(bytes: bytes) else {
                    throw ServiceError(.requestInvalid)
                }
                pairs.append((id, answer.answer))
            }
            let supplied = try accepted { () throws(CredentialsError) in
                try SuppliedAnswers(pairs, questionIds: sealed.context.questionIds)
            }
            return { try Self.opened { () throws(CredentialsError) in try sealed.open(answers: supplied, seed: seed) } }
        case .passphrase(let text):
            let passphrase = try accepted { () throws(CredentialsError) in try Passphrase(supplied: text) }
            return {
                try Self.opened { () throws(CredentialsError) in try sealed.open(passphrase: passphrase, seed: seed) }
            }
        }
    }

    /// Returns `nil` for a wrong secret. Any other error is a fault of the service and is thrown.
    private static func opened(_ open: () throws(CredentialsError) -> UserKey) throws -> UserKey? {
        do { return try open() } catch {
            guard error.code == .cannotOpen else { throw error }
            return nil
        }
    }
}
