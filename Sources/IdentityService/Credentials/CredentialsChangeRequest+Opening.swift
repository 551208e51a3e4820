import Canonical
import Credentials
import ErrorCodes
import FoundationEssentials
import TenureAPI

extension CredentialsChangeRequest.Current {
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
    ///
    /// - Parameter pointers: Where the request has the secret.
    func opening(
        _ target: ChallengedCredential, in pointers: EntryPointers
    ) throws -> @Sendable () throws -> UserKey? {
        let sealed = target.sealed, seed = try target.seed
        switch self {
        case .answers(let answers):
            var pairs: [(questionId: UUID, answer: String)] = []
            for (index, answer) in answers.enumerated() {
                guard let bytes = Base64URL.decode(answer.questionId), let id = UUID(bytes: bytes) else {
                    throw ServiceError(CredentialsError(.questionUnknown, at: .question(index)), in: pointers)
                }
                pairs.append((id, answer.answer))
            }
            let supplied = try accepted(in: pointers) { () throws(CredentialsError) in
                try SuppliedAnswers(pairs, questionIds: sealed.context.questionIds)
            }
            return { try Self.opened { () throws(CredentialsError) in try sealed.open(answers: supplied, seed: seed) } }
        case .passphrase(let text):
            let passphrase = try accepted(in: pointers) { () throws(CredentialsError) in
                try Passphrase(supplied: text)
            }
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
