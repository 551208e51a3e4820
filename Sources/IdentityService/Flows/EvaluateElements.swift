import Canonical
import Credentials
import FoundationEssentials
import Identity

/// Evaluates blinded elements: admission, charge, evaluation, in this order.
///
/// A decoy's elements are evaluated under the decoy's keys, after the same charge and for the same sealed sizes.
struct EvaluateElements: Sendable {
    let context: ServiceContext

    func run(
        _ elements: [ElementInput], purpose: FlowPurpose, flow: FlowOpening, app: AppCaller, call: Call,
        ticket: IdempotencyTicket?
    ) async throws -> [Evaluation] {
        let step = try await FlowStore(context: context).step(
            flow, purpose: purpose, app: app, call: call, ticket: ticket)
        let row = step.row
        let elements = try Self.parsed(elements)
        if row.state.step == .credentials {
            return try await EvaluateSetUp(context: context).run(row, elements)
        }
        let request = try BlindAttempt.request(elements.map(\.slot), current: row.state.attempt)
        try expect(request, row.state)
        let target = try await ChallengedCredential.load(
            .evaluation, for: row.state, known: step.known, context)
        let budget = try context.budget(for: row.state, of: target)
        return try await context.evaluations.admitted { admission in
            if case .first(let slot) = request {
                let charged = try await ChargeAttempt(context: context).run(
                    row, budget: budget, attempt: BlindAttempt(first: slot), app: app, call: call)
                context.flows.remember(charged, target.scene)
            }
            let sealed = target.sealed, seed = try target.seed
            let evaluations = try await admission.run { () throws -> [Evaluation] in
                // All elements of a request are of one kind: a passphrase, or subsets of the answers.
                guard let slot = elements.first?.slot else { return [] }
                let key = try seed.key(for: slot)
                return try elements.map { element in
                    Evaluation(
                        slot: Int(element.slot.byte), evaluation: try key.evaluate(element),
                        sealedCopy: try sealed.copy(in: element.slot))
                }
            }
            if request == .rest {
                // Nothing leaves before it is written that nothing is left, and with it what was answered.
                var spent = row
                spent.state.attempt?.isSpent = true
                let replaced = try await FlowStore(context: context).replace(
                    spent, answering: ticket, Evaluations(evaluations))
                context.flows.remember(replaced, target.scene)
            }
            return evaluations
        }
    }

    /// Checks slots and points before anything else happens: a refused element costs nobody an attempt.
    static func parsed(_ inputs: [ElementInput]) throws(ServiceError) -> [BlindedElement] {
        // No request needs more than the eleven copies of a credential, and each point costs a square root to check.
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
                        .init(pointer: "/elements/\(index)", detail: "a slot and a compressed point of 49 bytes")
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
