import Canonical
import Crypto
import Text

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The public facts of a credential that every sealed copy is bound to, and that a blind client needs to open one.
///
/// It contains no generation, no name and nothing that distinguishes a decoy from a real credential.
public struct OpeningContext: Sendable, Hashable {
    /// The credential's id, 16 random bytes.
    public let credentialId: UUID
    /// The user's id, 16 random bytes.
    public let userId: UUID
    /// The public half of the key inside the copies.
    public let userPublicKey: UserPublicKey
    /// The VOPRF key for answers.
    public let oprfAnswers: OPRFPublicKey
    /// The VOPRF key for the passphrase, or `nil` if there is no passphrase.
    public let oprfPassphrase: OPRFPublicKey?
    /// The cost of one guess.
    public let kdf: ScryptParameters
    /// The rules for canonicalising text.
    public let rules: TextRules
    /// The choices made at set-up.
    public let flags: CredentialFlags
    /// The ids of the five questions in the record's order, all different.
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

    /// Whether answers open this credential: always without a passphrase, and with one only if that was allowed.
    public var acceptsAnswers: Bool { oprfPassphrase == nil || flags.contains(.questionsWithPassphrase) }

    /// Whether a passphrase opens this credential.
    public var acceptsPassphrase: Bool { oprfPassphrase != nil }

    /// The slots for which copies are stored, in their order.
    public var slots: [CopySlot] {
        (acceptsAnswers ? AnswerSubset.all.map { CopySlot.answers($0) } : []) + (acceptsPassphrase ? [.passphrase] : [])
    }

    /// The public key under which an evaluation for this slot is proved.
    func oprfKey(for slot: CopySlot) throws(CredentialsError) -> OPRFPublicKey {
        switch slot {
        case .answers: return oprfAnswers
        case .passphrase:
            guard let oprfPassphrase else { throw CredentialsError(.notStored) }
            return oprfPassphrase
        }
    }

    /// SHA-256 of ``bytes``, which a device keeps as a pin.
    public var hash: [UInt8] { Array(SHA256.hash(data: bytes)) }

    /// The additional data of the copy in `slot`: SHA-256 of `tenure/v1/seal`, the context's bytes and the slot byte.
    func associatedData(for slot: CopySlot) -> [UInt8] {
        Array(SHA256.hash(data: Tag.seal + bytes + [slot.byte]))
    }
}

extension OpeningContext {
    /// The wire form, 240 bytes without a passphrase key and 289 with one: suite u16, credential id 16, user id 16,
    /// user public key 65, answers key 49, presence byte and passphrase key 49, kdf 4, rules 3 × u16, flags 1,
    /// question ids 5 × 16.
    public var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.u16(Self.suite)
        writer.uuid(credentialId)
        writer.uuid(userId)
        writer.raw(userPublicKey.bytes)
        writer.raw(oprfAnswers.bytes)
        writer.optional(oprfPassphrase?.bytes)
        writer.raw(kdf.bytes)
        writer.raw(rules.bytes)
        writer.u8(flags.rawValue)
        for id in questionIds { writer.uuid(id) }
        return writer.bytes
    }

    /// Parses the wire form strictly.
    ///
    /// - Throws: ``CredentialsError/Code/recordInvalid`` for anything but the exact form with accepted values.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        var reader = ByteReader(bytes, refusal: .recordInvalid)
        try reader.suite()
        let credentialId = try reader.uuid()
        let userId = try reader.uuid()
        let userPublicKey = try reader.userPublicKey()
        let oprfAnswers = try reader.oprfPublicKey()
        let oprfPassphrase = try reader.optionalOPRFPublicKey()
        let kdf = try reader.kdf()
        let rules = try reader.rules()
        let flags = CredentialFlags(rawValue: try reader.u8())
        var questionIds: [UUID] = []
        for _ in 0..<5 { questionIds.append(try reader.uuid()) }
        try reader.finish()
        try self.init(
            credentialId: credentialId, userId: userId, userPublicKey: userPublicKey, oprfAnswers: oprfAnswers,
            oprfPassphrase: oprfPassphrase, kdf: kdf, rules: rules, flags: flags, questionIds: questionIds)
    }
}

/// Reads the fields that contexts and records share. Each refuses values unknown to version 1.
extension ByteReader {
    mutating func suite() throws(CredentialsError) {
        guard try u16() == OpeningContext.suite else { throw CredentialsError(.recordInvalid) }
    }

    mutating func userPublicKey() throws(CredentialsError) -> UserPublicKey {
        let bytes = try take(65)
        guard let key = isKept ? try? UserPublicKey(kept: bytes) : try? UserPublicKey(bytes: bytes) else {
            throw CredentialsError(.recordInvalid)
        }
        return key
    }

    mutating func oprfPublicKey() throws(CredentialsError) -> OPRFPublicKey {
        try oprfPublicKey(try take(49))
    }

    mutating func optionalOPRFPublicKey() throws(CredentialsError) -> OPRFPublicKey? {
        guard let bytes = try optional(49) else { return nil }
        return try oprfPublicKey(bytes)
    }

    private func oprfPublicKey(_ bytes: [UInt8]) throws(CredentialsError) -> OPRFPublicKey {
        guard let key = isKept ? try? OPRFPublicKey(kept: bytes) : try? OPRFPublicKey(bytes: bytes) else {
            throw CredentialsError(.recordInvalid)
        }
        return key
    }

    mutating func kdf() throws(CredentialsError) -> ScryptParameters {
        let four = try take(4)
        guard four[0] == ScryptParameters.identifier,
            let kdf = try? ScryptParameters(log2N: four[1], r: four[2], p: four[3])
        else { throw CredentialsError(.recordInvalid) }
        return kdf
    }

    mutating func rules() throws(CredentialsError) -> TextRules {
        let rules = TextRules(answerRule: try u16(), passphraseRule: try u16(), unicode: try u16())
        guard rules == .version1 else { throw CredentialsError(.recordInvalid) }
        return rules
    }
}

/// The choices of a user or a tenant at set-up, as one byte in the record.
public struct CredentialFlags: OptionSet, Sendable, Hashable {
    /// Bit 0 and bit 1. Every other bit is refused when a record is read.
    public let rawValue: UInt8

    /// A set with these bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The credential may be used in blind mode only.
    public static let blindOnly = CredentialFlags(rawValue: 1)
    /// A user with a passphrase may answer the questions instead.
    public static let questionsWithPassphrase = CredentialFlags(rawValue: 2)

    static let known: CredentialFlags = [.blindOnly, .questionsWithPassphrase]
}

/// The text rules under which a record was made, by number; a record never changes its rules.
public struct TextRules: Sendable, Hashable {
    /// The rule for answers: 1 is NFKC_Casefold, trimmed, inner white space collapsed.
    public let answerRule: UInt16
    /// The rule for a passphrase: 2 is NFC, case and spaces kept.
    public let passphraseRule: UInt16
    /// The Unicode version, major in the high byte and minor in the low byte: 0x0f00 is 15.0.
    public let unicode: UInt16

    /// The rules of version 1, the only version: 1, 2 and 0x0f00.
    public static let version1 = TextRules(
        answerRule: TextRule.foldedText.rawValue, passphraseRule: TextRule.passphrase.rawValue,
        unicode: unicodeVersion)

    var bytes: [UInt8] {
        var writer = ByteWriter()
        writer.u16(answerRule)
        writer.u16(passphraseRule)
        writer.u16(unicode)
        return writer.bytes
    }
}

extension TextRule {
    /// Canonicalises a secret or a question. The error does not repeat the text.
    func secretBytes(of text: String, maximumBytes: Int) throws(CredentialsError) -> [UInt8] {
        do {
            return try canonicalize(entered: text, maximumBytes: maximumBytes)
        } catch {
            switch error.code {
            case .empty: throw CredentialsError(.incomplete)
            case .tooLong: throw CredentialsError(.tooLong)
            default: throw CredentialsError(.textInvalid)
            }
        }
    }
}
