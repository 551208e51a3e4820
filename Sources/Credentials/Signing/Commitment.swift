import Crypto
import Text

/// A salted hash that represents a text in signed bytes, so that the text can be erased while the signature stays
/// valid.
///
/// It is SHA-256 of tag ‖ salt (32 bytes) ‖ text. The salt is random and as secret as the text: without it a guess at
/// the text cannot be confirmed.
public struct Commitment: Sendable, Hashable {
    /// The 32 bytes of the hash.
    public let bytes: [UInt8]

    /// The length of a salt in bytes.
    public static let saltByteCount = 32

    /// A stored commitment.
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

    /// Commits to the employee of a challenge: tag `tenure/v1/subject`, text tenant name and employee id, each in
    /// canonical UTF-8 after its 16-bit length.
    public static func subject(salt: [UInt8], company: [UInt8], employee: [UInt8]) -> Commitment {
        var text = ByteWriter()
        text.framed(company)
        text.framed(employee)
        return Commitment(tag: Tag.subject, salt: salt, text: text.bytes)
    }

    /// Commits to the employee of a challenge by the names that a user entered. A client compares the result.
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

    /// Commits to the address of a log-in: tag `tenure/v2/subject-address`, text the address in canonical UTF-8 after its
    /// 16-bit length.
    public static func address(salt: [UInt8], _ address: [UInt8]) -> Commitment {
        var text = ByteWriter()
        text.framed(address)
        return Commitment(tag: Tag.addressSubject, salt: salt, text: text.bytes)
    }

    /// Commits to the address that somebody changes to: tag `tenure/v1/email-subject`, text the address as entered,
    /// in UTF-8 after its 16-bit length. The device commits to the bytes that its page shows.
    public static func email(salt: [UInt8], _ address: [UInt8]) -> Commitment {
        var text = ByteWriter()
        text.framed(address)
        return Commitment(tag: Tag.emailSubject, salt: salt, text: text.bytes)
    }

    /// Commits to the recipient of an invitation: tag `tenure/v1/invitation-subject`, text tenant name, employee id and
    /// optional address, each in canonical UTF-8 after its 16-bit length.
    public static func invitation(
        salt: [UInt8], company: [UInt8], employee: [UInt8], email: [UInt8]?
    ) -> Commitment {
        var text = ByteWriter()
        text.framed(company)
        text.framed(employee)
        text.framed(email ?? [])
        return Commitment(tag: Tag.invitationSubject, salt: salt, text: text.bytes)
    }

    /// Commits to the recipient of an invitation by the texts that a user entered. A client compares the result before
    /// it signs.
    ///
    /// - Throws: ``CredentialsError/Code/incomplete``, ``CredentialsError/Code/tooLong`` or
    ///   ``CredentialsError/Code/textInvalid`` for a text that the service would refuse as well.
    public static func invitation(
        salt: [UInt8], companyName: String, companyEmployeeId: String, email: String?
    ) throws(CredentialsError) -> Commitment {
        let rule = TextRule.foldedText
        let company = try rule.secretBytes(of: companyName, maximumBytes: 256)
        let employee = try rule.secretBytes(of: companyEmployeeId, maximumBytes: 256)
        // The longest address is the one that an app builds from the longest id and the longest name.
        guard let email else { return invitation(salt: salt, company: company, employee: employee, email: nil) }
        return invitation(
            salt: salt, company: company, employee: employee,
            email: try rule.secretBytes(of: email, maximumBytes: 525))
    }
}
