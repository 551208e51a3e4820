#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

    /// Reads the wire form strictly.
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

/// The fields that contexts and records share; each refuses what version 1 does not know.
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
