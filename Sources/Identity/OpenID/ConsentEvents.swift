public import Canonical

/// An employee consented that a client learns what some scopes say.
public struct ConsentGiven: EventPayload {
    /// The employee.
    public var employeeID: EmployeeID
    /// The client.
    public var clientID: AppID
    /// All scopes that are consented to from now on.
    public var scopes: Set<OpenIDScope>

    /// The members as the log has them.
    public static let members = EventMembers<ConsentGiven>(
        "ConsentGiven", ConsentGiven.init,
        Member("employeeId", \.employeeID), Member("clientId", \.clientID), Member("scopes", \.scopes, .scopes))
}

/// An employee withdrew a consent; the client's grants end with it.
public struct ConsentWithdrawn: EventPayload {
    /// The employee.
    public var employeeID: EmployeeID
    /// The client.
    public var clientID: AppID

    /// The members as the log has them.
    public static let members = EventMembers<ConsentWithdrawn>(
        "ConsentWithdrawn", ConsentWithdrawn.init,
        Member("employeeId", \.employeeID), Member("clientId", \.clientID))
}
