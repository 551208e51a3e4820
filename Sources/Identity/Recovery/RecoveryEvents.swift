package import Canonical

/// A recovery was opened: the first of two decisions that give new credentials to a user who has lost every credential.
///
/// The same event is recorded in the tenant's ledger, where the signer's authority can be verified.
package struct RecoveryOpened: EventPayload {
    package var recoveryID: RecoveryID
    /// The user whose credentials are to be replaced.
    package var userID: UserID
    /// The tenant that decides.
    package var tenant: TenantID
    /// The user's account in that tenant.
    package var employeeID: EmployeeID
    /// The fingerprint of the only device key with which new credentials may be set.
    package var fingerprint: KeyFingerprint
    package var credentialID: CredentialID
    /// When the recovery expires.
    package var expiresAt: Timestamp
    /// The user behind the employee who opened it. Two accounts of one user are one person.
    package var openerID: UserID
    /// When new credentials may be set from, unless a known key confirms.
    package var availableAt: Timestamp
    /// Whether the tenant had no second admin who could confirm. One decision then suffices, after twice the delay.
    package var soleAdmin = false
    package var by: Authority

    package static let members = EventMembers<RecoveryOpened>(
        "RecoveryOpened", RecoveryOpened.init,
        Member("recoveryId", \.recoveryID), Member("userId", \.userID), Member("tenant", \.tenant),
        Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint),
        Member("credentialId", \.credentialID), Member("expiresAt", \.expiresAt), Member("openerId", \.openerID),
        Member("availableAt", \.availableAt), Member("soleAdmin", \.soleAdmin), Member("by", \.by))
}

/// A recovery was confirmed by a second person, or by an authorized device key of the user: new credentials may be set.
///
/// The same event is recorded in the tenant's ledger, where the signer's authority can be verified.
package struct RecoveryConfirmed: EventPayload {
    package var recoveryID: RecoveryID
    /// The user whose credentials are to be replaced.
    package var userID: UserID
    /// The tenant that decides.
    package var tenant: TenantID
    /// The user's account in that tenant.
    package var employeeID: EmployeeID
    /// The hash of the `RecoveryOpened` entry in the user's directory, 32 bytes.
    package var opened: Bytes32
    /// The user behind the employee who confirmed it, who is never the user who opened it.
    package var confirmerID: UserID
    package var by: Authority

    package static let members = EventMembers<RecoveryConfirmed>(
        "RecoveryConfirmed", RecoveryConfirmed.init,
        Member("recoveryId", \.recoveryID), Member("userId", \.userID), Member("tenant", \.tenant),
        Member("employeeId", \.employeeID), Member("opened", \.opened), Member("confirmerId", \.confirmerID),
        Member("by", \.by))
}

/// A recovery was cancelled before credentials were set: somebody refused it, or the owner logged in.
///
/// The same event is recorded in the tenant's ledger.
package struct RecoveryCancelled: EventPayload {
    package var recoveryID: RecoveryID
    /// The user, who keeps the credentials.
    package var userID: UserID
    /// The tenant that had decided.
    package var tenant: TenantID
    /// The user's account in that tenant.
    package var employeeID: EmployeeID
    package var reason: ReasonCode
    /// The authority that decided; without a statement if the owner logged in.
    package var by: Authority

    package static let members = EventMembers<RecoveryCancelled>(
        "RecoveryCancelled", RecoveryCancelled.init,
        Member("recoveryId", \.recoveryID), Member("userId", \.userID), Member("tenant", \.tenant),
        Member("employeeId", \.employeeID), Member("reason", \.reason), Member("by", \.by))
}
