/// The first line of a signed message, without its newline.
///
/// A signer names the tag that it intends to sign, and refuses bytes that begin with another one.
public struct SignatureTag: Sendable, Hashable, CustomStringConvertible {
    /// The tag as it stands in the message, ASCII.
    public let rawValue: String

    private init(_ rawValue: String) { self.rawValue = rawValue }

    /// A challenge, signed by a device key.
    public static let challenge = SignatureTag("tenure/v1/challenge")
    /// A challenge that names no tenant, of a log-in by an address or by a passkey, signed by a device key.
    public static let addressChallenge = SignatureTag("tenure/v2/challenge")
    /// A challenge, signed by a user key after its copy is opened.
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
    /// A decision of the operator.
    public static let operatorDecision = SignatureTag("tenure/v1/operator")
    /// A recovery of credentials is opened.
    public static let recoveryOpening = SignatureTag("tenure/v1/recovery-opening")
    /// A recovery of credentials is confirmed.
    public static let recoveryConfirmation = SignatureTag("tenure/v1/recovery-confirmation")
    /// A recovery of credentials is cancelled.
    public static let recoveryCancellation = SignatureTag("tenure/v1/recovery-cancellation")
    /// A return of the security admin is cancelled or undone.
    public static let returnCancellation = SignatureTag("tenure/v1/return-cancellation")

    /// An account is approved.
    public static let employeeApproval = SignatureTag("tenure/v1/employee-approval")
    /// An account is cancelled.
    public static let employeeCancellation = SignatureTag("tenure/v1/employee-cancellation")
    /// A cancellation is undone.
    public static let employeeReinstatement = SignatureTag("tenure/v1/employee-reinstatement")
    /// All sessions of an employee are ended.
    public static let sessionsEnd = SignatureTag("tenure/v1/sessions-end")
    /// An address in a confirmed domain is reclaimed.
    public static let emailReclaim = SignatureTag("tenure/v1/email-reclaim")
    /// The signer's own address is changed.
    public static let emailChange = SignatureTag("tenure/v1/email-change")
    /// An invitation is issued.
    public static let invitationIssue = SignatureTag("tenure/v1/invitation-issue")
    /// An invitation is revoked.
    public static let invitationRevocation = SignatureTag("tenure/v1/invitation-revocation")
    /// An M-Pin identity is verified.
    public static let mpinVerification = SignatureTag("tenure/v1/mpin-verification")
    /// An M-Pin identity is linked to an account, by its device.
    public static let mpinLink = SignatureTag("tenure/v1/mpin-link")
    /// An M-Pin identity is revoked.
    public static let mpinRevocation = SignatureTag("tenure/v1/mpin-revocation")
    /// An activation code is issued.
    public static let mpinActivation = SignatureTag("tenure/v1/mpin-activation")

    /// The tag and a newline, with which every message of this kind begins.
    public var line: [UInt8] { Array(rawValue.utf8) + [0x0a] }

    /// The tag as it stands in the message.
    public var description: String { rawValue }

    /// Returns the part of `message` after the tag line.
    ///
    /// - Throws: ``CredentialsError/Code/unexpectedTag`` if the message begins with anything else.
    public func content(of message: [UInt8]) throws(CredentialsError) -> [UInt8] {
        let line = line
        guard message.starts(with: line) else { throw CredentialsError(.unexpectedTag) }
        return Array(message.dropFirst(line.count))
    }
}

/// The tags that keep different kinds of bytes from being confused.
///
/// The tag of a signed message is its first line: the tag and a newline. The tag of hashed, derived or evaluated bytes
/// precedes them without a newline.
enum Tag {
    static let answers = Array("tenure/v1/answers".utf8)
    static let passphrase = Array("tenure/v1/passphrase".utf8)
    static let scrypt = Array("tenure/v1/scrypt".utf8)
    static let seal = Array("tenure/v1/seal".utf8)
    static let sealAnswers = Array("tenure/v1/seal/answers".utf8)
    static let sealPassphrase = Array("tenure/v1/seal/passphrase".utf8)
    static let oprf = Array("tenure/v1/oprf".utf8)
    static let oprfAnswers = Array("tenure/v1/oprf/answers".utf8)
    static let oprfPassphrase = Array("tenure/v1/oprf/passphrase".utf8)
    static let question = Array("tenure/v1/question".utf8)
    static let subject = Array("tenure/v1/subject".utf8)
    static let addressSubject = Array("tenure/v2/subject-address".utf8)
    static let invitationSubject = Array("tenure/v1/invitation-subject".utf8)
    static let emailSubject = Array("tenure/v1/email-subject".utf8)
    static let record = Array("tenure/v1/record".utf8)
    static let commonPassphrase = Array("tenure/v1/common-passphrase\n".utf8)
    static let appAuthority = Array("tenure/v1/app-authority".utf8)
    static let decoy = Array("tenure/v1/decoy".utf8)
    // `tenure/v1/prf` is reserved for keys derived from a passkey's PRF extension.
    static let decoyTenant = Array("tenure/v1/decoy-tenant".utf8)
}
