public import Canonical

/// A second person confirmed a recovery, or a device of the user did that is authorized: new credentials may be set.
///
/// The same event is recorded in the company's ledger, where the signer's authority can be followed.
public struct RecoveryConfirmed: EventPayload {
    /// The permanent name.
    public static let type = "RecoveryConfirmed"
    /// The recovery.
    public var recoveryID: RecoveryID
    /// The user whose credentials are to be replaced.
    public var userID: UserID
    /// The company that decides.
    public var tenant: TenantID
    /// The user's account in that company.
    public var employeeID: EmployeeID
    /// The hash of the `RecoveryOpened` entry in the user's directory, 32 bytes.
    public var opened: Bytes32
    /// The user behind whoever confirmed it: never who opened it.
    public var confirmerID: UserID
    /// Who decided.
    public var by: Authority

    /// Makes the event.
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

    /// The member `data`.
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

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
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
