public import Canonical

/// A security admin opened a recovery: the first of two decisions by which a user who lost everything gets new credentials.
///
/// The same event is recorded in the company's ledger, where the signer's authority can be followed.
public struct RecoveryOpened: EventPayload {
    /// The permanent name.
    public static let type = "RecoveryOpened"
    /// The recovery.
    public var recoveryID: RecoveryID
    /// The user whose credentials are to be replaced.
    public var userID: UserID
    /// The company that decides.
    public var tenant: TenantID
    /// The user's account in that company.
    public var employeeID: EmployeeID
    /// The fingerprint of the one key with which new credentials may be set.
    public var fingerprint: Fingerprint
    /// The credentials to be replaced.
    public var credentialID: CredentialID
    /// Until when they may be.
    public var expiresAt: Timestamp
    /// The user behind whoever opened it: two accounts of one user are one person.
    public var openerID: UserID
    /// Who decided.
    public var by: Authority

    /// Makes the event.
    public init(
        recoveryID: RecoveryID, userID: UserID, tenant: TenantID, employeeID: EmployeeID, fingerprint: Fingerprint,
        credentialID: CredentialID, expiresAt: Timestamp, openerID: UserID, by: Authority
    ) {
        self.recoveryID = recoveryID
        self.userID = userID
        self.tenant = tenant
        self.employeeID = employeeID
        self.fingerprint = fingerprint
        self.credentialID = credentialID
        self.expiresAt = expiresAt
        self.openerID = openerID
        self.by = by
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "recoveryId": recoveryID.json,
            "userId": userID.json,
            "tenant": tenant.json,
            "employeeId": employeeID.json,
            "fingerprint": .string(fingerprint.description),
            "credentialId": credentialID.json,
            "expiresAt": .timestamp(expiresAt),
            "openerId": openerID.json,
            "by": by.json(),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        recoveryID = try reader.id("recoveryId")
        userID = try reader.id("userId")
        tenant = try reader.id("tenant")
        employeeID = try reader.id("employeeId")
        fingerprint = try reader.fingerprint("fingerprint")
        credentialID = try reader.id("credentialId")
        expiresAt = try reader.time("expiresAt")
        openerID = try reader.id("openerId")
        by = try reader.authority()
        try reader.finish()
    }
}
