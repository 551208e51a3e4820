extension Employee {
    /// Why a command is refused.
    public enum Rejection: CodedRejection, CaseIterable {
        /// The account exists.
        case alreadyRegistered
        /// There is no account.
        case unknownEmployee
        /// The address's domain is not the company's name.
        case emailNotCompanyOwned
        /// The employee is cancelled.
        case inactive
        /// No key waits, or is in force, where one must.
        case unknownKey
        /// The key was revoked, which is for ever.
        case keyRevoked
        /// As many keys wait already as may.
        case tooManyWaitingKeys
        /// The caller may not decide this.
        case notPermitted
        /// The key was to authorize itself.
        case selfAuthorization
        /// Another person is needed.
        case anotherPersonNeeded
        /// The security admin cannot go before somebody succeeded.
        case securityAdmin
        /// The address is not owned by the company, or its domain is not confirmed.
        case emailNotReclaimable

        /// The code of the contract.
        public var code: String {
            switch self {
            case .alreadyRegistered: "employee.already_registered"
            case .unknownEmployee: "employee.unknown"
            case .emailNotCompanyOwned: "email.not_company_owned"
            case .inactive: "employee.inactive"
            case .unknownKey: "authorization.unknown_key"
            case .keyRevoked, .tooManyWaitingKeys, .notPermitted, .selfAuthorization, .anotherPersonNeeded,
                .securityAdmin:
                "authorization.not_permitted"
            case .emailNotReclaimable: "email.not_reclaimable"
            }
        }
    }
}
