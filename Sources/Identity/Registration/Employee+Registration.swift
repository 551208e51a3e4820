import Canonical

extension Employee {
    /// The command that registers an account with its first device key.
    package struct Register: Sendable, Equatable {
        /// The new employee's random id.
        package var employeeID: EmployeeID
        package var userID: UserID
        package var companyName: CompanyName
        package var companyEmployeeID: CompanyEmployeeID
        package var email: EmailAddress
        /// Whether the address is claimed for the tenant.
        package var isCompanyOwnedEmail: Bool
        /// Whether the tenant may claim it (``Tenant/State/owns(_:as:)``).
        package var mayOwnEmail: Bool
        /// Whether this registration founds the tenant, whose ledger is empty.
        package var isFounding: Bool
        /// The tenant's policy, which has no effect when founding.
        package var policy: TenantPolicy
        package var key: PublicKeyBytes
        package var flow: FlowID
        /// What is fixed of the passkey that the key is, or `nil` if it is none.
        package var passkey: PasskeyFacts?

        package init(
            employeeID: EmployeeID, userID: UserID, companyName: CompanyName, companyEmployeeID: CompanyEmployeeID,
            email: EmailAddress, isCompanyOwnedEmail: Bool, mayOwnEmail: Bool? = nil, isFounding: Bool,
            policy: TenantPolicy, key: PublicKeyBytes, flow: FlowID, passkey: PasskeyFacts? = nil
        ) {
            self.employeeID = employeeID
            self.userID = userID
            self.companyName = companyName
            self.companyEmployeeID = companyEmployeeID
            self.email = email
            self.isCompanyOwnedEmail = isCompanyOwnedEmail
            self.mayOwnEmail = mayOwnEmail ?? email.isOwned(by: companyName)
            self.isFounding = isFounding
            self.policy = policy
            self.key = key
            self.flow = flow
            self.passkey = passkey
        }
    }
}

extension Employee {
    /// Registers the account and its first key, and authorizes the key if the registration founds the tenant.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ register: Register) throws(Rejection) -> [EmployeeEvent] {
        guard state.account == nil else { throw .alreadyRegistered }
        guard !register.isCompanyOwnedEmail || register.mayOwnEmail else { throw .emailNotCompanyOwned }
        guard
            !register.email.isDummy || register.email.isDummy(of: register.companyEmployeeID, in: register.companyName)
        else { throw .emailOutOfScope }
        let id = register.employeeID
        try check(register.passkey, of: register.key, in: state)
        var events: [EmployeeEvent] = [
            .registered(
                EmployeeRegistered(
                    employeeID: id, userID: register.userID,
                    companyName: register.isFounding ? register.companyName.entered : nil,
                    companyEmployeeID: Personal(id, register.companyEmployeeID.entered),
                    email: Personal(id, register.email.entered), isCompanyOwnedEmail: register.isCompanyOwnedEmail,
                    approved: register.isFounding || register.policy.approval == .automatic)),
            .keyPresented(
                EmployeeKeyPresented(
                    employeeID: id, key: register.key, kind: register.passkey == nil ? .software : .passkey,
                    flow: register.flow, first: true, passkey: register.passkey)),
        ]
        if register.isFounding {
            events.append(
                .keyAuthorized(EmployeeKeyAuthorized(employeeID: id, key: register.key, by: .founding)))
        }
        return events
    }
}

/// An employee registered; the first such event founds the tenant.
package struct EmployeeRegistered: EventPayload {
    package var employeeID: EmployeeID
    package var userID: UserID
    /// The tenant's name as first entered; present exactly in the event that founds the tenant.
    package var companyName: String?
    /// The employee id as entered, encrypted under the employee's key.
    package var companyEmployeeID: Personal
    /// The e-mail address as entered, encrypted under the employee's key.
    package var email: Personal
    /// Whether the address was claimed for the tenant, whose name is its domain.
    package var isCompanyOwnedEmail: Bool
    /// Whether founding or the policy approved the employee at once.
    package var approved: Bool

    package static let members = EventMembers<EmployeeRegistered>(
        "EmployeeRegistered", EmployeeRegistered.init,
        Member("employeeId", \.employeeID), Member("userId", \.userID),
        Member(optional: "companyName", \.companyName, .name), Member("companyEmployeeId", \.companyEmployeeID),
        Member("email", \.email), Member("isCompanyOwnedEmail", \.isCompanyOwnedEmail),
        Member("approved", \.approved))
}
