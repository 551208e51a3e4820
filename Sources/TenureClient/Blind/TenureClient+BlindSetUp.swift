import Credentials
public import TenureAPI

/// New credentials in blind mode: the record is made here, and the service sees questions and blinded elements only.
extension TenureClient {
    /// Sets a new user's credentials in blind mode and ends the registration.
    ///
    /// - Parameters:
    ///   - flow: The flow, whose key this device has proved.
    ///   - asked: The outcome `setCredentials` of ``proveKey(_:key:)``.
    ///   - questions: Exactly five, with their answers.
    ///   - passphrase: The passphrase, or `nil` for none.
    ///   - questionsWithPassphrase: Whether the questions may be answered in place of the passphrase.
    ///   - blindOnly: Whether direct mode shall be refused for this user everywhere and for ever.
    ///   - key: This device's key, which the flow began with.
    ///   - pins: Where it is remembered which credentials this device has met.
    /// - Throws: ``TenureClientError`` with a code of the library for what the person entered, and with
    ///   ``TenureClientError/Code/signingRefused`` for everything that the service did wrong; nothing was signed then.
    public func setBlindCredentials(
        _ flow: Flow, _ asked: FlowOutcomeResponse, questions: [NewSecurityQuestion], passphrase: String? = nil,
        questionsWithPassphrase: Bool = false, blindOnly: Bool = false, key: some DeviceKey, pins: some PinStore
    ) async throws -> FlowOutcomeResponse {
        let challenge = try flow.checkedChallenge(app: credentials.appId)
        let plan = try Self.plan(asked, blindOnly: blindOnly)
        // The credential must be the one that the challenge names, which the device signed.
        guard plan.credentialId == challenge.fields.credential else { throw TenureClientError(.signingRefused) }
        let new = CredentialsRequest(
            securityQuestions: questions, passphrase: passphrase, questionsWithPassphrase: questionsWithPassphrase)
        return try await handIn(new, flow, challenge, plan, authority: .initial, key: key, pins: pins)
    }

    /// Makes the record of new credentials, hands it in, and pins it.
    func handIn(
        _ entries: CredentialsRequest, _ flow: Flow, _ challenge: Challenge, _ plan: SetUpPlan,
        authority: SetUpAuthority, key: some DeviceKey, pins: some PinStore
    ) async throws -> FlowOutcomeResponse {
        let setUp = try entered { () throws(CredentialsError) in
            try CredentialSetUp(
                plan: plan,
                questions: entries.securityQuestions.map {
                    QuestionAndAnswer(question: $0.question, answer: $0.answer)
                },
                passphrase: entries.passphrase, questionsWithPassphrase: entries.questionsWithPassphrase)
        }
        let blinded = try await OwnThread.run { try setUp.blinded() }
        let evaluations = try await evaluate(
            flow, elements: blinded.elements.map { EvaluationsRequest.Element($0.slot, $0.element) })
        let new: NewCredentials
        do {
            new = try await OwnThread.run {
                try blinded.complete(evaluations: evaluations.map(\.evaluation), authority: authority)
            }
        } catch is CredentialsError { throw TenureClientError(.signingRefused) }
        let record = try new.record(
            deviceSignature: try await key.signature(over: new).bytes, employeeKey: key.publicKey)
        let proof = ProofRequest(
            userSignature: try new.userKey.sign(validationOf: challenge).bytes,
            credentials: .init(
                record: record.bytes, questions: new.questions.map { .init(question: $0.text, salt: $0.salt) }))
        let outcome = try await prove(flow, proof)
        try await pins.keep(
            CredentialPin(
                tenant: challenge.fields.tenant, credentialId: plan.credentialId, recordHash: record.hash,
                contextHash: record.sealed.context.hash),
            of: try PinnedAccount(baseURL: baseURL, company: flow.company, employee: flow.employee))
        return outcome
    }

    /// Reads what the flow fixes.
    ///
    /// - Parameter opened: The credential that a change replaces: the service must name its very record.
    static func plan(
        _ asked: FlowOutcomeResponse, replacing opened: Opened? = nil, blindOnly: Bool
    ) throws(TenureClientError) -> SetUpPlan {
        guard case .setCredentials(_, _, let told?) = asked,
            let answers = try? OPRFPublicKey(bytes: told.oprfAnswers),
            let passphrase = try? OPRFPublicKey(bytes: told.oprfPassphrase), answers != passphrase,
            let log2N = UInt8(exactly: told.log2N), let r = UInt8(exactly: told.r), let p = UInt8(exactly: told.p),
            let kdf = try? ScryptParameters(log2N: log2N, r: r, p: p)
        else { throw TenureClientError(.signingRefused) }
        var previous: PreviousCredentials?
        if let opened {
            guard let before = told.previous, before.recordHash == opened.recordHash,
                let generation = UInt32(exactly: before.generation)
            else { throw TenureClientError(.signingRefused) }
            previous = try? PreviousCredentials(
                hash: before.recordHash, generation: generation, userPublicKey: opened.userKey.publicKey)
            guard previous != nil else { throw TenureClientError(.signingRefused) }
        }
        if let approvals = told.approvals {
            // Nobody has the old key: two persons' decisions take the place of its signature.
            guard opened == nil, let before = told.previous, let generation = UInt32(exactly: before.generation),
                approvals.opened.count == 32, approvals.confirmed.count == 32
            else { throw TenureClientError(.signingRefused) }
            previous = try? PreviousCredentials(
                hash: before.recordHash, generation: generation, userPublicKey: nil)
            guard previous != nil else { throw TenureClientError(.signingRefused) }
        }
        return SetUpPlan(
            credentialId: told.credentialId, userId: told.userId, mode: .blind, blindOnly: blindOnly,
            oprfAnswers: answers, oprfPassphrase: passphrase, previous: previous, kdf: kdf)
    }
}
