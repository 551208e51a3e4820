import Canonical
import Credentials
import ErrorCodes

/// One attempt in blind mode, between its charge and its proof.
///
/// A charge buys the evaluation of one subset of the answers and, once, of the other nine subsets of the same attempt.
/// For a passphrase it buys one evaluation. Nothing more is evaluated for the charge, whatever is requested and however
/// often.
struct BlindAttempt: FlatObject, MemberValue, Equatable {
    /// The two kinds of evaluation requests within a flow.
    enum Request: Sendable, Equatable {
        /// A new attempt, which is charged.
        case first(CopySlot)
        /// The other nine subsets of the attempt that was charged.
        case rest
    }

    /// The element that was evaluated first.
    var first: CopySlot
    /// Whether the charge pays for no further evaluation.
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

    static let members = MemberTable<BlindAttempt, Void>(
        "BlindAttempt", BlindAttempt.init(first:isSpent:),
        Member("first", \.first, slotKind), Member("isSpent", \.isSpent))

    private static let slotKind = MemberKind<CopySlot>(.integer(0...255)) { (json, place) throws(JSONError) in
        guard let slot = CopySlot(byte: UInt8(try json.integer(in: 0...255, at: place))) else {
            throw place.invalid("a slot is expected")
        }
        return slot
    } write: { (slot, _) in
        .integer(Int64(slot.byte))
    }

    /// Classifies a request by its slots.
    ///
    /// - Parameter current: The flow's attempt that has no proof yet.
    /// - Throws: `request.invalid` for anything but one slot or nine different subsets; `flow.wrong_step` for nine
    ///   subsets that no charge has paid for, or that were evaluated already.
    static func request(_ slots: [CopySlot], current: BlindAttempt?) throws(ServiceError) -> Request {
        if slots.count == 1 { return .first(slots[0]) }
        guard slots.count == AnswerSubset.all.count - 1, Set(slots).count == slots.count, !slots.contains(.passphrase)
        else {
            throw ServiceError(
                .requestInvalid, members: [.init(pointer: "/elements", detail: "send one element, or the other nine")])
        }
        guard let current, !current.isSpent, !slots.contains(current.first) else { throw ServiceError(.flowWrongStep) }
        return .rest
    }

    /// The kind of secret that the attempt is about.
    var kind: FlowProof.Kind { first == .passphrase ? .passphrase : .answers }
}
