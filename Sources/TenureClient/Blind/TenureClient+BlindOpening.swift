import Canonical
import Credentials
public import TenureAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Opening in blind mode: answers and passphrase stay here.
///
/// Whatever is wrong with what the service sends (keys, proofs, copies, contexts other than the pinned one), and a wrong
/// answer as well, is the one error ``TenureClientError/Code/signingRefused``: nothing was signed, and the service learns
/// nothing from which check it was. Only credentials that may have taken the place of the pinned ones by a change are an
/// error of their own, ``TenureClientError/Code/credentialsChanged``, because the person can say so.
extension TenureClient {
    /// Answers the questions of a flow in blind mode; three to five answers, of which three right ones suffice.
    ///
    /// - Parameters:
    ///   - flow: The flow, whose key this device has proved.
    ///   - asked: The outcome of ``proveKey(_:key:)``.
    ///   - answers: By the ids of the questions as they were shown.
    ///   - pins: Where it is remembered which credentials this device has met.
    ///   - accepted: What the person takes for the account's credentials, of ``shownCredentials(_:_:)``, when another
    ///     one is pinned.
    public func proveAnswers(
        _ flow: Flow, _ asked: FlowOutcomeResponse, answers: [AnswersRequest.Answer], pins: some PinStore,
        accepting accepted: CredentialPin? = nil
    ) async throws -> FlowOutcomeResponse {
        try await openAnswers(flow, asked, answers: answers, pins: pins, accepting: accepted).outcome
    }

    /// The same, with the user key that was opened: a change signs the new record with it.
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

    /// Gives the passphrase of a flow in blind mode.
    public func provePassphrase(
        _ flow: Flow, _ asked: FlowOutcomeResponse, passphrase: String, pins: some PinStore,
        accepting accepted: CredentialPin? = nil
    ) async throws -> FlowOutcomeResponse {
        try await openPassphrase(flow, asked, passphrase: passphrase, pins: pins, accepting: accepted).outcome
    }

    /// The same, with the user key that was opened.
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

    /// What a right secret led to.
    struct Opened: Sendable {
        let userKey: UserKey
        let recordHash: [UInt8]
        let outcome: FlowOutcomeResponse
    }

    /// Opens a copy: one subset first, the other nine only when that did not open. All of it is one attempt.
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
                // Every failure looks the same here: a wrong answer, a wrong proof, a crafted copy.
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
    /// What a person entered and the library refuses, before anything is sent: told with the library's code.
    func entered<Value>(_ body: () throws(CredentialsError) -> Value) throws(TenureClientError) -> Value {
        do { return try body() } catch { throw TenureClientError(.init(rawValue: error.code.rawValue)) }
    }
}
