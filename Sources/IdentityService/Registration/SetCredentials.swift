import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
package import TenureAPI

/// Sets a new user's credentials in direct mode and completes the registration, all or nothing.
package struct SetCredentials: AppUseCase {
    /// The new credentials.
    package let credentials: CredentialsRequest
    /// The name by which colleagues are to see the person, which only pages ask for; `nil` or empty for none.
    package let displayName: String?
    package let flow: String
    package let app: AppCaller

    package init(_ credentials: CredentialsRequest, displayName: String? = nil, flow: String, app: AppCaller) {
        self.credentials = credentials
        self.displayName = displayName
        self.flow = flow
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.registration) }

    /// Sets the credentials, and registers the employee.
    package func run(_ run: UseCaseRun<FlowOutcomeResponse>) async throws -> FlowOutcomeResponse {
        let context = run.context
        let row = try await FlowStore(context: context).load(
            handle: flow, purpose: .registration, app: app, at: run.call.time)
        guard row.state.step == .credentials, let bytes = row.state.setUp?.seed else {
            throw ServiceError(.flowWrongStep)
        }
        let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(row.state.tenantId))
        guard tenant.state.policy.permits(.direct) else { throw ServiceError(.policyBlindOnly) }
        try credentials.requirePermitted(by: tenant.state.policy)
        let name = displayName.flatMap { $0.allSatisfy(\.isWhitespace) ? nil : $0 }
        let displayName = try name.map { name throws(ServiceError) in
            try parsed { () throws(ValueError) in try DisplayName(name) }
        }
        let seed = try OPRFSeed(bytes: bytes)
        let questions = try credentials.chosenQuestions(app)
        let setUp = try accepted { () throws(CredentialsError) in
            try CredentialSetUp(
                plan: try SetUpPlan(
                    credentialId: row.state.credentialId, userId: row.state.userId, mode: .direct, seed: seed,
                    kdf: context.settings.scrypt),
                questions: questions, passphrase: credentials.passphrase,
                questionsWithPassphrase: credentials.questionsWithPassphrase)
        }
        return try await CompleteRegistration(context: context).run(
            row, setUp, displayName: displayName, app: app, run)
    }
}

extension CredentialRulesResponse {
    init(_ policy: TenantPolicy, _ app: AppCaller) {
        self.init(
            questions: 5, passphraseMinimumLength: 8, questionsWithPassphraseAllowed: policy.questionsWithPassphrase,
            blindOnly: policy.blindOnly, customQuestionsAllowed: app.customQuestions)
    }
}

extension SetUpPlanResponse {
    /// The public half of a new seed, with what else the record must repeat.
    init(
        credentialId: UUID, userId: UUID, keys: OPRFKeys, _ kdf: ScryptParameters, previous: PreviousCredentials? = nil,
        approvals: Approvals? = nil
    ) {
        self.init(
            credentialId: credentialId, userId: userId, oprfAnswers: keys.answers.publicKey.bytes,
            oprfPassphrase: keys.passphrase.publicKey.bytes,
            kdf: Scrypt(log2N: Int64(kdf.log2N), r: Int64(kdf.r), p: Int64(kdf.p)),
            previous: previous.map { Previous(recordHash: $0.hash, generation: Int64($0.generation)) },
            approvals: approvals)
    }
}

/// New credentials, before the append.
struct PreparedCredentials: Sendable {
    let record: CredentialsRecord
    let questions: [QuestionText]
    let seed: OPRFSeed
    let proved: FlowState.ProvedKey
    let userSignature: Signature
    /// The name by which colleagues are to see the person.
    var displayName: DisplayName?
    /// The passkey of a person without a secret.
    var passkey: PasskeyFacts?

    /// The event, with the question texts encrypted under the new user's key.
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
            userSignature: own, secretless: passkey == nil ? nil : true)
    }
}

extension CompleteRegistration {
    /// Computes the credentials in direct mode, and completes the registration with them.
    ///
    /// - Parameter passkey: The passkey that the flow's key is, for a person without a secret.
    func run(
        _ row: FlowStore.Row, _ setUp: CredentialSetUp, displayName: DisplayName? = nil, passkey: PasskeyFacts? = nil,
        app: AppCaller, _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        guard let proved = row.state.proved, let bytes = row.state.setUp?.seed else {
            throw ServiceError(.flowWrongStep)
        }
        let seed = try OPRFSeed(bytes: bytes)
        return try await context.compute.admitted(AdmissionLane(row.state)) { admission in
            let made = try await admission.run { try setUp.complete(seed: seed) }
            let userSignature = try made.userKey.sign(validationOf: try Challenge(kept: proved.challenge))
            let record = try made.record(
                deviceSignature: nil, employeeKey: try EmployeePublicKey(bytes: row.state.employeePublicKey))
            let new = PreparedCredentials(
                record: record, questions: made.questions, seed: seed, proved: proved, userSignature: userSignature,
                displayName: displayName, passkey: passkey)
            return try await self.run(row, .newUser(new), app: app, run)
        }
    }
}

extension SetBlindCredentials {
    /// Completes the registration with the record.
    func run(
        _ row: FlowStore.Row, _ input: ProofRequest, app: AppCaller, _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        guard let proved = row.state.proved, let bytes = row.state.setUp?.seed else {
            throw ServiceError(.flowWrongStep)
        }
        let made = try await made(
            input, proved, row.state, app: app,
            plan: try SetUpPlan(
                credentialId: row.state.credentialId, userId: row.state.userId, mode: .blind,
                seed: try OPRFSeed(bytes: bytes), kdf: context.settings.scrypt))
        let new = PreparedCredentials(
            record: made.record, questions: made.questions, seed: try OPRFSeed(bytes: bytes), proved: proved,
            userSignature: made.userSignature)
        return try await CompleteRegistration(context: context).run(row, .newUser(new), app: app, run)
    }
}
