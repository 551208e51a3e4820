public import Canonical

/// A recovery ended before credentials were set: somebody refused it, or the owner logged in.
///
/// The same event is recorded in the company's ledger.
public struct RecoveryCancelled: EventPayload {
    /// The permanent name.
    public static let type = "RecoveryCancelled"
    /// The recovery.
    public var recoveryID: RecoveryID
    /// The user whose credentials stay.
    public var userID: UserID
    /// The company that had decided.
    public var tenant: TenantID
    /// The user's account in that company.
    public var employeeID: EmployeeID
    /// Why, as a code.
    public var reason: ReasonCode
    /// Who decided; without a statement where the owner logged in.
    public var by: Authority

    /// Makes the event.
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

    /// The member `data`.
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

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
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
