public import Canonical

/// A recovery was opened: the first of two decisions that give new credentials to a user who has lost every credential.
///
/// The same event is recorded in the tenant's ledger, where the signer's authority can be verified.
public struct RecoveryOpened: EventPayload {
    /// The permanent type name of the event.
    public static let type = "RecoveryOpened"
    /// Version 2 fixes the time from which new credentials may be set.
    public static let schemas = 1...2
    /// The schema version that the event is written in.
    public var schema: Int
    /// The recovery.
    public var recoveryID: RecoveryID
    /// The user whose credentials are to be replaced.
    public var userID: UserID
    /// The tenant that decides.
    public var tenant: TenantID
    /// The user's account in that tenant.
    public var employeeID: EmployeeID
    /// The fingerprint of the only device key with which new credentials may be set.
    public var fingerprint: KeyFingerprint
    /// The credentials to be replaced.
    public var credentialID: CredentialID
    /// When the recovery expires.
    public var expiresAt: Timestamp
    /// The user behind the employee who opened it. Two accounts of one user are one person.
    public var openerID: UserID
    /// The authority that decided.
    public var by: Authority
    /// When new credentials may be set from, unless a known key confirms; `nil` in version 1.
    public var availableAt: Timestamp?
    /// Whether the tenant had no second admin who could confirm. One decision then suffices, after twice the delay.
    public var soleAdmin: Bool

    /// Each parameter sets the member of the same name.
    public init(
        recoveryID: RecoveryID, userID: UserID, tenant: TenantID, employeeID: EmployeeID, fingerprint: KeyFingerprint,
        credentialID: CredentialID, expiresAt: Timestamp, openerID: UserID, availableAt: Timestamp?,
        soleAdmin: Bool = false, by: Authority, schema: Int = 2
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
        self.availableAt = availableAt
        self.soleAdmin = soleAdmin
        self.schema = schema
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
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
            "availableAt": availableAt.map(JSONValue.timestamp),
            "soleAdmin": schema >= 2 ? .bool(soleAdmin) : nil,
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
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
        self.schema = schema
        availableAt = schema >= 2 ? try reader.time("availableAt") : nil
        soleAdmin = schema >= 2 ? try reader.bool("soleAdmin") : false
        try reader.finish()
    }
}

/// A recovery was confirmed by a second person, or by an authorized device key of the user: new credentials may be set.
///
/// The same event is recorded in the tenant's ledger, where the signer's authority can be verified.
public struct RecoveryConfirmed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "RecoveryConfirmed"
    /// The recovery.
    public var recoveryID: RecoveryID
    /// The user whose credentials are to be replaced.
    public var userID: UserID
    /// The tenant that decides.
    public var tenant: TenantID
    /// The user's account in that tenant.
    public var employeeID: EmployeeID
    /// The hash of the `RecoveryOpened` entry in the user's directory, 32 bytes.
    public var opened: Bytes32
    /// The user behind the employee who confirmed it, who is never the user who opened it.
    public var confirmerID: UserID
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        recoveryID: RecoveryID, userID: UserID, tenant: TenantID, employeeID: EmployeeID, opened: Bytes32,
        confirmerID: UserID, by: Authority
    ) {
        self.recoveryID = recoveryID
        self.userID = userID
        self.tenant = tenant
        self.employeeID = employeeID
        self.opened = opened
        self.confirmerID = confirmerID
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "recoveryId": recoveryID.json,
            "userId": userID.json,
            "tenant": tenant.json,
            "employeeId": employeeID.json,
            "opened": .bytes(opened.bytes),
            "confirmerId": confirmerID.json,
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        recoveryID = try reader.id("recoveryId")
        userID = try reader.id("userId")
        tenant = try reader.id("tenant")
        employeeID = try reader.id("employeeId")
        opened = try reader.bytes32("opened")
        confirmerID = try reader.id("confirmerId")
        by = try reader.authority()
        try reader.finish()
    }
}

/// A recovery was cancelled before credentials were set: somebody refused it, or the owner logged in.
///
/// The same event is recorded in the tenant's ledger.
public struct RecoveryCancelled: EventPayload {
    /// The permanent type name of the event.
    public static let type = "RecoveryCancelled"
    /// The recovery.
    public var recoveryID: RecoveryID
    /// The user, who keeps the credentials.
    public var userID: UserID
    /// The tenant that had decided.
    public var tenant: TenantID
    /// The user's account in that tenant.
    public var employeeID: EmployeeID
    /// The reason, as a code.
    public var reason: ReasonCode
    /// The authority that decided; without a statement if the owner logged in.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        recoveryID: RecoveryID, userID: UserID, tenant: TenantID, employeeID: EmployeeID, reason: ReasonCode,
        by: Authority
    ) {
        self.recoveryID = recoveryID
        self.userID = userID
        self.tenant = tenant
        self.employeeID = employeeID
        self.reason = reason
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "recoveryId": recoveryID.json,
            "userId": userID.json,
            "tenant": tenant.json,
            "employeeId": employeeID.json,
            "reason": .string(reason.text),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        recoveryID = try reader.id("recoveryId")
        userID = try reader.id("userId")
        tenant = try reader.id("tenant")
        employeeID = try reader.id("employeeId")
        reason = try reader.reason("reason")
        by = try reader.authority()
        try reader.finish()
    }
}
