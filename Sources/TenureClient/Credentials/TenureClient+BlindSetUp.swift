import Canonical
import Credentials
public import TenureAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Sets credentials in blind mode. The client builds the record; the service sees only questions and blinded elements.
extension TenureClient {
    /// Sets a new user's credentials in blind mode, which completes the registration.
    ///
    /// - Parameters:
    ///   - flow: The flow, after ``proveKey(_:key:)``.
    ///   - asked: The outcome `setCredentials` of ``proveKey(_:key:)``.
    ///   - questions: Exactly five questions with answers.
    ///   - passphrase: The passphrase, or `nil` for none.
    ///   - questionsWithPassphrase: Whether the user may answer the questions instead of entering the passphrase.
    ///   - blindOnly: Whether the service must refuse direct mode for this user permanently, in every tenant.
    ///   - key: The device key with which the flow was started.
    ///   - pins: The store of this device's pins. The new credential is pinned.
    /// - Throws: ``TenureClientError`` with a code of this library if an entry is not acceptable.
    ///   ``TenureClientError/Code/signingRefused`` if a response of the service fails a check; nothing has been signed
    ///   then.
    public func setBlindCredentials(
        _ flow: Flow, _ asked: FlowOutcomeResponse, questions: [NewSecurityQuestion], passphrase: String? = nil,
        questionsWithPassphrase: Bool = false, blindOnly: Bool = false, key: some DeviceKey, pins: some PinStore
    ) async throws -> FlowOutcomeResponse {
        let challenge = try flow.checkedChallenge(app: credentials.appId)
        let plan = try Self.plan(asked, blindOnly: blindOnly)
        // The plan must be for the credential that the challenge names and the device has signed.
        guard plan.credentialId == challenge.fields.credential else { throw TenureClientError(.signingRefused) }
        let new = CredentialsRequest(
            securityQuestions: questions, passphrase: passphrase, questionsWithPassphrase: questionsWithPassphrase)
        return try await handIn(new, flow, challenge, plan, authority: .initial, key: key, pins: pins)
    }

    /// Builds the record of new credentials, sends it and pins it.
    func handIn(
        _ entries: CredentialsRequest, _ flow: Flow, _ challenge: Challenge, _ plan: SetUpPlan,
        authority: SetUpAuthority, key: some DeviceKey, pins: some PinStore
    ) async throws -> FlowOutcomeResponse {
        let setUp = try entered { () throws(CredentialsError) in
            try CredentialSetUp(
                plan: plan,
                questions: try entries.securityQuestions.map { item throws(CredentialsError) in
                    QuestionAndAnswer(question: try Question(item.choice), answer: item.answer)
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
                record: record.bytes, questions: new.questions.map { .init(QuestionChoice($0.question), salt: $0.salt) }
            ))
        let outcome = try await prove(flow, proof)
        try await pins.keep(
            CredentialPin(
                tenant: challenge.fields.tenant, credentialId: plan.credentialId, recordHash: record.hash,
                contextHash: record.sealed.context.hash),
            of: try PinnedAccount(baseURL: baseURL, company: flow.company, employee: flow.employee))
        return outcome
    }

    /// Reads the parameters that the flow fixes.
    ///
    /// - Parameter opened: The credential that a change replaces. The service must name exactly its record.
    static func plan(
        _ asked: FlowOutcomeResponse, replacing opened: Opened? = nil, blindOnly: Bool
    ) throws(TenureClientError) -> SetUpPlan {
        guard case .setCredentials(_, _, let told?) = asked,
            let answers = try? OPRFPublicKey(bytes: told.oprfAnswers),
            let passphrase = try? OPRFPublicKey(bytes: told.oprfPassphrase), answers != passphrase,
            let log2N = UInt8(exactly: told.kdf.log2N), let r = UInt8(exactly: told.kdf.r),
            let p = UInt8(exactly: told.kdf.p),
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
            // A recovery has no old user key. The two approvals replace its signature.
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

extension Question {
    /// Converts a choice to the chosen question.
    ///
    /// - Throws: ``CredentialsError`` if this library's list has no question of that number.
    init(_ choice: QuestionChoice) throws(CredentialsError) {
        switch choice {
        case .text(let text): self.init(text)
        case .listed(let number, let version):
            guard
                let listed = ListedQuestion(number: Int(clamping: number), version: version.map { Int(clamping: $0) })
            else { throw CredentialsError(.incomplete) }
            self = .listed(listed)
        }
    }
}

extension QuestionChoice {
    /// Converts a question to the form that a record of this library commits to.
    init(_ question: Question) {
        self =
            switch question {
            case .listed(let listed): .listed(number: Int64(listed.number), version: Int64(listed.version))
            case .own(let text): .text(text)
            }
    }
}

extension TenureClient {
    /// Returns the credential that the service shows in a flow, in the form in which this device would pin it. If
    /// another one is pinned, ask the person before accepting it.
    ///
    /// - Parameters:
    ///   - flow: The flow, after ``proveKey(_:key:)``.
    ///   - asked: The outcome of ``proveKey(_:key:)``.
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` if the service shows no
    ///   credential, or one that the challenge does not name.
    public func shownCredentials(_ flow: Flow, _ asked: FlowOutcomeResponse) throws(TenureClientError) -> CredentialPin
    {
        try checked(flow, Opening(asked)).shown
    }

    /// Checks the credential in a flow and returns it with the challenge that names it.
    func checked(
        _ flow: Flow, _ opening: Opening
    ) throws(TenureClientError) -> (challenge: Challenge, shown: CredentialPin) {
        let challenge = try flow.checkedChallenge(app: credentials.appId)
        let context = opening.context
        // The challenge of a log-in or a change names the credential. That of a registration names one that does not
        // exist yet.
        guard flow.purpose == .registration || challenge.fields.credential == context.credentialId else {
            throw TenureClientError(.signingRefused)
        }
        let shown = CredentialPin(
            tenant: challenge.fields.tenant, credentialId: context.credentialId, recordHash: opening.recordHash,
            contextHash: context.hash)
        return (challenge, shown)
    }

    /// The service's data about a credential, parsed strictly.
    struct Opening {
        let context: OpeningContext
        let recordHash: [UInt8]

        init(_ asked: FlowOutcomeResponse) throws(TenureClientError) {
            let opening: OpeningResponse?
            switch asked {
            case .validateAnswers(_, _, let told), .validatePassphrase(_, _, let told): opening = told
            default: opening = nil
            }
            guard let opening, opening.recordHash.count == 32,
                let context = try? OpeningContext(bytes: opening.context)
            else { throw TenureClientError(.signingRefused) }
            self.context = context
            recordHash = opening.recordHash
        }
    }
}
