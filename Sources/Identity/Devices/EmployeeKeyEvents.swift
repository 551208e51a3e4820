import Canonical

/// What holds the private half of a device key.
package enum DeviceKeyKind: String, Sendable, Hashable, CaseIterable, MemberValue {
    case software
    /// An authenticator (WebAuthn), whose evidence is an assertion.
    case passkey
}

/// A device presented a key, which is pending.
package struct EmployeeKeyPresented: EventPayload {
    package var employeeID: EmployeeID
    /// The public half of the device key.
    package var key: PublicKeyBytes
    /// What holds the private half.
    package var kind = DeviceKeyKind.software
    /// The flow in which the device proved possession of the key.
    package var flow: FlowID
    package var first: Bool
    /// What is fixed of a passkey: present exactly if the key is one.
    package var passkey: PasskeyFacts?

    package static let members = EventMembers<EmployeeKeyPresented>(
        "EmployeeKeyPresented", EmployeeKeyPresented.init,
        Member("employeeId", \.employeeID), Member("key", \.key), Member("kind", \.kind), Member("flow", \.flow),
        Member("first", \.first), Member(optional: "passkey", \.passkey))
}

/// A device key was authorized: it may log in for the employee.
package struct EmployeeKeyAuthorized: EventPayload {
    package var employeeID: EmployeeID
    /// The public half of the device key.
    package var key: PublicKeyBytes
    package var by: Authority

    package static let members = EventMembers<EmployeeKeyAuthorized>(
        "EmployeeKeyAuthorized", EmployeeKeyAuthorized.init,
        Member("employeeId", \.employeeID), Member("key", \.key), Member("by", \.by))
}

/// A pending device key was refused for good.
package struct EmployeeKeyRefused: EventPayload {
    package var employeeID: EmployeeID
    /// The public half of the device key.
    package var key: PublicKeyBytes
    package var reason: ReasonCode
    /// The reason, in free text.
    package var note: Personal?
    package var by: Authority

    package static let members = EventMembers<EmployeeKeyRefused>(
        "EmployeeKeyRefused", EmployeeKeyRefused.init,
        Member("employeeId", \.employeeID), Member("key", \.key), Member("reason", \.reason),
        Member(optional: "note", \.note), Member("by", \.by))
}

/// An authorized device key was revoked for good.
package struct EmployeeKeyRevoked: EventPayload {
    package var employeeID: EmployeeID
    /// The public half of the device key.
    package var key: PublicKeyBytes
    package var reason: ReasonCode
    /// The reason, in free text.
    package var note: Personal?
    package var by: Authority

    package static let members = EventMembers<EmployeeKeyRevoked>(
        "EmployeeKeyRevoked", EmployeeKeyRevoked.init,
        Member("employeeId", \.employeeID), Member("key", \.key), Member("reason", \.reason),
        Member(optional: "note", \.note), Member("by", \.by))
}

/// The owner of an account gave a device a name.
package struct DeviceNamed: EventPayload {
    package var employeeID: EmployeeID
    package var fingerprint: KeyFingerprint
    /// The name, encrypted under the employee's key.
    package var name: Personal

    package static let members = EventMembers<DeviceNamed>(
        "DeviceNamed", DeviceNamed.init,
        Member("employeeId", \.employeeID), Member("fingerprint", \.fingerprint), Member("name", \.name))

    package init(employeeID: EmployeeID, fingerprint: KeyFingerprint, name: Personal) {
        self.employeeID = employeeID
        self.fingerprint = fingerprint
        self.name = name
    }
}
