import Canonical
import Credentials
import Foundation
import TenureAPI

@testable import TenureClient

/// The service's half of blind mode, honest unless it is told how to cheat.
///
/// It works as the real one does, with the library of the service, and keeps what it was sent.
actor BlindService: Transport {
    /// How a hostile service cheats.
    enum Cheat: Sendable, CaseIterable {
        /// Proofs under another VOPRF key than it told.
        case otherEvaluationKey
        /// The context with a VOPRF key of its own, whose proofs verify.
        case substitutedKey
        /// The context of another user, whole.
        case otherUser
        /// Another cost of guessing, or one outside the range.
        case otherCost
        /// Copies of its own making, sealed under another key with the client's own output.
        case craftedCopies
        /// Copies of other slots.
        case swappedCopies
        /// No copies.
        case noCopies
        /// A proof of zeros, on which the library would stop the program.
        case zeroProof
        /// A proof made so that the verifier meets the point at infinity.
        case shortEvaluation
        /// Fewer evaluations than elements.
        case fewerEvaluations
        /// Evaluations for other slots.
        case otherSlots
        /// Bytes that are no evaluations.
        case nonsense
        /// A key authorization to sign instead of a challenge.
        case statement
        /// A challenge that another tenant's login got.
        case otherTenant
        /// A challenge about another employee of the company.
        case otherEmployee
        /// A challenge that names another credential.
        case otherCredential
        /// Another record than the one that was pinned.
        case otherRecord
        /// Another credential as a whole, as after a change: record, keys, copies and challenge fit each other.
        case replacedCredential
        /// At a change, another record to follow than the one that was opened.
        case otherPrevious
        /// At a change, the credential that is replaced as the new one.
        case sameCredential
    }

    /// What a service knows of one person.
    struct Account: Sendable {
        var seed: OPRFSeed
        var record: CredentialsRecord
        var questions: [(question: String, answer: String)]
        var tenant: UUID
    }

    let purpose: Challenge.Purpose
    let flow = UUID()
    let account: Account
    let other: Account
    let cheat: Cheat?
    private(set) var sent: [WireRequest] = []
    private(set) var proofs: [ProofRequest] = []
    private(set) var keyProofs = 0
    private var key: EmployeePublicKey?
    let plan: SetUpPlan?
    /// Whether a change is past the proof of the old secret.
    private var isChanging = false

    init(
        _ purpose: Challenge.Purpose, _ account: Account, _ other: Account, cheat: Cheat? = nil, plan: SetUpPlan? = nil
    ) {
        self.purpose = purpose
        self.account = account
        self.other = other
        self.cheat = cheat
        self.plan = plan
    }

    func send(_ request: WireRequest) async throws -> WireResponse {
        sent.append(request)
        let body = request.body ?? []
        switch request.url.split(separator: "/").last {
        case "logins", "registrations", "changes":
            let told = try StrictJSON.parse(body)
            guard case .string(let text)? = told["employeePublicKey"], let point = Base64.decode(text) else { break }
            key = try EmployeePublicKey(bytes: point)
            return try respond(started(), status: 201)
        case "key":
            keyProofs += 1
            return try respond(asked())
        case "evaluations": return try evaluations(try EvaluationsRequest(bytes: body))
        case "proof":
            proofs.append(try ProofRequest(bytes: body))
            if purpose == .change, !isChanging {
                isChanging = true
                return try respond(asked())
            }
            guard let key else { break }
            return try respond(
                FlowOutcomeResponse.authorizationPending(
                    employeePublicKey: key.bytes, fingerprint: key.fingerprint, position: nil))
        default: break
        }
        return WireResponse(status: 404)
    }

    private func respond(_ value: some JSONConvertible, status: Int = 200) throws -> WireResponse {
        WireResponse(status: status, body: value.bytes)
    }

    private func started() throws -> FlowStartedResponse {
        let salt = [UInt8](repeating: 5, count: 32)
        guard let key else { throw StubTransport.Lost() }
        let subject = try Commitment.subject(
            salt: salt, companyName: cheat == .otherTenant ? "other.example" : "acme.example",
            companyEmployeeId: cheat == .otherEmployee ? "8" : "7")
        let inForce = cheat == .replacedCredential ? other : account
        let named = purpose == .registration ? plan?.credentialId : inForce.record.sealed.context.credentialId
        let challenge = try Challenge(
            .init(
                issuer: "https://id.example", purpose: purpose, flow: flow, nonce: [UInt8](repeating: 7, count: 32),
                tenant: account.tenant, subject: subject, app: "app", employeeKey: key,
                credential: cheat == .otherCredential ? UUID() : named,
                expires: Timestamp.now().adding(.seconds(60))))
        let statement = Array("tenure/v1/key-authorization\n".utf8) + challenge.bytes.dropFirst(20)
        return FlowStartedResponse(
            flow: Base64URL.encode(flow.bytes), challenge: cheat == .statement ? statement : challenge.bytes,
            subjectSalt: salt, expiresAt: .now())
    }

    /// The account whose context is told.
    private var told: Account { [.otherUser, .replacedCredential].contains(cheat) ? other : account }

    /// The plan of new credentials, once they are asked for.
    private var asking: SetUpPlan? { purpose == .change && !isChanging ? nil : plan }

    /// What a change has to follow.
    private var previous: SetUpPlanResponse.Previous? {
        guard purpose == .change else { return nil }
        return .init(
            recordHash: (cheat == .otherPrevious ? other : account).record.hash,
            generation: Int64(account.record.content.generation))
    }

    private func asked() throws -> FlowOutcomeResponse {
        let rules = CredentialRulesResponse(
            questions: 5, passphraseMinimumLength: 8, questionsWithPassphraseAllowed: true, blindOnly: false)
        if let plan = asking {
            let isOther = [.otherUser, .sameCredential].contains(cheat)
            let known = cheat == .sameCredential ? account : other
            let shown = isOther ? known.record.sealed.context.credentialId : plan.credentialId
            return .setCredentials(
                challenge: [1], rules: rules,
                setUp: SetUpPlanResponse(
                    credentialId: shown, userId: plan.userId, oprfAnswers: plan.oprfAnswers.bytes,
                    oprfPassphrase: plan.oprfPassphrase.bytes,
                    kdf: .init(log2N: cheat == .otherCost ? 4 : Int64(plan.kdf.log2N), r: 8, p: 1), previous: previous))
        }
        var context = told.record.sealed.context.bytes
        if cheat == .substitutedKey {
            context.replaceSubrange(99..<148, with: try other.seed.keys().answers.publicKey.bytes)
        }
        // The byte of log2N stands behind both VOPRF keys.
        if cheat == .otherCost { context[context.count - 90] = 17 }
        let opening = OpeningResponse(
            context: context,
            recordHash: [.otherRecord, .replacedCredential].contains(cheat) ? other.record.hash : account.record.hash)
        let ids = told.record.sealed.context.questionIds
        let questions = zip(ids, account.questions).map {
            QuestionResponse(questionId: Base64URL.encode($0.bytes), question: $1.question)
        }
        return .validateAnswers(challenge: [1], questions: questions, opening: opening)
    }

    private func evaluations(_ request: EvaluationsRequest) throws -> WireResponse {
        let isOther = [.otherEvaluationKey, .substitutedKey, .otherUser, .replacedCredential].contains(cheat)
        let keys = try (isOther ? other : account).seed.keys()
        let sealed = told.record.sealed
        var evaluations = try request.elements.map { element in
            let slot = CopySlot(byte: UInt8(clamping: element.slot)) ?? .passphrase
            var evaluation = try keys.evaluate(BlindedElement(slot: slot, bytes: element.element))
            var copy = asking == nil ? try sealed.copy(in: slot) : nil
            switch cheat {
            case .craftedCopies: copy = try other.record.sealed.copy(in: slot)
            case .swappedCopies: copy = sealed.answerCopies[(Int(element.slot) + 1) % 10]
            case .noCopies: copy = nil
            case .zeroProof: evaluation.replaceSubrange(49..<145, with: [UInt8](repeating: 0, count: 96))
            case .shortEvaluation: evaluation.removeLast()
            default: break
            }
            return EvaluationsResponse.Evaluation(slot: element.slot, evaluation: evaluation, sealedCopy: copy)
        }
        if cheat == .fewerEvaluations { evaluations.removeLast() }
        if cheat == .otherSlots { evaluations[0].slot = (evaluations[0].slot + 1) % 10 }
        if cheat == .nonsense { return WireResponse(status: 200, body: Array(#"{"evaluations":7}"#.utf8)) }
        return try respond(EvaluationsResponse(evaluations: evaluations))
    }
}

extension BlindService.Account {
    /// Somebody with five questions, whose record was made at the cheapest cost.
    static func make() throws -> BlindService.Account {
        let seed = try OPRFSeed.generate()
        let questions = (1...5).map { ("Question \($0)?", "Answer \($0) \(UUID())") }
        let plan = try SetUpPlan(
            credentialId: UUID(), userId: UUID(), mode: .blind, seed: seed, kdf: ScryptParameters(log2N: 14))
        let new = try CredentialSetUp(
            plan: plan, questions: questions.map { QuestionAndAnswer(question: $0.0, answer: $0.1) }, passphrase: nil
        ).complete(seed: seed)
        let device = try EmployeeKey.generate()
        let record = try new.record(deviceSignature: device.sign(new).bytes, employeeKey: device.publicKey)
        return BlindService.Account(seed: seed, record: record, questions: questions, tenant: UUID())
    }

    /// The right answers, by the ids that were shown.
    func answers(_ asked: FlowOutcomeResponse) -> [AnswersRequest.Answer] {
        guard case .validateAnswers(_, let shown, _) = asked else { return [] }
        return zip(shown, questions).map { .init(questionId: $0.questionId, answer: $1.answer) }
    }

    /// Another account of the same person whose answers are the same: what a service that cheats would try.
    static let pair = Result { (try make(), try make()) }
}
