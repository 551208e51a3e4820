extension Employee {
    /// Registers: the account, its first key, and the key's authorization where founding gives it.
    static func decide(_ state: State, _ register: Register) throws(Rejection) -> [EmployeeEvent] {
        guard state.account == nil else { throw .alreadyRegistered }
        guard !register.isCompanyOwnedEmail || register.email.isOwned(by: register.companyName) else {
            throw .emailNotCompanyOwned
        }
        let id = register.employeeID
        var events: [EmployeeEvent] = [
            .registered(
                EmployeeRegistered(
                    employeeID: id, userID: register.userID,
                    companyName: register.isFounding ? register.companyName.entered : nil,
                    companyEmployeeID: Personal(id, register.companyEmployeeID.entered),
                    email: Personal(id, register.email.entered), isCompanyOwnedEmail: register.isCompanyOwnedEmail,
                    approved: register.isFounding || register.policy.approval == .automatic)),
            .keyPresented(EmployeeKeyPresented(employeeID: id, key: register.key, flow: register.flow, first: true)),
        ]
        if register.isFounding {
            events.append(
                .keyAuthorized(EmployeeKeyAuthorized(employeeID: id, key: register.key, by: .founding)))
        }
        return events
    }
}
