import Canonical
import Credentials
import Foundation
public import TenureAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Opens credentials in blind mode. Answers and passphrase stay on the device.
///
/// Every fault in the service's data (keys, proofs, copies, a context other than the pinned one) and a wrong answer
/// throw the same error, ``TenureClientError/Code/signingRefused``. Nothing has been signed then, and the service does
/// not learn which check failed. The only exception is ``TenureClientError/Code/credentialsChanged``: a change may have
/// replaced the pinned credentials, and only the person can tell.
extension TenureClient {
    /// Answers the questions of a flow in blind mode. Takes three to five answers; three correct ones suffice.
    ///
    /// - Parameters:
    ///   - flow: The flow, after ``proveKey(_:key:)``.
    ///   - asked: The outcome of ``proveKey(_:key:)``.
    ///   - answers: The answers, by the ids of the questions.
    ///   - pins: The store of this device's pins.
    ///   - accepted: The credential that the person confirmed as theirs, from ``shownCredentials(_:_:)``, if another
    ///     one is pinned.
    /// - Throws: ``TenureClientError``: ``TenureClientError/Code/signingRefused`` if the answers are wrong or the
    ///   service's data fails a check, ``TenureClientError/Code/credentialsChanged``, or a code of the library for
    ///   unacceptable entries.
    public func proveAnswers(
        _ flow: Flow, _ asked: FlowOutcomeResponse, answers: [AnswersRequest.Answer], pins: some PinStore,
        accepting accepted: CredentialPin? = nil
    ) async throws -> FlowOutcomeResponse {
        try await openAnswers(flow, asked, answers: answers, pins: pins, accepting: accepted).outcome
    }

    /// Answers the questions of a flow and returns the opened user key too, with which a change signs the new record.
    func openAnswers(
        _ flow: Flow, _ asked: FlowOutcomeResponse, answers: [AnswersRequest.Answer], pins: some PinStore,
        accepting accepted: CredentialPin?
    ) async throws -> Opened {
        let opening = try Opening(asked)
        var pairs: [(questionId: UUID, answer: String)] = []
        for answer in answers {
            guard let bytes = Base64URL.decode(answer.questionId), let id = UUID(bytes: bytes) else {
                throw TenureClientError(.signingRefused)
            }
            pairs.append((id, answer.answer))
        }
        let blind = try entered { () throws(CredentialsError) in
            try BlindOpening(
                context: opening.context,
                answers: try SuppliedAnswers(pairs, questionIds: opening.context.questionIds))
        }
        return try await prove(flow, opening, blind, pins, accepted)
    }

    /// Proves the passphrase of a flow in blind mode.
    ///
    /// - Throws: ``TenureClientError``: ``TenureClientError/Code/signingRefused`` if the passphrase is wrong or the
    ///   service's data fails a check, or ``TenureClientError/Code/credentialsChanged``.
    public func provePassphrase(
        _ flow: Flow, _ asked: FlowOutcomeResponse, passphrase: String, pins: some PinStore,
        accepting accepted: CredentialPin? = nil
    ) async throws -> FlowOutcomeResponse {
        try await openPassphrase(flow, asked, passphrase: passphrase, pins: pins, accepting: accepted).outcome
    }

    /// Proves the passphrase of a flow and returns the opened user key too.
    func openPassphrase(
        _ flow: Flow, _ asked: FlowOutcomeResponse, passphrase: String, pins: some PinStore,
        accepting accepted: CredentialPin?
    ) async throws -> Opened {
        let opening = try Opening(asked)
        let blind = try entered { () throws(CredentialsError) in
            try BlindOpening(context: opening.context, passphrase: try Passphrase(supplied: passphrase))
        }
        return try await prove(flow, opening, blind, pins, accepted)
    }

    private func prove(
        _ flow: Flow, _ opening: Opening, _ blind: BlindOpening, _ pins: some PinStore, _ accepted: CredentialPin?
    ) async throws -> Opened {
        let (challenge, shown) = try checked(flow, opening)
        let account = try PinnedAccount(baseURL: baseURL, company: flow.company, employee: flow.employee)
        let pinned = try await pins.pin(of: account)
        if let pinned, pinned != shown {
            guard pinned.mayBeReplaced(by: shown) else { throw TenureClientError(.signingRefused) }
            guard accepted == shown else { throw TenureClientError(.credentialsChanged) }
        }
        let userKey = try await open(flow, blind)
        let signature: Signature
        do { signature = try userKey.sign(validationOf: challenge) } catch { throw TenureClientError(.signingRefused) }
        let outcome = try await prove(flow, ProofRequest(userSignature: signature.bytes))
        if pinned != shown { try await pins.keep(shown, of: account) }
        return Opened(userKey: userKey, recordHash: opening.recordHash, outcome: outcome)
    }

    /// The result of a correct secret.
    struct Opened: Sendable {
        let userKey: UserKey
        let recordHash: [UInt8]
        let outcome: FlowOutcomeResponse
    }

    /// Opens a copy. It tries one subset first and the other nine only if that fails. Together they are one attempt.
    private func open(_ flow: Flow, _ blind: BlindOpening) async throws -> UserKey {
        let first = try await OwnThread.run { try blind.first() }
        let answer = try await evaluate(flow, elements: [.init(first.slot, first.element)])
        if let key = try await Self.firstOpened([first], answer) { return key }
        let (others, padding) = try await OwnThread.run { (try blind.remaining(), try blind.padding()) }
        guard !others.isEmpty else { throw TenureClientError(.signingRefused) }
        let elements = others.map { EvaluationsRequest.Element($0.slot, $0.element) }
        let rest = try await evaluate(flow, elements: elements + padding.map { .init($0.slot, $0.bytes) })
        guard let key = try await Self.firstOpened(others, rest) else { throw TenureClientError(.signingRefused) }
        return key
    }

    private static func firstOpened(
        _ requests: [BlindedRequest], _ evaluations: [EvaluationsResponse.Evaluation]
    ) async throws -> UserKey? {
        try await OwnThread.run {
            for (request, answer) in zip(requests, evaluations) {
                // Every failure is treated alike: a wrong answer, a wrong proof, a crafted copy.
                if let copy = answer.sealedCopy, let key = try? request.open(evaluation: answer.evaluation, copy: copy)
                {
                    return key
                }
            }
            return nil
        }
    }
}

extension TenureClient {
    /// Runs checks of the person's entries and converts their errors to this library's codes, before anything is sent.
    func entered<Value>(_ body: () throws(CredentialsError) -> Value) throws(TenureClientError) -> Value {
        do { return try body() } catch { throw TenureClientError(error) }
    }
}

extension TenureClient {
    /// Lets the service evaluate blinded elements: one element, which charges an attempt; the other nine of that
    /// attempt; or all elements of a set-up.
    ///
    /// - Throws: ``TenureClientError`` with ``TenureClientError/Code/signingRefused`` if the response does not have one
    ///   evaluation for each element, in their order.
    public func evaluate(
        _ flow: Flow, elements: [EvaluationsRequest.Element]
    ) async throws -> [EvaluationsResponse.Evaluation] {
        let response: EvaluationsResponse
        do {
            response = try await call(
                flow.endpoint(
                    .evaluateRegistration, .evaluateLogin, .evaluateChange, .evaluateRecovery, .evaluateReturn),
                ["flow": flow.handle],
                body: EvaluationsRequest(elements: elements))
        } catch let error as TenureClientError {
            throw error.code == .responseInvalid ? TenureClientError(.signingRefused) : error
        }
        guard response.evaluations.map(\.slot) == elements.map(\.slot) else { throw TenureClientError(.signingRefused) }
        return response.evaluations
    }

    /// Sends the user key's signature; at set-up with the new record.
    ///
    /// - Throws: ``TenureClientError``.
    public func prove(_ flow: Flow, _ proof: ProofRequest) async throws -> FlowOutcomeResponse {
        try await call(
            flow.endpoint(.proveRegistration, .proveLogin, .proveChange, .proveRecovery, .proveReturn),
            ["flow": flow.handle],
            body: proof)
    }
}

extension EvaluationsRequest.Element {
    init(_ slot: CopySlot, _ element: [UInt8]) { self.init(slot: Int64(slot.byte), element: element) }
}

/// Runs CPU-bound work such as scrypt on a separate thread, so that it does not block the cooperative thread pool.
enum OwnThread {
    static func run<Result: Sendable>(_ work: @escaping @Sendable () throws -> Result) async throws -> Result {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
            let thread = Thread { continuation.resume(with: Swift.Result(catching: work)) }
            thread.stackSize = 1 << 20
            thread.start()
        }
    }
}
