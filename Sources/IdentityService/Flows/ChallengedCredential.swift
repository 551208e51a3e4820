import Canonical
import Credentials
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// The credential a flow is challenged for: a real one or a decoy, of one shape.
struct ChallengedCredential: Sendable {
    /// Context and copies; nobody's copies only where the seed was asked for.
    var sealed: SealedCredentials
    /// The seed of its VOPRF keys, where it was asked for.
    private var loadedSeed: OPRFSeed?
    /// The hash of the record; nobody's only where the questions were asked for.
    var recordHash: [UInt8]
    /// The questions as they are shown, where they were asked for.
    var questions: [ShownQuestion]
    /// Whether only the blind mode is accepted.
    var isBlindOnly: Bool { sealed.context.flags.contains(.blindOnly) }

    /// What was read of the flow's people and company, where it was asked for.
    private(set) var scene = FlowScene()

    /// What a step needs beside context and copies; all is read together. No step needs both seed and questions.
    struct Parts: OptionSet {
        let rawValue: Int
        static let seed = Parts(rawValue: 1)
        static let questions = Parts(rawValue: 2)
        /// Whether the flow's key is in force for the employee.
        static let device = Parts(rawValue: 4)
        static let tenant = Parts(rawValue: 8)
        /// Whether the budget's lifetime is over.
        static let lifetime = Parts(rawValue: 16)

        /// What the key step shows.
        static let keyStep: Parts = [.questions, .tenant]
        /// What an evaluation needs.
        static let evaluation: Parts = [.seed, .device]
        /// What a proof in blind mode needs to end a log-in.
        static let proof: Parts = [.tenant, .lifetime]
        /// What direct mode needs to open a copy and end a log-in.
        static let validation: Parts = [.seed, .device, .tenant, .lifetime]
    }

    /// The seed of its VOPRF keys.
    var seed: OPRFSeed {
        get throws(ServiceError) {
            guard let loadedSeed else { throw ServiceError(.serviceUnavailable) }
            return loadedSeed
        }
    }

    /// The company.
    var tenant: TenantSnapshot {
        get throws(ServiceError) {
            guard let tenant = scene.tenant else { throw ServiceError(.serviceUnavailable) }
            return tenant
        }
    }

    /// The company's policy as the app may know it.
    func policy(for state: FlowState) throws(ServiceError) -> TenantPolicy {
        // To an app that is not linked the company is one that does not exist, and that one insists on nothing.
        state.isHidden ? TenantPolicy.initial : try tenant.state.policy
    }

    /// Loads what the flow names.
    ///
    /// A login, or a change, makes the decoy and reads somebody's credential in any case, and takes the one that it needs.
    ///
    /// - Parameter known: What was read already, of the same parts.
    /// - Throws: `request.stale` when the credential was replaced since the flow began.
    static func load(
        _ parts: Parts, for state: FlowState, known: FlowStep.Known? = nil, _ context: ServiceContext
    ) async throws -> ChallengedCredential {
        let scene: FlowScene, wrapped: [PostgresRow]
        if let known {
            scene = known.scene
            wrapped = known.wrapped
        } else {
            let read = try await FlowScene.load(parts, for: state, context)
            scene = read.scene
            wrapped = read.wrapped
        }
        var target: ChallengedCredential
        if state.purpose == .registration {
            target = try await stored(parts, state.credentialId, scene, wrapped, context)
        } else {
            let decoy = try ChallengedCredential(scene.decoy ?? decoy(for: state, parts, context), parts)
            // What becomes of a colleague's credential meanwhile is not this flow's business.
            let standIn = state.standIn?.credentialId
            if state.isDecoy {
                if let standIn { _ = try? await stored(parts, standIn, scene, wrapped, context) }
                target = decoy
            } else {
                target = try await stored(parts, state.credentialId, scene, wrapped, context)
            }
        }
        target.scene = scene
        return target
    }

    private static func stored(
        _ parts: Parts, _ credential: UUID, _ scene: FlowScene, _ wrapped: [PostgresRow], _ context: ServiceContext
    ) async throws -> ChallengedCredential {
        guard let user = scene.user, let credentials = user.state.credentials, credentials.id.uuid == credential else {
            throw ServiceError(.requestStale)
        }
        let stored = try StoredCredentials(kept: credentials.record)
        let ledger = LedgerID.directory(of: user.id).uuid
        var challenged = ChallengedCredential(
            sealed: stored.record.sealed, recordHash: stored.record.hash, questions: [])
        if parts.contains(.seed) {
            guard let seed = try await context.seeds.open(wrapped, credentialId: credential, ledger: ledger) else {
                throw ServiceError(.requestStale)
            }
            challenged.loadedSeed = try OPRFSeed(bytes: seed.answers.bytes)
        }
        if parts.contains(.questions) {
            let keys = try await context.personKeys.open(wrapped, ledger: ledger)
            challenged.questions = try texts(of: stored, key: keys[user.id.uuid], credential: credential)
        }
        return challenged
    }

    private static func decoy(
        for state: FlowState, _ wanted: Parts, _ context: ServiceContext
    ) throws -> Decoy {
        let subject = FlowSubject(
            tenantId: TenantID(state.tenantId), companyName: try CompanyName(state.companyName),
            companyEmployeeId: try CompanyEmployeeID(state.companyEmployeeId), employee: nil)
        var parts: Decoy.Parts = []
        if wanted.contains(.seed) { parts.insert(.copies) }
        if wanted.contains(.questions) { parts.insert(.record) }
        return try context.decoy(
            for: subject, hiddenFrom: state.isHidden ? state.appId : nil,
            keys: state.decoyKeys.map { try DecoyPublicKeys(bytes: $0) }, parts: parts)
    }

    private init(_ decoy: Decoy, _ wanted: Parts) {
        let shown = wanted.contains(.questions) ? decoy.questions : []
        self.init(
            sealed: decoy.sealed, loadedSeed: decoy.seed, recordHash: decoy.recordHash,
            questions: shown.map { ShownQuestion(questionId: Base64URL.encode($0.id.bytes), question: $0.text) })
    }

    private init(
        sealed: SealedCredentials, loadedSeed: OPRFSeed? = nil, recordHash: [UInt8], questions: [ShownQuestion]
    ) {
        self.sealed = sealed
        self.loadedSeed = loadedSeed
        self.recordHash = recordHash
        self.questions = questions
    }

    /// Opens the question texts under the user's key; without the key (an erased person) there are none.
    private static func texts(
        of stored: StoredCredentials, key: PersonKey?, credential: UUID
    ) throws -> [ShownQuestion] {
        guard let key else { return [] }
        return try zip(stored.record.sealed.context.questionIds, stored.encryptedTexts).map { id, sealed in
            let clear = try key.open(bytes: sealed, authenticating: questionPlace(credential, id))
            return ShownQuestion(
                questionId: Base64URL.encode(id.bytes), question: try QuestionText(plaintext: clear).text)
        }
    }

    /// What a sealed question text is bound to: credential id 16 ‖ question id 16.
    static func questionPlace(_ credential: UUID, _ question: UUID) -> [UInt8] { credential.bytes + question.bytes }
}
