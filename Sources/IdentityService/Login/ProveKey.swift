import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys

/// Verifies that the device holds its key. Only then is the next step revealed.
public struct ProveKey: RepeatableUseCase {
    /// The signature of the device key over the flow's challenge, DER or 64 raw bytes.
    public let proof: [UInt8]
    /// The kind of flow.
    public let purpose: FlowKind
    /// The flow's handle.
    public let flow: String
    /// The calling app.
    public let app: AppCaller

    /// Each parameter sets the property of the same name.
    public init(_ proof: [UInt8], purpose: FlowKind, flow: String, app: AppCaller) {
        self.proof = proof
        self.purpose = purpose
        self.flow = flow
        self.app = app
    }

    /// Refuses an app without the role for the flow.
    public func authorize() throws(ServiceError) { try app.require(purpose) }

    /// The app.
    public func keyOwner(in context: ServiceContext) -> String? { app.keyOwner }

    /// The read of the flow.
    public func firstReads(in context: ServiceContext) -> PipelinedReads? { FlowStore.reading(flow) }

    /// Returns the next step.
    public func run(_ run: UseCaseRun<StepAnswer>) async throws -> StepAnswer {
        let context = run.context, time = run.call.time, store = FlowStore(context: context)
        var row = try await store.load(handle: flow, purpose: purpose, app: app, at: time, run.firstRows)
        guard row.state.step == .key else { throw ServiceError(.flowWrongStep) }
        let challenge = try Challenge(kept: row.state.challenge)
        do {
            try challenge.checkExpiry(at: time)
        } catch {
            throw ServiceError(.flowExpired)
        }
        let signature: Signature
        do {
            signature = try challenge.verifyKeyProof(proof)
        } catch {
            let key = try EmployeePublicKey(kept: row.state.employeePublicKey)
            let isOverText = KeyProof.isOverBase64(proof, of: row.state.challenge, by: key)
            let fault = isOverText ? KeyFault.signatureOverText : .signatureInvalid
            throw ServiceError(.employeeKeyInvalid, members: [fault.member], challenge: row.state.challenge)
        }
        row.state.proved = FlowState.ProvedKey(challenge: row.state.challenge, signature: signature.bytes)
        if purpose == .registration { try await refuseRegistered(row.state, at: time, context) }
        let outcome = try await next(&row.state, at: time, context)
        // A request for a recovery ends its flow here, and an outcome is on disk before it is revealed.
        try await store.replace(row, answering: run.ticket, .success(outcome), waits: row.state.step == .done)
        return outcome
    }

    /// Refuses a taken employee id early. The claim alone decides at the end.
    private func refuseRegistered(_ state: FlowState, at time: Timestamp, _ context: ServiceContext) async throws {
        let subject = try await context.subject(company: state.companyName, employee: state.companyEmployeeId)
        guard let employee = subject.employee else { return }
        // A provisional account gives way to an invitation, and to any registration once its time is over.
        let holder = try await StateLoader(reader: context.reader).employee(employee, in: subject.tenantId)
        let release: Employee.ReleaseID = state.registration?.invitation == nil ? .expired(at: time) : .invited
        guard let events = try? Employee.decide(holder.state, .releaseID(release)), !events.isEmpty else {
            throw ServiceError(.employeeAlreadyRegistered)
        }
    }

    private func next(
        _ state: inout FlowState, at time: Timestamp, _ context: ServiceContext
    ) async throws -> StepAnswer {
        state.challenge = try context.challenge(for: state, at: time)
        if case .recovery(let account, _) = state.purpose {
            return try await RequestRecovery(context: context).next(&state, account, app, at: time)
        }
        guard state.registration?.userExists != false else {
            let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(state.tenantId))
            state.step = .credentials
            return .setCredentials(
                challenge: state.challenge,
                rules: SetUpRules(
                    questionsWithPassphraseAllowed: tenant.state.policy.questionsWithPassphrase,
                    blindOnly: tenant.state.policy.blindOnly, customQuestionsAllowed: app.customQuestions),
                setUp: try plan(&state, context.settings.scrypt))
        }
        let target = try await ChallengedCredential.load(.keyStep, for: state, context)
        return try asking(&state, target)
    }

    /// The question for a user with credentials, or for a decoy.
    private func asking(_ state: inout FlowState, _ target: ChallengedCredential) throws -> StepAnswer {
        let policy = try target.policy(for: state)
        let opening = target.sealed.context
        let shown = target.questions
        let blind = BlindChallenge(context: opening.bytes, recordHash: target.recordHash)
        guard opening.acceptsPassphrase else {
            state.step = .answers
            state.questionsAllowed = true
            return .validateAnswers(challenge: state.challenge, questions: shown, opening: blind)
        }
        state.step = .passphrase
        state.questionsAllowed = opening.acceptsAnswers && policy.questionsWithPassphrase
        return .validatePassphrase(
            challenge: state.challenge, questions: state.questionsAllowed ? shown : nil, opening: blind)
    }

    /// Draws the seed of the new credentials, in either mode, and returns its public half.
    private func plan(_ state: inout FlowState, _ kdf: ScryptParameters) throws -> CredentialSetUpPlan {
        let seed = try OPRFSeed.generate()
        state.setUp = FlowState.SetUp(seed: seed.bytes)
        let keys = try seed.keys()
        return CredentialSetUpPlan(
            credentialId: state.credentialId, userId: state.userId, oprfAnswers: keys.answers.publicKey.bytes,
            oprfPassphrase: keys.passphrase.publicKey.bytes, log2N: Int(kdf.log2N), r: Int(kdf.r), p: Int(kdf.p))
    }
}

/// A valid proof: both signatures over the bytes that the device signed first.
struct FlowProof: Sendable {
    /// The kind of secret that was proved.
    enum Kind: Sendable {
        case answers
        case passphrase
    }
    let kind: Kind
    let mode: ValidationMode
    let userKey: PublicKeyBytes
    let challenge: [UInt8]
    let deviceSignature: SignatureBytes
    let userSignature: SignatureBytes

    /// Signs the challenge that the device signed, with the user key that was just unlocked in this process.
    ///
    /// - Throws: `flow.wrong_step` if the device has not signed.
    init(_ kind: Kind, opened key: UserKey, in state: FlowState) throws {
        guard let proved = state.proved else { throw ServiceError(.flowWrongStep) }
        let challenge = try Challenge(kept: proved.challenge)
        try self.init(kind, .direct, key.publicKey, try key.sign(validationOf: challenge), state)
    }

    /// Takes a signature that a client made with the user key and that was verified.
    init(_ kind: Kind, signedBy key: UserPublicKey, _ signature: Signature, in state: FlowState) throws {
        try self.init(kind, .blind, key, signature, state)
    }

    private init(
        _ kind: Kind, _ mode: ValidationMode, _ key: UserPublicKey, _ signature: Signature, _ state: FlowState
    ) throws {
        guard let proved = state.proved, let device = SignatureBytes(proved.signature),
            let userKey = PublicKeyBytes(key.bytes), let user = SignatureBytes(signature.bytes)
        else { throw ServiceError(.flowWrongStep) }
        self.kind = kind
        self.mode = mode
        self.userKey = userKey
        challenge = proved.challenge
        deviceSignature = device
        userSignature = user
    }

    /// The event that carries the proof.
    func event(of state: FlowState, employee: EmployeeID) throws -> any EventPayload {
        let validation = CredentialValidation(
            employeeID: employee, userID: UserID(state.userId), credentialID: CredentialID(state.credentialId),
            userKey: userKey, employeeKey: try state.deviceKey, purpose: try state.purpose.kind.event, mode: mode,
            challenge: challenge, deviceSignature: deviceSignature, userSignature: userSignature,
            subjectSalt: Personal(employee, Base64URL.encode(state.subjectSalt)))
        switch kind {
        case .answers: return AnswersValidated(validation: validation)
        case .passphrase: return PassphraseValidated(validation: validation)
        }
    }
}

extension FlowProof.Kind {
    /// The error code of a wrong secret of this kind.
    var refusal: ErrorCode {
        switch self {
        case .answers: .answersIncorrect
        case .passphrase: .passphraseIncorrect
        }
    }
}

extension FlowKind {
    /// The purpose as validation events name it. A recovery has none, because it proves no secret.
    ///
    /// - Throws: `flow.wrong_step` for a recovery.
    var event: FlowPurpose {
        get throws(ServiceError) {
            switch self {
            case .registration: return .registration
            case .login: return .login
            case .change: return .change
            case .returning: return .returning
            case .recovery: throw ServiceError(.flowWrongStep)
            }
        }
    }
}

extension FlowState {
    /// The device key as events carry it.
    ///
    /// - Throws: `employee.key_invalid`.
    var deviceKey: PublicKeyBytes {
        get throws {
            guard let key = PublicKeyBytes(employeePublicKey) else { throw ServiceError(.employeeKeyInvalid) }
            return key
        }
    }

    /// The device key's fingerprint.
    var fingerprint: KeyFingerprint {
        get throws {
            let key = try EmployeePublicKey(kept: employeePublicKey)
            guard let fingerprint = KeyFingerprint(hex: key.fingerprint) else {
                throw ServiceError(.employeeKeyInvalid)
            }
            return fingerprint
        }
    }
}
