import Canonical
import Credentials
import ErrorCodes
import EventCoding
import FoundationEssentials
import Identity
package import TenureAPI

/// Makes the challenge that a new passkey signs in a registration. It names the key, as every challenge of a flow does.
package struct ChallengeNewPasskey: UseCase {
    /// The public key of the passkey.
    package let key: [UInt8]
    package let flow: String
    package let app: AppCaller

    package init(key: [UInt8], flow: String, app: AppCaller) {
        (self.key, self.flow, self.app) = (key, flow, app)
    }

    package func authorize() throws(ServiceError) { try app.requirePages() }

    /// Returns the bytes. Of several challenges in one flow the last one counts.
    ///
    /// - Throws: `flow.wrong_step`, unless the flow waits for credentials or for a known person's secret;
    ///   `employee.key_invalid`.
    package func run(_ run: UseCaseRun<[UInt8]>) async throws -> [UInt8] {
        let context = run.context, time = run.call.time, store = FlowStore(context: context)
        var row = try await store.load(handle: flow, purpose: .registration, app: app, at: time)
        guard [.credentials, .answers, .passphrase].contains(row.state.step) else { throw ServiceError(.flowWrongStep) }
        guard let key = try? EmployeePublicKey(bytes: key) else { throw ServiceError(.employeeKeyInvalid) }
        var state = row.state
        state.employeePublicKey = key.bytes
        let challenge = try context.challenge(for: state, at: time)
        row.state.newKeyChallenge = challenge
        try await store.replace(row, waits: false)
        return challenge
    }
}

/// Completes a registration with a passkey in place of secrets and of the key of the browser, all or nothing.
///
/// A known person without a secret signs with a passkey of another account. Anybody else gets
/// credentials whose secrets nobody knows. So challenges, statements and decoys are those of anybody.
package struct RegisterByPasskey: AppUseCase {
    package let made: AddPasskey.Made
    /// The passkey's evidence over the challenge of ``ChallengeNewPasskey``.
    package let proof: [UInt8]
    /// What a passkey of another account signed; `nil` for a new person.
    package let signed: SignedJoining?
    package let flow: String
    package let app: AppCaller

    package init(
        _ made: AddPasskey.Made, proof: [UInt8], joining signed: SignedJoining? = nil, flow: String, app: AppCaller
    ) {
        (self.made, self.proof, self.signed, self.flow, self.app) = (made, proof, signed, flow, app)
    }

    package func authorize() throws(ServiceError) { try app.requirePages() }

    /// Registers the employee.
    ///
    /// - Throws: `employee.key_invalid` for a passkey that is not one of this site, proves nothing, or is somebody's;
    ///   `flow.expired`; `authorization.not_permitted` if the tenant asks for a secret, or if the person has one.
    package func run(_ run: UseCaseRun<FlowOutcomeResponse>) async throws -> FlowOutcomeResponse {
        let context = run.context
        var row = try await FlowStore(context: context).load(
            handle: flow, purpose: .registration, app: app, at: run.call.time)
        guard (signed == nil) == (row.state.step == .credentials), let bytes = row.state.newKeyChallenge else {
            throw ServiceError(.flowWrongStep)
        }
        guard let rules = try await context.passkeyRules() else { throw ServiceError(.employeeKeyInvalid) }
        let challenge = try Challenge(kept: bytes)
        do { try challenge.checkExpiry(at: run.call.time) } catch { throw ServiceError(.flowExpired) }
        let passkey = try made.proved(by: proof, over: bytes, rules)
        guard passkey.key.bytes == challenge.fields.employeeKey.bytes else { throw ServiceError(.employeeKeyInvalid) }
        row.state.employeePublicKey = passkey.key.bytes
        row.state.proved = FlowState.ProvedKey(challenge: bytes, signature: proof)
        let facts = passkey.facts(
            try context.passkeyHandle(ofNew: EmployeeID(row.state.employeeId), in: TenantID(row.state.tenantId)))
        if let signed {
            let joining = try await Joining(signed, of: row.state, passkey: facts, rules, run.call.time, context)
            return try await CompleteRegistration(context: context).run(row, .joining(joining), app: app, run)
        }
        guard let seed = row.state.setUp?.seed else { throw ServiceError(.flowWrongStep) }
        let plan = try SetUpPlan(
            credentialId: row.state.credentialId, userId: row.state.userId, mode: .direct,
            seed: try OPRFSeed(bytes: seed), kdf: context.settings.scrypt)
        return try await CompleteRegistration(context: context).run(
            row, try CredentialSetUp(secretless: plan), passkey: facts, app: app, run)
    }
}

extension AppCaller {
    /// Refuses every app but that of the pages.
    func requirePages() throws(ServiceError) {
        try require(.registration)
        guard isPagesApp else { throw ServiceError(.appRoleMissing) }
    }
}

extension CredentialSetUp {
    /// The set-up of a person without a secret: nobody knows the passphrase and the answers, which are drawn here and
    /// kept nowhere.
    init(secretless plan: SetUpPlan) throws(CredentialsError) {
        func drawn() -> String { Base64URL.encode(randomBytes(32)) }
        let questions = QuestionList.current.questions.prefix(5)
        try self.init(
            plan: plan, questions: questions.map { QuestionAndAnswer(question: .listed($0), answer: drawn()) },
            passphrase: drawn())
    }
}
