import Canonical

/// An employee consented that a client learns what some scopes say.
package struct ConsentGiven: EventPayload {
    package var employeeID: EmployeeID
    package var clientID: AppID
    /// All scopes that are consented to from now on.
    package var scopes: Set<OpenIDScope>

    package static let members = EventMembers<ConsentGiven>(
        "ConsentGiven", ConsentGiven.init,
        Member("employeeId", \.employeeID), Member("clientId", \.clientID), Member("scopes", \.scopes, .scopes))
}

/// An employee withdrew a consent, or what a client that asks nobody has; the client's grants end with it.
package struct ConsentWithdrawn: EventPayload {
    package var employeeID: EmployeeID
    package var clientID: AppID

    package static let members = EventMembers<ConsentWithdrawn>(
        "ConsentWithdrawn", ConsentWithdrawn.init,
        Member("employeeId", \.employeeID), Member("clientId", \.clientID))
}
