import Crypto
import Text

/// A salted hash that stands for a text in signed bytes, so that the text can be erased and the signature kept.
///
/// SHA-256 of tag ‖ salt (32 bytes) ‖ text. The salt is random and as secret as the text: without it the text cannot
/// be confirmed by guessing.
public struct Commitment: Sendable, Hashable {
    /// The 32 bytes of the hash.
    public let bytes: [UInt8]

    /// The length of a salt in bytes.
    public static let saltByteCount = 32

    /// Takes a stored commitment.
    ///
    /// - Throws: ``CredentialsError/Code/recordInvalid`` unless there are 32 bytes.
    public init(bytes: [UInt8]) throws(CredentialsError) {
        guard bytes.count == 32 else { throw CredentialsError(.recordInvalid) }
        self.bytes = bytes
    }

    private init(tag: [UInt8], salt: [UInt8], text: [UInt8]) {
        bytes = Array(SHA256.hash(data: tag + salt + text))
    }

    /// Commits to a question's text: tag `tenure/v1/question`.
    public static func question(salt: [UInt8], text: [UInt8]) -> Commitment {
        Commitment(tag: Tag.question, salt: salt, text: text)
    }

    /// Commits to the employee a challenge is about: tag `tenure/v1/subject`, text company and employee id, each in
    /// canonical UTF-8 behind its 16-bit length.
    public static func subject(salt: [UInt8], company: [UInt8], employee: [UInt8]) -> Commitment {
        var text = ByteWriter()
        text.framed(company)
        text.framed(employee)
        return Commitment(tag: Tag.subject, salt: salt, text: text.bytes)
    }

    /// Commits to the employee a challenge is about by the names that a person entered: what a client compares.
    ///
    /// - Throws: ``CredentialsError/Code/incomplete``, ``CredentialsError/Code/tooLong`` or
    ///   ``CredentialsError/Code/textInvalid`` for a name that the service would refuse as well.
    public static func subject(
        salt: [UInt8], companyName: String, companyEmployeeId: String
    ) throws(CredentialsError) -> Commitment {
        subject(
            salt: salt, company: try TextRule.foldedText.secretBytes(of: companyName, maximumBytes: 256),
            employee: try TextRule.foldedText.secretBytes(of: companyEmployeeId, maximumBytes: 256))
    }
}
