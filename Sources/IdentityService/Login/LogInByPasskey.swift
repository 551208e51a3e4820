import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres
package import TenureAPI

/// Logs somebody in by a passkey alone: the authenticator has verified the person, and named the account.
///
/// Whatever is wrong with the proof has one answer, which takes the same time for a credential that nobody has. What
/// keeps its owner from logging in is told only after a right proof.
package struct LogInByPasskey: AppUseCase {
    /// What the authenticator says.
    package struct Proof: Sendable, RedactedDescription {
        /// The id of the credential.
        package let credential: [UInt8]
        /// The handle of the account.
        package let user: [UInt8]
        /// The challenge that was signed.
        package let challenge: [UInt8]
        /// The evidence of kind 2.
        package let evidence: [UInt8]

        package init(credential: [UInt8], user: [UInt8], challenge: [UInt8], evidence: [UInt8]) {
            self.credential = credential
            self.user = user
            self.challenge = challenge
            self.evidence = evidence
        }
    }

    package let proof: Proof
    /// The secret of the browser.
    package let visitor: String
    package let app: AppCaller

    package init(_ proof: Proof, visitor: String, app: AppCaller) {
        self.proof = proof
        self.visitor = visitor
        self.app = app
    }

    package func authorize() throws(ServiceError) { try app.require(.login) }

    /// Opens a session, or answers that the passkey waits. A right proof by a passkey that is bound to one device cancels
    /// what others began with somebody's name, as a log-in with the secret does.
    ///
    /// - Throws: `employee.key_invalid` for a wrong proof; `flow.expired`; `flow.already_used` for a challenge that was
    ///   answered; `employee.inactive` and `employee.not_approved`; `authorization.not_permitted` if the key ended or the
    ///   tenant asks for a secret too; `passkey.stopped`.
    package func run(_ run: UseCaseRun<FlowOutcomeResponse>) async throws -> FlowOutcomeResponse {
        let context = run.context, time = run.call.time
        guard let rules = try await context.passkeyRules(everywhere: !app.isPagesApp) else {
            throw ServiceError(.employeeKeyInvalid)
        }
        let challenge = try context.passkeyChallenge(
            proof.challenge, of: rules.rpID, visitor: visitor, app: app.appId, at: time)
        var isSpent = false
        return try await optimistic {
            let scene = try await PasskeyScene(proof, context), signed = try scene.verified(proof, rules)
            if !isSpent {
                guard try await context.takePasskeyChallenge(challenge, at: time) else {
                    throw ServiceError(.flowAlreadyUsed)
                }
                isSpent = true
            }
            let state = scene.employee.state, key = try scene.key
            guard scene.tenant.state.links(AppID(app.appId), as: .access) else { throw ServiceError(.employeeInactive) }
            let flow = FlowID(challenge.fields.flow), refusal: ServiceError
            switch Employee.login(state, key: key.key, flow: flow, time: time, passkey: key.passkey?.facts) {
            case .success where scene.tenant.state.policy.logIn != .secret:
                return try await open(scene, challenge, signed, run)
            case .success: refusal = ServiceError(.authorizationNotPermitted)
            case .authorizationPending where state.standing(of: key.key, at: time) == .pending:
                return .authorizationPending(
                    employeePublicKey: key.key.bytes, fingerprint: key.fingerprint.description, position: nil)
            case .notApproved: refusal = ServiceError(.employeeNotApproved)
            case .keyRevoked, .tooManyWaitingKeys, .authorizationPending, .passkeyRequired:
                // A page tells the browser's picker of a key that ended, and of no other one.
                refusal = ServiceError(key.hasEnded ? Denial.keyEnded : Denial.keyPending)
            case .inactive, nil: refusal = ServiceError(.employeeInactive)
            }
            throw try await scene.refused(refusal, app, run)
        }
    }

    private func open(
        _ scene: PasskeyScene, _ challenge: PasskeyChallenge, _ signed: AuthenticatorData,
        _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> FlowOutcomeResponse {
        let context = run.context, call = run.call, employee = scene.employee, tenant = scene.tenant
        let keys = try await context.personKeys.load([employee.id.uuid], ledger: tenant.id.uuid)
        // Without the employee's encryption key the account is erased.
        guard keys[employee.id.uuid] != nil else { throw ServiceError(.employeeInactive) }
        // A key that is stopped already is refused here.
        let session = try await NewSession(
            of: employee, in: tenant, fingerprint: try scene.key.fingerprint,
            by: .passkey(isSynced: signed.flags.contains(.backupEligible)), app: app, call, context)
        let summary = try await context.summary(of: employee, in: tenant)
        let metadata = EventMetadata(actor: employee.id.uuid, app: app.appId, requestId: call.requestId)
        var sourced = metadata
        sourced.source = call.sourceAddress.map { Personal(owner: employee.id.uuid, text: $0) }
        var recorder = EventRecorder(context, at: call.time, metadata: metadata)
        recorder.expectations[.tenant(tenant.id)] = tenant.version
        // Verification compares the recorded times.
        recorder.notAfter = challenge.fields.expires
        guard let evidence = SignatureBytes(proof.evidence) else { throw ServiceError(.employeeKeyInvalid) }
        let fingerprint = try scene.key.fingerprint, stream = StreamID.employee(employee.id, in: tenant.id)
        let validated = PasskeyValidated(
            employeeID: employee.id, fingerprint: fingerprint, flow: FlowID(challenge.fields.flow),
            challenge: challenge.bytes, evidence: evidence)
        // The stream of a flow has one answer.
        let place = StreamID.passkey(validated, in: tenant.id), key = try scene.key.key
        func note(_ recorder: inout EventRecorder) async throws -> Bool {
            try await recorder.notePasskey(
                key, evidence, of: employee, in: tenant, from: call.sourceAddress, counts: false)
        }
        var refused = recorder
        guard try await !note(&refused) else {
            // Nobody logged in: the log has the counter alone.
            try await refused.append()
            throw ServiceError(.passkeyStopped)
        }
        recorder.expectations[stream] = employee.version
        try recorder.recorder.add(
            validated, to: place, version: place == stream ? employee.version : 0, keys: keys, metadata: sourced)
        _ = try await note(&recorder)
        try await recorder.tellOfSynced(key, of: employee, in: tenant.id, call)
        try await recorder.open(session)
        var tokens = session.tokens
        tokens.notices = try await scene.endOthers(&recorder)
        let ledger = LedgerID(tenant.id.uuid)
        if let ticket = run.ticket { recorder.ledgers.insert(ticket.ledger) }
        let appended = try await recorder.append { [ticket = run.ticket, tokens] appended in
            guard let ticket else { return [] }
            return [ticket.completion(.success(.success(tokens, summary, position: appended.last[ledger])))]
        }
        run.ticket?.markStored()
        return .success(tokens, summary, position: appended.last[ledger])
    }
}

/// The account and the key that a credential stands for. For a credential that nobody has they are somebody's, and a key
/// that nobody holds: what is read and verified takes the same time, and counts for nothing.
struct PasskeyScene {
    let tenant: TenantSnapshot
    let employee: EmployeeSnapshot
    private let found: Employee.Key?

    /// The base point of P-256, as a key.
    private static let nobody: [UInt8] = [
        0x04, 0x6B, 0x17, 0xD1, 0xF2, 0xE1, 0x2C, 0x42, 0x47, 0xF8, 0xBC, 0xE6, 0xE5, 0x63, 0xA4, 0x40, 0xF2, 0x77,
        0x03, 0x7D, 0x81, 0x2D, 0xEB, 0x33, 0xA0, 0xF4, 0xA1, 0x39, 0x45, 0xD8, 0x98, 0xC2, 0x96, 0x4F, 0xE3, 0x42,
        0xE2, 0xFE, 0x1A, 0x7F, 0x9B, 0x8E, 0xE7, 0xEB, 0x4A, 0x7C, 0x0F, 0x9E, 0x16, 0x2B, 0xCE, 0x33, 0x57, 0x6B,
        0x31, 0x5E, 0xCE, 0xCB, 0xB6, 0x40, 0x68, 0x37, 0xBF, 0x51, 0xF5,
    ]

    init(_ proof: LogInByPasskey.Proof, _ context: ServiceContext) async throws {
        let claim = try await context.reader.claim(context.ring.passkeyClaim(proof.credential))
        let named = claim?.value.flatMap { value -> (TenantID, EmployeeID)? in
            guard let tenant = UUID(bytes: value.prefix(16)), let employee = UUID(bytes: value.dropFirst(16)) else {
                return nil
            }
            return (TenantID(tenant), EmployeeID(employee))
        }
        // Somebody's account is read for a credential that nobody has, so that it takes the same time.
        guard let (tenant, employee) = try await context.account(named) else { throw ServiceError(.employeeKeyInvalid) }
        let loader = StateLoader(reader: context.reader)
        self.tenant = try await loader.tenant(tenant)
        self.employee = try await loader.employee(employee, in: tenant)
        let key = self.employee.state.keys.values.first { $0.passkey?.facts.credentialID == proof.credential }
        found = named != nil && self.employee.state.userHandle?.bytes == proof.user ? key : nil
    }

    /// The key of a proof that ``verified(_:_:)`` has found right.
    var key: Employee.Key { get throws { if let found { found } else { throw ServiceError(.employeeKeyInvalid) } } }

    /// Cancels what others began, if the passkey is bound to one device: a sync provider may log in too.
    ///
    /// - Returns: The notices for the owner.
    func endOthers(_ recorder: inout EventRecorder) async throws -> [NoticeResponse] {
        guard let account = employee.state.account else { return [] }
        let context = recorder.context, user = try await StateLoader(reader: context.reader).user(account.user)
        guard try key.holding == .bound else {
            return try await context.notices(of: user, in: tenant.id, at: recorder.time)
                + context.returnNotices(of: employee, in: tenant.state, at: recorder.time)
        }
        return try await recorder.endOthers(of: user, by: employee, on: key.key, in: tenant)
    }

    /// The refusal of a right proof, which cancels what others began after they ended the passkey.
    func refused(
        _ error: ServiceError, _ app: AppCaller, _ run: UseCaseRun<FlowOutcomeResponse>
    ) async throws -> ServiceError {
        var recorder = EventRecorder(
            run.context, at: run.call.time, metadata: EventMetadata(app: app.appId, requestId: run.call.requestId))
        var error = error
        error.notices = try await endOthers(&recorder).filter(\.isCancellation)
        if !error.notices.isEmpty { try await recorder.append() }
        return error
    }

    /// The key that verifies a signature: that of the account if it is of the algorithm, or else one that nobody holds.
    /// So each proof is verified by one key of its algorithm, whosever the credential is.
    static func verifier(_ algorithm: KeyAlgorithm, _ found: PublicKeyBytes?) throws -> EmployeePublicKey {
        let key = try found.map { try EmployeePublicKey(bytes: $0.bytes) }
        if let key, key.algorithm == algorithm { return key }
        return try EmployeePublicKey(bytes: algorithm == .es256 ? nobody : [UInt8](repeating: 0xFF, count: 256))
    }

    /// What the authenticator signed.
    ///
    /// - Throws: `employee.key_invalid` for whatever is wrong.
    func verified(_ proof: LogInByPasskey.Proof, _ rules: PasskeyRules) throws -> AuthenticatorData {
        do {
            let evidence = try DeviceEvidence(bytes: proof.evidence)
            guard let signed = evidence.assertion?.authenticatorData, let algorithm = evidence.assertion?.algorithm
            else { throw CredentialsError(.evidenceKind) }
            let key = try Self.verifier(algorithm, found?.key)
            try evidence.verify(over: proof.challenge, by: key)
            try evidence.check(found?.passkey?.facts.identity, origins: rules.origins.map(\.text))
            guard key.bytes == found?.key.bytes else { throw ServiceError(.employeeKeyInvalid) }
            return signed
        } catch { throw ServiceError(.employeeKeyInvalid) }
    }
}

extension ServiceContext {
    /// The named account, or for none the one that was named last, or any; `nil` if there is none.
    fileprivate func account(_ named: (TenantID, EmployeeID)?) async throws -> (TenantID, EmployeeID)? {
        if let named {
            login.someAccount.withLock { $0 = named }
            return named
        }
        if let last = login.someAccount.withLock(\.self) { return last }
        guard let user = try await anyUser() else { return nil }
        return try await accounts(of: user).first.map { ($0.tenant, $0.employee) }
    }
}
