package import Canonical
import Credentials
import ErrorCodes
import EventCoding
package import FoundationEssentials
import Identity
package import TenureAPI

/// What a page shows of a flow in progress.
package struct FlowView: Sendable, Equatable {
    /// The input that the flow waits for.
    package enum Step: String, Sendable, Hashable, CaseIterable {
        /// The device's signature over ``FlowView/challenge``.
        case key
        /// New credentials, by ``FlowView/rules``.
        case credentials
        /// Answers to ``FlowView/questions``.
        case answers
        /// The passphrase, or answers if there are questions.
        case passphrase
        /// The device's signature over the challenge of one of ``FlowView/accounts``.
        case account
    }

    /// What the flow is for.
    package let purpose: FlowKind
    /// The input that the flow waits for.
    package let step: Step
    /// The exact bytes that the device signs. Only in the step ``Step/key`` a signature over them is accepted.
    package let challenge: [UInt8]
    /// The tenant's name, as somebody entered it.
    package let companyName: String
    /// The employee's id, as somebody entered it.
    package let companyEmployeeId: String
    /// The device's public key, 65-byte X9.63.
    package let employeePublicKey: [UInt8]
    /// The questions that may be answered now; empty if none may.
    package let questions: [QuestionResponse]
    /// The rules for new credentials, with ``Step/credentials`` and with a change's secret; `nil` in other steps.
    package let rules: CredentialRulesResponse?
    /// The address of a log-in by one, as somebody entered it; `nil` in other flows.
    package var address: String?
    /// The address of whoever registers, as somebody entered it; `nil` in other flows.
    package var email: String?
    /// The accounts to pick from; none in other steps.
    package var accounts: [Account] = []
    /// The claim that may be made on the address of a registration, or was made; `nil` in other flows and steps.
    package var claim: Claim?
    /// The account of a new passkey, in a registration that may be completed with one; `nil` in other flows and steps.
    package var passkey: NewPasskey?
    /// When the flow expires.
    package let expiresAt: Timestamp
    /// The passkey that the device key is; `nil` for a key of the browser.
    package var passkeyOfKey: DevicePasskey?
    /// Whether a change sets the first secret of a person without one, and asks for no other.
    package var setsFirstSecret = false

    /// A claim on the address of a registration that asks for somebody's secret.
    package struct Claim: Sendable, Equatable {
        /// The address, as the person entered it.
        package let address: String
        /// How many codes may be typed; `nil` before the claim is made.
        package let triesLeft: Int?
        /// Whether a mailed invitation proved the mailbox, so that no code is needed.
        package var isProved = false
    }

    /// An account that the person may pick.
    package struct Account: Sendable, Equatable {
        package let employeeId: UUID
        /// The tenant's name, as first entered.
        package let companyName: String
        /// The employee's id in it, as first entered.
        package let companyEmployeeId: String
        /// The exact bytes that the device signs.
        package let challenge: [UInt8]
        /// The passkey that signs, and its key; `nil` for the key of the browser.
        package var passkey: DevicePasskey?
        package var key: [UInt8] = []
    }

    /// What a browser is told of the account that a passkey is made for.
    package struct NewPasskey: Sendable, Equatable {
        /// The site that the passkey belongs to.
        package let rpID: String
        /// The `user.id` of the account.
        package let handle: [UInt8]
        /// The passkeys of which one signs, for a person without a secret who has another account.
        package var signers: [[UInt8]] = []
    }

    /// The view with its listed questions in the first of `languages` that the list has.
    package func preferring(_ languages: [String]) -> FlowView {
        FlowView(
            purpose: purpose, step: step, challenge: challenge, companyName: companyName,
            companyEmployeeId: companyEmployeeId, employeePublicKey: employeePublicKey,
            questions: questions.map { $0.preferring(languages) }, rules: rules, address: address, email: email,
            accounts: accounts, claim: claim, passkey: passkey, expiresAt: expiresAt, passkeyOfKey: passkeyOfKey,
            setsFirstSecret: setsFirstSecret)
    }
}

/// Reads the step that a flow waits for, so that a page can show it again. It changes nothing and charges nothing.
package struct ReadFlow: UseCase, Redacted {
    package let flow: String
    /// What the flow is for.
    package let purpose: FlowKind
    /// The calling app, which began the flow.
    package let app: AppCaller
    /// Who is logged in in the browser; `nil` for nobody.
    package let visitor: EmployeeCaller?

    package init(flow: String, purpose: FlowKind, app: AppCaller, visitor: EmployeeCaller? = nil) {
        self.flow = flow
        self.purpose = purpose
        self.app = app
        self.visitor = visitor
    }

    package func authorize() throws(ServiceError) { try app.require(purpose) }

    /// Returns the step. A decoy is read with the same work as an account.
    ///
    /// - Throws: `flow.expired`, `flow.wrong_step` or `flow.already_used`, as the flow's steps do.
    package func run(_ run: UseCaseRun<FlowView>) async throws -> FlowView {
        let context = run.context
        let state = try await FlowStore(context: context)
            .load(handle: flow, purpose: purpose, app: app, at: run.call.time).state
        var questions: [QuestionResponse] = [], rules: CredentialRulesResponse?
        var setsFirst = false
        var passkey: FlowView.NewPasskey?
        let step: FlowView.Step
        switch state.step {
        case .key: step = .key
        case .credentials:
            step = .credentials
            let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(state.tenantId))
            rules = CredentialRulesResponse(tenant.state.policy, app)
            passkey = try await newPasskey(of: state, in: tenant, context)
        case .answers, .passphrase:
            step = state.step == .answers ? .answers : .passphrase
            let target = try await ChallengedCredential.load(.keyStep(of: state), for: state, context)
            if state.questionsAllowed { questions = target.questions }
            if let visitor, state.registration?.userExists == true {
                let tenant = try await StateLoader(reader: context.reader).tenant(TenantID(state.tenantId))
                let signers = try await signers(visitor, state, context)
                passkey = signers.isEmpty ? nil : try await newPasskey(of: state, in: tenant, context)
                passkey?.signers = signers
            }
            setsFirst = state.setsFirstSecret(of: target)
            // A change takes the new credentials together with the secret.
            if purpose == .change { rules = CredentialRulesResponse(try target.policy(for: state), app) }
        case .account: step = .account
        case .done: throw ServiceError(.flowAlreadyUsed)
        }
        return FlowView(
            purpose: purpose, step: step, challenge: state.challenge, companyName: state.companyName,
            companyEmployeeId: state.companyEmployeeId, employeePublicKey: state.employeePublicKey,
            questions: questions, rules: rules, address: state.address?.address,
            email: state.registration?.email,
            accounts: state.address?.choices.map { choice in
                FlowView.Account(
                    employeeId: choice.employee, companyName: choice.company,
                    companyEmployeeId: choice.companyEmployeeId, challenge: choice.challenge,
                    passkey: DevicePasskey(choice.passkey),
                    key: (try? Challenge(kept: choice.challenge))?.fields.employeeKey.bytes ?? [])
            } ?? [], claim: state.claimView, passkey: passkey, expiresAt: state.expiresAt,
            passkeyOfKey: DevicePasskey(state.passkey), setsFirstSecret: setsFirst)
    }

    /// The passkeys of the visitor's account that may sign for the registration.
    private func signers(
        _ visitor: EmployeeCaller, _ state: FlowState, _ context: ServiceContext
    ) async throws -> [[UInt8]] {
        let own = try await OwnAccount(of: visitor, context).employee.state, user = UserID(state.userId)
        let known = try await StateLoader(reader: context.reader).user(user).state
        guard own.account?.user == user, visitor.tenantId != state.tenantId, known.credentials?.isSecretless == true
        else { return [] }
        return own.keys.values.filter { $0.status == .authorized }.compactMap { $0.passkey?.facts.credentialID }
    }

    private func newPasskey(
        of state: FlowState, in tenant: TenantSnapshot, _ context: ServiceContext
    ) async throws -> FlowView.NewPasskey? {
        guard purpose == .registration, app.isPagesApp, !tenant.exists || tenant.state.policy.logIn != .secret,
            let rules = try await context.passkeyRules()
        else { return nil }
        let handle = try context.passkeyHandle(ofNew: EmployeeID(state.employeeId), in: tenant.id)
        return FlowView.NewPasskey(rpID: rules.rpID, handle: handle.bytes)
    }
}

extension FlowState {
    fileprivate var claimView: FlowView.Claim? {
        guard let registration, registration.userExists, step == .answers || step == .passphrase else { return nil }
        let left = registration.claim.map { TypedCode.limit - $0.tries }
        return FlowView.Claim(
            address: registration.email, triesLeft: left, isProved: registration.confirmsAddress)
    }
}
