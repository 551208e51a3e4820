import Canonical
import Credentials
import ErrorCodes
import Identity
package import TenureAPI

/// Evaluates blinded elements: admission, charge, evaluation, in this order.
///
/// A decoy's elements are evaluated under the decoy's keys, after the same charge and with sealed copies of the same
/// sizes.
package struct EvaluateElements: FlowStepUseCase {
    /// The blinded elements: of new credentials, or of one attempt.
    package let elements: [EvaluationsRequest.Element]
    package let purpose: FlowKind
    package let flow: String
    package let app: AppCaller

    package init(_ elements: [EvaluationsRequest.Element], purpose: FlowKind, flow: String, app: AppCaller) {
        self.elements = elements
        self.purpose = purpose
        self.flow = flow
        self.app = app
    }

    package func run(_ run: UseCaseRun<EvaluationsResponse>) async throws -> EvaluationsResponse {
        let context = run.context, call = run.call
        let row = try await FlowStore(context: context).load(
            handle: flow, purpose: purpose, app: app, at: call.time, run.firstRows)
        let elements = try Self.parsed(elements)
        if row.state.step == .credentials {
            return try await EvaluateSetUp(context: context).run(row, elements)
        }
        let request = try BlindAttempt.request(elements.map(\.slot), current: row.state.attempt)
        try expect(request, row.state)
        let target = try await ChallengedCredential.load(.evaluation, for: row.state, context)
        let budget = try context.budget(for: row.state, of: target)
        return try await context.admitted(
            to: context.evaluations, attempt: row.state, budget, isNew: request != .rest
        ) { admission in
            if case .first(let slot) = request {
                _ = try await ChargeAttempt(context: context).run(
                    row, budget: budget, attempt: BlindAttempt(first: slot), app: app, call: call)
            }
            let sealed = target.sealed, seed = try target.seed
            let evaluations = try await admission.run { () throws -> EvaluationsResponse in
                // All elements of a request are of one kind: a passphrase, or subsets of the answers.
                guard let slot = elements.first?.slot else { return EvaluationsResponse(evaluations: []) }
                let key = try seed.key(for: slot)
                let evaluations = try elements.map { element in
                    EvaluationsResponse.Evaluation(
                        slot: Int64(element.slot.byte), evaluation: try key.evaluate(element),
                        sealedCopy: try sealed.copy(in: element.slot))
                }
                return EvaluationsResponse(evaluations: evaluations)
            }
            if request == .rest {
                // No evaluation is returned before it is recorded that the charge is spent, together with the reply.
                var spent = row
                spent.state.attempt?.isSpent = true
                try await FlowStore(context: context).replace(spent, answering: run.ticket, .success(evaluations))
            }
            return evaluations
        }
    }

    /// Checks slots and points before anything else happens: a refused element costs no attempt.
    static func parsed(_ inputs: [EvaluationsRequest.Element]) throws(ServiceError) -> [BlindedElement] {
        // No request needs more than the eleven copies of a credential, and checking a point costs a square root.
        guard inputs.count <= AnswerSubset.all.count + 1 else {
            throw ServiceError(.requestInvalid, members: [.init(pointer: "/elements", detail: "too many elements")])
        }
        var elements: [BlindedElement] = []
        for (index, input) in inputs.enumerated() {
            guard let byte = UInt8(exactly: input.slot), let slot = CopySlot(byte: byte),
                let element = try? BlindedElement(slot: slot, bytes: input.element)
            else {
                throw ServiceError(
                    .requestInvalid,
                    members: [
                        .init(
                            pointer: "/elements/\(index)",
                            detail: "a slot and a compressed point of 49 bytes are expected")
                    ])
            }
            elements.append(element)
        }
        return elements
    }

    private func expect(_ request: BlindAttempt.Request, _ state: FlowState) throws(ServiceError) {
        switch (request, state.step) {
        case (.first(.passphrase), .passphrase), (.first(.answers), .answers), (.rest, .answers): return
        case (.first(.answers), .passphrase) where state.questionsAllowed,
            (.rest, .passphrase) where state.questionsAllowed:
            return
        default: throw ServiceError(.flowWrongStep)
        }
    }
}

/// Evaluates the elements of new credentials under the seed of their flow.
///
/// Nothing is charged, because no existing credential is tried: the keys are the flow's own, and end with it or become
/// permanent with its commit. The number of evaluations is bounded, and counted before the evaluation. So someone who
/// later obtains the credential has learned only that many outputs of its keys.
struct EvaluateSetUp: Sendable {
    /// The number of evaluations of a flow's set-up: one, and two more for a lost reply or another choice.
    static let limit = 3
    let context: ServiceContext

    func run(_ row: FlowStore.Row, _ elements: [BlindedElement]) async throws -> EvaluationsResponse {
        guard let setUp = row.state.setUp, setUp.evaluations < Self.limit else {
            throw ServiceError(.flowWrongStep)
        }
        guard Self.isWholeSetUp(elements.map(\.slot)) else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/elements", detail: "all ten subsets, the passphrase, or both are expected")])
        }
        let seed = try OPRFSeed(bytes: setUp.seed)
        return try await context.evaluations.admitted(AdmissionLane(row.state)) { admission in
            var counted = row
            counted.state.setUp?.evaluations += 1
            try await FlowStore(context: context).replace(counted)
            return try await admission.run {
                let keys = try seed.keys()
                let evaluations = try elements.map { element in
                    EvaluationsResponse.Evaluation(
                        slot: Int64(element.slot.byte), evaluation: try keys.evaluate(element))
                }
                return EvaluationsResponse(evaluations: evaluations)
            }
        }
    }

    /// Whether these are all slots of a possible credential: the ten subsets, the passphrase, or all eleven.
    static func isWholeSetUp(_ slots: [CopySlot]) -> Bool {
        let subsets = AnswerSubset.all.map { CopySlot.answers($0) }
        guard Set(slots).count == slots.count else { return false }
        return [Set(subsets), [.passphrase], Set(subsets + [.passphrase])].contains(Set(slots))
    }
}
