public import Canonical

extension Employee {
    /// The command that erases an employee.
    public struct Erase: Sendable, Equatable {
        /// The employee's role. Erasing a security admin needs ``includesSecurityAdmin``.
        public var role: EmployeeRole
        /// Whether the tenant may be left without a security admin.
        public var includesSecurityAdmin: Bool
        /// The decision.
        public var decision: AuthorityDecision

        /// Each parameter sets the property of the same name.
        public init(role: EmployeeRole, includesSecurityAdmin: Bool = false, decision: AuthorityDecision) {
            self.role = role
            self.includesSecurityAdmin = includesSecurityAdmin
            self.decision = decision
        }
    }

    /// Erases an employee; does nothing if the employee is erased.
    ///
    /// An employee who is not cancelled is cancelled too, so that readers of cancellations need not handle erasures.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ erase: Erase) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        let subject = AuthoritySubject(account.id, of: account.user, role: erase.role)
        guard AuthorityTable.permits(.erase, about: subject, by: erase.decision) else { throw .notPermitted }
        guard !account.isErased else { return [] }
        guard erase.role != .securityAdmin || erase.includesSecurityAdmin else { throw .securityAdmin }
        let by = erase.decision.authority
        let erased = EmployeeEvent.erased(EmployeeErased(employeeID: account.id, by: by))
        guard !account.isCancelled else { return [erased] }
        return [.cancelled(EmployeeCancelled(employeeID: account.id, reason: .cancelled, by: by)), erased]
    }
}

/// The employee's personal data was erased: its key is destroyed with this event or right after it.
public struct EmployeeErased: EventPayload {
    /// The permanent type name of the event.
    public static let type = "EmployeeErased"
    /// The employee.
    public var employeeID: EmployeeID
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(employeeID: EmployeeID, by: Authority) {
        self.employeeID = employeeID
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        by = try reader.authority()
        try reader.finish()
    }
}

/// The user's personal data and credentials were erased: key and seeds are destroyed with this event or right after it.
///
/// The address, if the user still had one, becomes available.
public struct UserErased: EventPayload {
    /// The permanent type name of the event.
    public static let type = "UserErased"
    /// The user.
    public var userID: UserID
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(userID: UserID, by: Authority) {
        self.userID = userID
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "userId": userID.json,
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        userID = try reader.id("userId")
        by = try reader.authority()
        try reader.finish()
    }
}
