import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger

/// Sets a new user's credentials in direct mode and completes the registration: all or nothing.
struct SetCredentials: Sendable {
    let context: ServiceContext

    func run(
        flow: String, _ input: CredentialsInput, app: AppCaller, call: Call, ticket: IdempotencyTicket?
    ) async throws -> FlowOutcome {
        let store = FlowStore(context: context)
        let row = try await store.load(handle: flow, purpose: .registration, app: app, at: call.time)
        guard row.state.step == .credentials, let proved = row.state.proved, let bytes = row.state.seed else {
            throw ServiceError(.flowWrongStep)
        }
        let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(row.state.tenantId))
        guard tenant.state.policy.permits(.direct) else { throw ServiceError(.policyBlindOnly) }
        guard !input.questionsWithPassphrase || tenant.state.policy.questionsWithPassphrase else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/questionsWithPassphrase", detail: "the company's policy does not allow it")])
        }
        let seed = try OPRFSeed(bytes: bytes)
        let setUp = try accepted { () throws(CredentialsError) in
            try CredentialSetUp(
                plan: try SetUpPlan(
                    credentialId: row.state.credentialId, userId: row.state.userId, mode: .direct, seed: seed,
                    kdf: context.settings.scrypt),
                questions: input.securityQuestions.map { QuestionAndAnswer(question: $0.question, answer: $0.answer) },
                passphrase: input.passphrase, questionsWithPassphrase: input.questionsWithPassphrase)
        }
        return try await context.compute.admitted { admission in
            let credentials = try await admission.run { try setUp.complete(seed: seed) }
            let userSignature = try credentials.userKey.sign(
                validationOf: try Challenge(kept: proved.challenge))
            let record = try credentials.record(
                deviceSignature: nil, employeeKey: try EmployeePublicKey(bytes: row.state.employeePublicKey))
            let new = NewUserCredentials(
                record: record, questions: credentials.questions, seed: seed, proved: proved,
                userSignature: userSignature)
            return try await CompleteRegistration(context: context).run(
                row, .newUser(new), app: app, call: call, ticket: ticket)
        }
    }
}

/// Credentials that were just made, before the append.
struct NewUserCredentials: Sendable {
    let record: CredentialsRecord
    let questions: [QuestionText]
    let seed: OPRFSeed
    let proved: FlowState.ProvedKey
    let userSignature: Signature

    /// The event, with the question texts sealed under the new user's key.
    func event(_ state: FlowState, email: String, key: PersonKey) throws -> CredentialsSet {
        let texts = try zip(record.sealed.context.questionIds, questions).map { id, question in
            try key.seal(
                bytes: question.plaintext,
                authenticating: ChallengedCredential.questionPlace(state.credentialId, id))
        }
        let stored = try StoredCredentials(record: record, encryptedTexts: texts)
        guard let device = SignatureBytes(proved.signature), let own = SignatureBytes(userSignature.bytes) else {
            throw ServiceError(.flowWrongStep)
        }
        let user = UserID(state.userId)
        return CredentialsSet(
            userID: user, credentialID: CredentialID(state.credentialId), record: stored.bytes,
            email: Personal(user, email), challenge: proved.challenge, deviceSignature: device,
            userSignature: own)
    }
}
