import Credentials
import FoundationEssentials

/// Evaluates the elements of new credentials under the seed of their flow.
///
/// Nothing is charged, because nobody's credential is tried: the keys are the flow's own, and its commit or its end closes
/// them. How often is bounded, and counted before the evaluation, so that who later knows the credential has learned
/// only that many outputs of its keys.
struct EvaluateSetUp: Sendable {
    /// How many times a flow's set-up is evaluated: once, and twice more for a lost reply or another choice.
    static let limit = 3
    let context: ServiceContext

    func run(_ row: FlowStore.Row, _ elements: [BlindedElement]) async throws -> [Evaluation] {
        guard let bytes = row.state.seed, row.state.setUpEvaluations < Self.limit else {
            throw ServiceError(.flowWrongStep)
        }
        guard Self.isWholeSetUp(elements.map(\.slot)) else {
            throw ServiceError(
                .requestInvalid,
                members: [.init(pointer: "/elements", detail: "all ten subsets, the passphrase, or both")])
        }
        let seed = try OPRFSeed(bytes: bytes)
        return try await context.evaluations.admitted { admission in
            var counted = row
            counted.state.setUpEvaluations += 1
            try await FlowStore(context: context).replace(counted)
            return try await admission.run {
                let keys = try seed.keys()
                return try elements.map { element in
                    Evaluation(
                        slot: Int(element.slot.byte), evaluation: try keys.evaluate(element), sealedCopy: nil)
                }
            }
        }
    }

    /// Whether these are the slots of some credential: the ten subsets, the passphrase, or all eleven.
    static func isWholeSetUp(_ slots: [CopySlot]) -> Bool {
        let subsets = AnswerSubset.all.map { CopySlot.answers($0) }
        guard Set(slots).count == slots.count else { return false }
        return [Set(subsets), [.passphrase], Set(subsets + [.passphrase])].contains(Set(slots))
    }
}
