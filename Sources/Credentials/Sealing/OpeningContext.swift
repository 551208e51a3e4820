import Canonical
import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The public facts of a credential that every sealed copy is bound to, and that a blind client needs to open one.
///
/// It holds no generation, no name and nothing that tells a decoy from a real credential.
public struct OpeningContext: Sendable, Hashable {
    /// The credential, 16 random bytes.
    public let credentialId: UUID
    /// The user, 16 random bytes.
    public let userId: UUID
    /// The public half of the key inside the copies.
    public let userPublicKey: UserPublicKey
    /// The VOPRF key for answers.
    public let oprfAnswers: OPRFPublicKey
    /// The VOPRF key for the passphrase; `nil` when there is no passphrase.
    public let oprfPassphrase: OPRFPublicKey?
    /// The cost of one guess.
    public let kdf: ScryptParameters
    /// The text rules.
    public let rules: TextRules
    /// What was decided at set-up.
    public let flags: CredentialFlags
    /// The five questions' ids in the record's order, all different.
    public let questionIds: [UUID]

    /// The suite of this construction: P-256, VOPRF(P-384, SHA-384), scrypt, HKDF-SHA256, AES-256-GCM.
    public static let suite: UInt16 = 1

    init(
        credentialId: UUID, userId: UUID, userPublicKey: UserPublicKey, oprfAnswers: OPRFPublicKey,
        oprfPassphrase: OPRFPublicKey?, kdf: ScryptParameters, rules: TextRules, flags: CredentialFlags,
        questionIds: [UUID]
    ) throws(CredentialsError) {
        guard questionIds.count == 5, Set(questionIds).count == 5, flags.isSubset(of: .known), rules == .version1,
            oprfPassphrase != nil || !flags.contains(.questionsWithPassphrase)
        else { throw CredentialsError(.recordInvalid) }
        self.credentialId = credentialId
        self.userId = userId
        self.userPublicKey = userPublicKey
        self.oprfAnswers = oprfAnswers
        self.oprfPassphrase = oprfPassphrase
        self.kdf = kdf
        self.rules = rules
        self.flags = flags
        self.questionIds = questionIds
    }

    /// Whether the questions open this credential: always without a passphrase, with one only when it was allowed.
    public var acceptsAnswers: Bool { oprfPassphrase == nil || flags.contains(.questionsWithPassphrase) }

    /// Whether a passphrase opens this credential.
    public var acceptsPassphrase: Bool { oprfPassphrase != nil }

    /// The slots for which copies are stored, in their order.
    public var slots: [CopySlot] {
        (acceptsAnswers ? AnswerSubset.all.map { CopySlot.answers($0) } : []) + (acceptsPassphrase ? [.passphrase] : [])
    }

    /// The public key that an evaluation for this slot is proved under.
    func oprfKey(for slot: CopySlot) throws(CredentialsError) -> OPRFPublicKey {
        switch slot {
        case .answers: return oprfAnswers
        case .passphrase:
            guard let oprfPassphrase else { throw CredentialsError(.notStored) }
            return oprfPassphrase
        }
    }

    /// SHA-256 of ``bytes``: what a device keeps to know the context again.
    public var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// The additional data of the copy in `slot`: SHA-256 of `tenure/v1/seal`, the context's bytes and the slot byte.
    func associatedData(for slot: CopySlot) -> [UInt8] {
        Array(SHA256.hash(data: Tag.seal + bytes + [slot.byte]))
    }
}
