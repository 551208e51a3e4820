import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
import TenureAPI

/// The credential that a flow challenges: a real one or a decoy, in one form.
struct ChallengedCredential: Sendable {
    /// The context and the sealed copies. A decoy has copies only if the seed was requested.
    var sealed: SealedCredentials
    /// The seed of its VOPRF keys, if requested.
    private var loadedSeed: OPRFSeed?
    /// The hash of the record. A decoy has one only if the questions were requested.
    var recordHash: [UInt8]
    /// The questions as they are shown, if requested.
    var questions: [QuestionResponse]
    /// Whether only the blind mode is accepted.
    var isBlindOnly: Bool { sealed.context.flags.contains(.blindOnly) }

    /// The state of user, tenant and device, as far as requested.
    let scene: FlowScene

    /// The seed of its VOPRF keys.
    var seed: OPRFSeed {
        get throws(ProgramDefect) {
            guard let loadedSeed else { throw ProgramDefect("the seed was not read") }
            return loadedSeed
        }
    }

    var tenant: TenantSnapshot {
        get throws(ProgramDefect) {
            guard let tenant = scene.tenant else { throw ProgramDefect("the tenant was not read") }
            return tenant
        }
    }

    /// The tenant's policy, as far as the app may know it.
    func policy(for state: FlowState) throws(ProgramDefect) -> TenantPolicy {
        // To an app that is not linked, the tenant looks like one that does not exist, with the initial policy.
        state.account?.isHidden == true ? TenantPolicy.initial : try tenant.state.policy
    }

    /// Loads the credential that the flow names.
    ///
    /// A log-in or a change always derives the decoy and reads a real credential, and uses the one that it needs.
    ///
    /// - Throws: `request.stale` if the credential was replaced since the flow began.
    static func load(
        _ parts: FlowScene.Parts, for state: FlowState, _ context: ServiceContext
    ) async throws -> ChallengedCredential {
        let scene = try await FlowScene.load(parts, for: state, context)
        guard let account = state.account else {
            return try await stored(parts, state.credentialId, scene, context)
        }
        let decoy = try ChallengedCredential(decoy(for: state, account, parts, context), parts, scene)
        guard account.isDecoy else { return try await stored(parts, state.credentialId, scene, context) }
        // A replacement of the colleague's credential does not concern this flow.
        if let standIn = account.standIn?.credentialId { _ = try? await stored(parts, standIn, scene, context) }
        return decoy
    }

    private static func stored(
        _ parts: FlowScene.Parts, _ credential: UUID, _ scene: FlowScene, _ context: ServiceContext
    ) async throws -> ChallengedCredential {
        let user = scene.user
        guard let credentials = user.state.credentials, credentials.id.uuid == credential else {
            throw ServiceError(.requestStale)
        }
        let stored = try StoredCredentials(kept: credentials.record)
        let ledger = LedgerID.directory(of: user.id).uuid
        var challenged = ChallengedCredential(
            sealed: stored.record.sealed, recordHash: stored.record.hash, questions: [], scene: scene)
        if parts.contains(.seed) {
            guard let seed = try await context.seeds.open(scene.wrapped, credentialId: credential, ledger: ledger)
            else {
                throw ServiceError(.requestStale)
            }
            challenged.loadedSeed = try OPRFSeed(bytes: seed.answers.bytes)
        }
        if parts.contains(.questions) {
            let keys = try await context.personKeys.open(scene.wrapped, ledger: ledger)
            challenged.questions = try texts(of: stored, key: keys[user.id.uuid], credential: credential)
        }
        return challenged
    }

    private static func decoy(
        for state: FlowState, _ account: FlowState.Account, _ wanted: FlowScene.Parts, _ context: ServiceContext
    ) throws -> Decoy {
        var parts: Decoy.Parts = []
        if wanted.contains(.seed) { parts.insert(.copies) }
        if wanted.contains(.questions) { parts.insert(.record) }
        let keys = try account.decoyKeys.map { try DecoyPublicKeys(bytes: $0) }
        if let login = state.address {
            return try context.decoy(for: try EmailAddress(recorded: login.address), keys: keys, parts: parts)
        }
        let subject = NamedAccount(
            tenantId: TenantID(state.tenantId), companyName: try CompanyName(state.companyName),
            companyEmployeeId: try CompanyEmployeeID(state.companyEmployeeId), employee: nil)
        return try context.decoy(
            for: subject, hiddenFrom: account.isHidden ? state.appId : nil, keys: keys, parts: parts)
    }

    private init(_ decoy: Decoy, _ wanted: FlowScene.Parts, _ scene: FlowScene) {
        let shown = wanted.contains(.questions) ? decoy.questions : []
        self.init(
            sealed: decoy.sealed, loadedSeed: decoy.seed, recordHash: decoy.recordHash,
            questions: shown.map {
                QuestionResponse(id: $0.id, .listed($0.question))
            }, scene: scene)
    }

    private init(
        sealed: SealedCredentials, loadedSeed: OPRFSeed? = nil, recordHash: [UInt8], questions: [QuestionResponse],
        scene: FlowScene
    ) {
        self.sealed = sealed
        self.loadedSeed = loadedSeed
        self.recordHash = recordHash
        self.questions = questions
        self.scene = scene
    }

    /// Decrypts the question texts under the user's key; an erased user has none.
    private static func texts(
        of stored: StoredCredentials, key: PersonKey?, credential: UUID
    ) throws -> [QuestionResponse] {
        guard let key else { return [] }
        return try zip(stored.record.sealed.context.questionIds, stored.encryptedTexts).map { id, sealed in
            let clear = try key.open(bytes: sealed, authenticating: questionPlace(credential, id))
            return QuestionResponse(id: id, try QuestionText(plaintext: clear).question)
        }
    }

    /// The associated data of an encrypted question text: credential id 16 ‖ question id 16.
    static func questionPlace(_ credential: UUID, _ question: UUID) -> [UInt8] { credential.bytes + question.bytes }
}

extension ServiceContext {
    /// The budget that the next attempt of a flow is charged to.
    ///
    /// A device is known if its key is authorized for the employee of this flow. A decoy's device is looked up in the
    /// same way, and is never known. A change of credentials is charged like a log-in from the same device.
    func budget(for state: FlowState, of target: ChallengedCredential) throws -> AttemptBudget {
        var isKnown = false
        if [.login, .change].contains(state.purpose.kind) {
            guard let isInForce = target.scene.isKeyInForce else { throw ProgramDefect("the device was not read") }
            isKnown = isInForce && !state.isDecoy
        }
        return AttemptBudget(state, isKnownDevice: isKnown, ring: ring)
    }
}
