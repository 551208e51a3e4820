#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the VOPRF is evaluated on: the secret itself, bound to the credential and, for answers, to the subset.
///
/// At most a few kilobytes by construction, far below the 65,535 bytes above which the library traps.
struct VOPRFInput: Sendable, Redacted {
    let slot: CopySlot
    let bytes: [UInt8]

    /// Any bytes as input: for published vectors, and for tests of the limits.
    init(slot: CopySlot, bytes: [UInt8]) {
        self.slot = slot
        self.bytes = bytes
    }

    /// `"tenure/v1/answers" ‖ credentialId ‖ subset (1) ‖ (questionId ‖ u16 length ‖ answer) × 3`.
    init(credentialId: UUID, subset: AnswerSubset, answers: [(questionId: UUID, answer: [UInt8])]) {
        var input = ByteWriter()
        input.raw(Tag.answers)
        input.uuid(credentialId)
        input.u8(subset.index)
        for item in answers {
            input.uuid(item.questionId)
            input.framed(item.answer)
        }
        slot = .answers(subset)
        bytes = input.bytes
    }

    /// `"tenure/v1/passphrase" ‖ credentialId ‖ u16 length ‖ passphrase`.
    init(credentialId: UUID, passphrase: [UInt8]) {
        var input = ByteWriter()
        input.raw(Tag.passphrase)
        input.uuid(credentialId)
        input.framed(passphrase)
        slot = .passphrase
        bytes = input.bytes
    }
}
