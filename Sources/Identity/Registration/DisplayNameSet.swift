import Canonical

/// The owner of an account set the name that colleagues see, or removed it.
package struct DisplayNameSet: EventPayload {
    package var employeeID: EmployeeID
    /// The name, encrypted under the employee's key; `nil` for none.
    package var name: Personal?

    package static let members = EventMembers<DisplayNameSet>(
        "DisplayNameSet", DisplayNameSet.init,
        Member("employeeId", \.employeeID), Member(optional: "name", \.name))

    package init(employeeID: EmployeeID, name: Personal?) {
        self.employeeID = employeeID
        self.name = name
    }
}

extension Employee {
    /// The command that sets the name that colleagues see, or removes it.
    package struct SetDisplayName: Sendable, Equatable {
        package var name: DisplayName?

        package init(name: DisplayName?) { self.name = name }
    }

    /// Sets the name. Whether it is another one is what the caller sees to.
    ///
    /// - Throws: ``Rejection``.
    static func decide(_ state: State, _ set: SetDisplayName) throws(Rejection) -> [EmployeeEvent] {
        guard let account = state.account else { throw .unknownEmployee }
        guard !account.isCancelled else { throw .inactive }
        guard state.displayNamings < namingLimit else { throw .tooManyNames }
        return [
            .displayNameSet(
                DisplayNameSet(employeeID: account.id, name: set.name.map { Personal(account.id, $0.text) }))
        ]
    }
}
