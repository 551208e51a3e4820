public import Canonical

/// A device presented a key, which is pending.
public struct EmployeeKeyPresented: EventPayload {
    /// The employee.
    public var employeeID: EmployeeID
    /// The public half of the device key.
    public var key: PublicKeyBytes
    /// The flow in which the device proved possession of the key.
    public var flow: FlowID
    /// Whether it is the employee's first key.
    public var first: Bool

    /// The members as the log has them.
    public static let members = EventMembers<EmployeeKeyPresented>(
        "EmployeeKeyPresented", EmployeeKeyPresented.init,
        Member("employeeId", \.employeeID), Member("key", \.key), Member("flow", \.flow), Member("first", \.first))
}

/// A device key was authorized: it may log in for the employee.
public struct EmployeeKeyAuthorized: EventPayload {
    /// The employee.
    public var employeeID: EmployeeID
    /// The public half of the device key.
    public var key: PublicKeyBytes
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<EmployeeKeyAuthorized>(
        "EmployeeKeyAuthorized", EmployeeKeyAuthorized.init,
        Member("employeeId", \.employeeID), Member("key", \.key), Member("by", \.by))
}

/// A pending device key was refused for good.
public struct EmployeeKeyRefused: EventPayload {
    /// The employee.
    public var employeeID: EmployeeID
    /// The public half of the device key.
    public var key: PublicKeyBytes
    /// The reason, as a code.
    public var reason: ReasonCode
    /// The reason, in free text.
    public var note: Personal?
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<EmployeeKeyRefused>(
        "EmployeeKeyRefused", EmployeeKeyRefused.init,
        Member("employeeId", \.employeeID), Member("key", \.key), Member("reason", \.reason),
        Member(optional: "note", \.note), Member("by", \.by))
}

/// An authorized device key was revoked for good.
public struct EmployeeKeyRevoked: EventPayload {
    /// The employee.
    public var employeeID: EmployeeID
    /// The public half of the device key.
    public var key: PublicKeyBytes
    /// The reason, as a code.
    public var reason: ReasonCode
    /// The reason, in free text.
    public var note: Personal?
    /// The authority that decided.
    public var by: Authority

    /// The members as the log has them.
    public static let members = EventMembers<EmployeeKeyRevoked>(
        "EmployeeKeyRevoked", EmployeeKeyRevoked.init,
        Member("employeeId", \.employeeID), Member("key", \.key), Member("reason", \.reason),
        Member(optional: "note", \.note), Member("by", \.by))
}
