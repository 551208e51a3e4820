public import Canonical

/// An employee has an account in the tenant; the first such event founds it.
public struct EmployeeRegistered: EventPayload {
    /// The permanent name.
    public static let type = "EmployeeRegistered"
    /// The employee.
    public var employeeID: EmployeeID
    /// The user behind the employee.
    public var userID: UserID
    /// The company name as first entered; exactly in the event that founds the tenant.
    public var companyName: String?
    /// The employee id as entered, under the employee's key.
    public var companyEmployeeID: Personal
    /// The e-mail address as entered, under the employee's key.
    public var email: Personal
    /// Whether the address was claimed for the company, whose name is its domain.
    public var isCompanyOwnedEmail: Bool
    /// Whether founding or the policy approved the employee at once.
    public var approved: Bool

    /// Makes the event.
    public init(
        employeeID: EmployeeID, userID: UserID, companyName: String? = nil, companyEmployeeID: Personal,
        email: Personal, isCompanyOwnedEmail: Bool, approved: Bool
    ) {
        self.employeeID = employeeID
        self.userID = userID
        self.companyName = companyName
        self.companyEmployeeID = companyEmployeeID
        self.email = email
        self.isCompanyOwnedEmail = isCompanyOwnedEmail
        self.approved = approved
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        if let companyName { try EventLimits.check(companyName, EventLimits.name, "/data/companyName") }
        return try .objectOmittingNil([
            "employeeId": employeeID.json,
            "userId": userID.json,
            "companyName": companyName.map(JSONValue.string),
            "companyEmployeeId": coder.seal(companyEmployeeID, at: "/data/companyEmployeeId"),
            "email": coder.seal(email, at: "/data/email"),
            "isCompanyOwnedEmail": .bool(isCompanyOwnedEmail),
            "approved": .bool(approved),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        userID = try reader.id("userId")
        companyName = try reader.optionalText("companyName")
        companyEmployeeID = try reader.personal("companyEmployeeId")
        email = try reader.personal("email")
        isCompanyOwnedEmail = try reader.bool("isCompanyOwnedEmail")
        approved = try reader.bool("approved")
        try reader.finish()
    }
}
