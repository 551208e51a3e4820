import Credentials
import FoundationEssentials
import Identity
import Keys

/// Credentials that were just made to replace others, before the append.
struct ChangedCredentials: Sendable {
    let record: CredentialsRecord
    let questions: [QuestionText]
    let seed: OPRFSeed
    let proved: FlowState.ProvedKey
    let userSignature: Signature

    var credentialId: UUID { record.sealed.context.credentialId }

    /// The event, with the question texts sealed under the user's key.
    func event(_ state: FlowState, key: PersonKey) throws -> CredentialsChanged {
        let texts = try zip(record.sealed.context.questionIds, questions).map { id, question in
            try key.seal(
                bytes: question.plaintext, authenticating: ChallengedCredential.questionPlace(credentialId, id))
        }
        guard let device = SignatureBytes(proved.signature), let own = SignatureBytes(userSignature.bytes) else {
            throw ServiceError(.flowWrongStep)
        }
        return CredentialsChanged(
            userID: UserID(state.userId), credentialID: CredentialID(credentialId),
            previousCredentialID: CredentialID(state.credentialId),
            record: try StoredCredentials(record: record, encryptedTexts: texts).bytes, challenge: proved.challenge,
            deviceSignature: device, userSignature: own)
    }
}
