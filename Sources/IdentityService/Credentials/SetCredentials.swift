import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger

/// Sets a new user's credentials in direct mode and completes the registration, all or nothing.
public struct SetCredentials: RepeatableUseCase {
    /// The new credentials.
    public let credentials: CredentialsInput
    /// The flow's handle.
    public let flow: String
    /// The calling app.
    public let app: AppCaller

    /// Each parameter sets the property of the same name.
    public init(_ credentials: CredentialsInput, flow: String, app: AppCaller) {
        self.credentials = credentials
        self.flow = flow
        self.app = app
    }

    /// Refuses an app without the role for the flow.
    public func authorize() throws(ServiceError) { try app.require(.registration) }

    /// The app.
    public func keyOwner(in context: ServiceContext) -> String? { app.keyOwner }

    /// Sets the credentials, and registers the employee.
    public func run(_ run: UseCaseRun<StepAnswer>) async throws -> StepAnswer {
        let context = run.context
        let row = try await FlowStore(context: context).load(
            handle: flow, purpose: .registration, app: app, at: run.call.time)
        guard row.state.step == .credentials, let proved = row.state.proved, let bytes = row.state.setUp?.seed else {
            throw ServiceError(.flowWrongStep)
        }
        let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(row.state.tenantId))
        guard tenant.state.policy.permits(.direct) else { throw ServiceError(.policyBlindOnly) }
        guard !credentials.questionsWithPassphrase || tenant.state.policy.questionsWithPassphrase else {
            throw ServiceError(
                .requestInvalid,
                members: [
                    .init(
                        pointer: "/questionsWithPassphrase",
                        detail: "the company's policy does not allow questions beside a passphrase")
                ])
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
        return try await context.compute.admitted(AdmissionLane(row.state)) { admission in
            let made = try await admission.run { try setUp.complete(seed: seed) }
            let userSignature = try made.userKey.sign(
                validationOf: try Challenge(kept: proved.challenge))
            let record = try made.record(
                deviceSignature: nil, employeeKey: try EmployeePublicKey(bytes: row.state.employeePublicKey))
            let new = PreparedCredentials(
                record: record, questions: made.questions, seed: seed, proved: proved,
                userSignature: userSignature)
            return try await CompleteRegistration(context: context).run(row, .newUser(new), app: app, run)
        }
    }
}

/// New credentials, before the append.
struct PreparedCredentials: Sendable {
    let record: CredentialsRecord
    let questions: [QuestionText]
    let seed: OPRFSeed
    let proved: FlowState.ProvedKey
    let userSignature: Signature

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
            userSignature: own)
    }
}

/// Accepts a record that a client made and completes the registration, all or nothing.
///
/// The record must repeat what the flow fixed: ids, VOPRF keys, cost, mode. Its quality cannot be checked, because the
/// service sees neither answers nor passphrase.
struct SetBlindCredentials: Sendable {
    let context: ServiceContext

    func run(
        _ row: FlowStore.Row, _ input: ProofInput, app: AppCaller, _ run: UseCaseRun<StepAnswer>
    ) async throws -> StepAnswer {
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

    /// A checked record that a client made.
    struct Made: Sendable {
        let record: CredentialsRecord
        let questions: [QuestionText]
        let userSignature: Signature
    }

    /// Parses the client's record and checks it against the flow's plan, the device and the tenant's policy.
    func made(
        _ input: ProofInput, _ proved: FlowState.ProvedKey, _ state: FlowState, app: AppCaller, plan: SetUpPlan
    ) async throws -> Made {
        guard let entered = input.credentials else { throw Self.refused("/record", "a record is needed") }
        let chosen = try ChosenQuestions(app, at: "/questions").resolve(entered.questions.map(\.question))
        let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(state.tenantId))
        var questions: [QuestionText] = []
        for (index, (item, question)) in zip(entered.questions, chosen).enumerated() {
            let text = try accepted(in: .record) { () throws(CredentialsError) in
                do throws(CredentialsError) {
                    // A client that sent a text has committed to that text, even if it is that of a listed question.
                    guard case .text(let text) = item.question else {
                        return try QuestionText(question, salt: item.salt)
                    }
                    return try QuestionText(text, salt: item.salt)
                } catch {
                    throw error.placed(at: .question(index))
                }
            }
            questions.append(text)
        }
        try accepted(in: .record) { () throws(CredentialsError) in try QuestionText.requireFive(questions) }
        let record = try checked(entered.record, questions, state, plan)
        let flags = record.sealed.context.flags
        guard !flags.contains(.questionsWithPassphrase) || tenant.state.policy.questionsWithPassphrase else {
            throw Self.refused("/record", "the company's policy does not allow questions beside a passphrase")
        }
        let userSignature: Signature
        do {
            userSignature = try Challenge(kept: proved.challenge).verifyValidation(
                proof: input.userSignature, by: record.sealed.context.userPublicKey)
        } catch {
            throw Self.refused("/userSignature", "the signature does not verify")
        }
        return Made(record: record, questions: questions, userSignature: userSignature)
    }

    /// Parses the record and checks it against the flow. Every failure is the same refusal.
    private func checked(
        _ bytes: [UInt8], _ questions: [QuestionText], _ state: FlowState, _ plan: SetUpPlan
    ) throws(ServiceError) -> CredentialsRecord {
        do {
            let record = try CredentialsRecord(bytes: bytes)
            // The user chooses whether the credential requires the blind mode.
            var plan = plan
            plan.blindOnly = record.sealed.context.flags.contains(.blindOnly)
            try record.require(plan)
            try record.verify(
                employeeKey: try EmployeePublicKey(bytes: state.employeePublicKey), previous: plan.previous)
            try record.require(questions: questions)
            return record
        } catch {
            throw Self.refused("/record", "the record does not belong to this flow")
        }
    }

    private static func refused(_ pointer: String, _ detail: String) -> ServiceError {
        ServiceError(.requestInvalid, members: [.init(pointer: pointer, detail: detail)])
    }
}
