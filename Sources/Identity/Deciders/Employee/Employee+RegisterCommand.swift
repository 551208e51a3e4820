extension Employee {
    /// Makes the account, with its first key.
    public struct Register: Sendable, Equatable {
        /// The new employee, random.
        public var employeeID: EmployeeID
        /// The user behind the employee.
        public var userID: UserID
        /// The company.
        public var companyName: CompanyName
        /// The employee id.
        public var companyEmployeeID: CompanyEmployeeID
        /// The address.
        public var email: EmailAddress
        /// Whether the address is claimed for the company.
        public var isCompanyOwnedEmail: Bool
        /// Whether this registration founds the tenant: its ledger is empty.
        public var isFounding: Bool
        /// The tenant's policy; of no effect when founding.
        public var policy: TenantPolicy
        /// The key of the device.
        public var key: PublicKeyBytes
        /// The flow.
        public var flow: FlowID

        /// Makes the command.
        public init(
            employeeID: EmployeeID, userID: UserID, companyName: CompanyName, companyEmployeeID: CompanyEmployeeID,
            email: EmailAddress, isCompanyOwnedEmail: Bool, isFounding: Bool, policy: TenantPolicy,
            key: PublicKeyBytes, flow: FlowID
        ) {
            self.employeeID = employeeID
            self.userID = userID
            self.companyName = companyName
            self.companyEmployeeID = companyEmployeeID
            self.email = email
            self.isCompanyOwnedEmail = isCompanyOwnedEmail
            self.isFounding = isFounding
            self.policy = policy
            self.key = key
            self.flow = flow
        }
    }
}
