extension Tenant {
    /// What somebody wants of a tenant.
    public enum Command: Sendable, Equatable {
        /// Link the app through which the tenant is founded; goes into the founding append.
        case found(AppID)
        /// Set the rules, all of them.
        case changePolicy(TenantPolicy, Decision)
        /// Confirm that the tenant controls a domain, which must be the company's name.
        case confirmDomain(CompanyName, Decision)
        /// Let an app act for the tenant.
        case linkApp(AppID, Decision)
        /// Let an app not act for the tenant any more.
        case unlinkApp(AppID, Decision)
        /// Make an employee, whose status is given, an admin.
        case appointAdmin(EmployeeID, status: EmployeeStatus, Decision)
        /// Make an admin an ordinary employee again.
        case dismissAdmin(EmployeeID, Decision)
        /// Make an employee, whose status is given, the security admin in place of the one before.
        case succeedSecurityAdmin(EmployeeID, status: EmployeeStatus, Decision)
    }

    /// Somebody's decision about the tenant.
    public struct Decision: Sendable, Equatable {
        /// Who decides.
        public var caller: Caller
        /// What they signed, when they signed; verified before.
        public var statement: SignedStatement?

        /// Makes a decision.
        public init(caller: Caller, statement: SignedStatement? = nil) {
            self.caller = caller
            self.statement = statement
        }

        /// The member `by`.
        public var authority: Authority { caller.authority(statement) }
    }

    /// Why a command is refused.
    public enum Rejection: CodedRejection, CaseIterable {
        /// The tenant is founded already.
        case alreadyFounded
        /// There is no such tenant.
        case unknownTenant
        /// The caller may not decide this.
        case notPermitted
        /// The domain is not the company's name.
        case domainNotCompanyName
        /// Only an active employee becomes an admin.
        case inactive
        /// The security admin has that role until somebody succeeded.
        case securityAdmin

        /// The code of the contract.
        public var code: String {
            switch self {
            case .alreadyFounded, .domainNotCompanyName: "request.invalid"
            case .unknownTenant: "company.unknown"
            case .notPermitted, .securityAdmin: "authorization.not_permitted"
            case .inactive: "employee.inactive"
            }
        }
    }
}
