/// The first line of a signed message, without its newline.
///
/// A signer names the tag it means to sign and refuses bytes that begin with another.
public struct SignatureTag: Sendable, Hashable, CustomStringConvertible {
    /// The tag as it stands in the message, ASCII.
    public let rawValue: String

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// A challenge, signed by a device key.
    public static let challenge = SignatureTag("tenure/v1/challenge")
    /// A challenge, signed by a user key after its copy was opened.
    public static let validation = SignatureTag("tenure/v1/validation")
    /// A record of credentials, signed by its user key and by the device key.
    public static let credentialsSet = SignatureTag("tenure/v1/credentials-set")
    /// A record that replaces another, signed by the replaced user key.
    public static let credentialsChange = SignatureTag("tenure/v1/credentials-change")
    /// An employee key is authorized.
    public static let keyAuthorization = SignatureTag("tenure/v1/key-authorization")
    /// A pending employee key is refused.
    public static let keyRefusal = SignatureTag("tenure/v1/key-refusal")
    /// An authorized employee key is revoked.
    public static let keyRevocation = SignatureTag("tenure/v1/key-revocation")
    /// A tenant's policy is changed.
    public static let policy = SignatureTag("tenure/v1/policy")
    /// An employee is given or loses a role.
    public static let role = SignatureTag("tenure/v1/role")
    /// An app is linked to or unlinked from a tenant.
    public static let appLink = SignatureTag("tenure/v1/app-link")
    /// Another employee becomes security admin.
    public static let succession = SignatureTag("tenure/v1/succession")
    /// A recovery of credentials is opened.
    public static let recoveryOpening = SignatureTag("tenure/v1/recovery-opening")
    /// A recovery of credentials is confirmed.
    public static let recoveryConfirmation = SignatureTag("tenure/v1/recovery-confirmation")
    /// A recovery of credentials is cancelled.
    public static let recoveryCancellation = SignatureTag("tenure/v1/recovery-cancellation")

    /// The tag and a newline: what every message of this kind begins with.
    public var line: [UInt8] { Array(rawValue.utf8) + [0x0a] }

    /// The tag as it stands in the message.
    public var description: String { rawValue }

    /// Returns what follows the tag line of `message`.
    ///
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` when the message begins with anything else.
    public func content(of message: [UInt8]) throws(CredentialsError) -> [UInt8] {
        let line = line
        guard message.starts(with: line) else { throw CredentialsError(.unexpectedTag) }
        return Array(message.dropFirst(line.count))
    }
}
