import Credentials

/// One attempt in blind mode, between its charge and its proof.
///
/// A charge buys the evaluation of one subset of the answers, and of the other nine of the same attempt once; or of one
/// passphrase. Nothing more is evaluated for it, whatever is asked and however often.
struct BlindAttempt: Sendable, Equatable {
    /// What a request for evaluations is within a flow.
    enum Request: Sendable, Equatable {
        /// A new attempt, which is charged.
        case first(CopySlot)
        /// The other nine subsets of the attempt that was charged.
        case rest
    }

    /// The element that was evaluated first.
    var first: CopySlot
    /// Whether nothing is left to evaluate for this charge.
    var isSpent: Bool

    /// An attempt that has just been charged.
    init(first: CopySlot) {
        self.first = first
        isSpent = first == .passphrase
    }

    init(first: CopySlot, isSpent: Bool) {
        self.first = first
        self.isSpent = isSpent
    }

    /// Tells what a list of slots asks for.
    ///
    /// - Parameter current: The attempt of the flow that has had no proof yet.
    /// - Throws: `request.invalid` for anything but one slot or nine different subsets; `flow.wrong_step` for nine that
    ///   no charge has paid for, or has paid for once already.
    static func request(_ slots: [CopySlot], current: BlindAttempt?) throws(ServiceError) -> Request {
        if slots.count == 1 { return .first(slots[0]) }
        guard slots.count == AnswerSubset.all.count - 1, Set(slots).count == slots.count, !slots.contains(.passphrase)
        else {
            throw ServiceError(
                .requestInvalid, members: [.init(pointer: "/elements", detail: "one element or the other nine")])
        }
        guard let current, !current.isSpent, !slots.contains(current.first) else { throw ServiceError(.flowWrongStep) }
        return .rest
    }

    /// Which secret the attempt is about.
    var kind: FlowProof.Kind { first == .passphrase ? .passphrase : .answers }
}
