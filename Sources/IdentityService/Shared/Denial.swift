import ErrorCodes

/// A reason for `authorization.not_permitted`, in words for the caller.
///
/// The code alone would send every caller to the same advice. None of the sentences tells more than the caller's own
/// rights, or what they submitted.
enum Denial: String, Sendable, CaseIterable {
    /// An app called where an admin decides.
    case appMayNotDecide = "only an admin decides this: send the access token of an admin's session"
    /// The employee is no active admin, or the session's device key does not carry the role.
    case noAdmin = "only an admin may do this, in a session of a device key that carries the admin's role"
    /// The decision's table of authority has no place for the caller.
    case outsideAuthority = "the caller's role does not suffice for this decision"
    /// The caller has no key that could sign.
    case noSigningKey = "the session's device key may not sign: use a session of an authorized device key"
    /// A statement is malformed, of another kind, or over its time.
    case statementInvalid = "the statement is not one of the service for this call: fetch a new one and sign that"
    /// A statement is over its time.
    case statementExpired = "the statement has expired: fetch a new one and sign that"
    case signatureOverText = "the signature is over the base64 text: decode the statement and sign its bytes"
    /// The signature does not verify.
    case signatureInvalid =
        "the signature is not one of the device key of this session over the decoded bytes of the statement"
    /// The key was refused or revoked, which is for good.
    case keyEnded = "the device key was refused or revoked for good: present a new key"
    /// The employee has as many pending keys as allowed.
    case tooManyPendingKeys =
        "too many device keys of this employee are pending: have an admin refuse some, or wait until they expire"
    /// The device key is not authorized where an authorized one is needed.
    case keyPending = "the device key is not authorized yet: ask an admin to authorize it"
    /// The device key was authorized too late, or does not carry the role.
    case keyWithoutWeight =
        "this device key may not replace the credentials of all accounts of the person: use a device with more rights"
    /// An activation code is wrong or not open.
    case activationCodeInvalid = "the activation code is wrong, expired or used: ask an admin for a new one"
    /// A proof of a PIN does not open this session.
    case pinOpensNoSession = "this PIN opens no session for this account on this device: log in with the credentials"
}

extension ServiceError {
    /// Whether a log-in is refused because its device key was refused or revoked, which only a new key mends.
    package var isAboutEndedKey: Bool {
        code == .authorizationNotPermitted && members.contains { $0.detail == Denial.keyEnded.rawValue }
    }

    /// `authorization.not_permitted` with its reason.
    ///
    /// - Parameter pointer: The member of the request that is at fault, as a JSON pointer.
    init(_ denial: Denial, at pointer: String = "") {
        self.init(.authorizationNotPermitted, members: [Member(pointer: pointer, detail: denial.rawValue)])
    }
}
