/// What an event changes in the rows beside the log, in the append that records it.
package enum EventEffect: Sendable, Hashable {
    /// A device key of an account is in force.
    case keyInForce(PublicKeyBytes, of: EmployeeID)
    /// A device key of an account is not in force any more.
    case keyEnded(PublicKeyBytes, of: EmployeeID)
    /// No device key of an account is in force any more.
    case keysEnded(of: EmployeeID)
    /// Sessions through an app end.
    case linkEnded(AppID)
    /// Sessions that a secret opened end.
    case secretEnded(SecretID)
}

extension EventPayload {
    /// What the event changes in the rows beside the log.
    package var effects: [EventEffect] {
        switch self {
        case let event as EmployeeKeyAuthorized: [.keyInForce(event.key, of: event.employeeID)]
        case let event as ReturnCompleted: [.keyInForce(event.proof.key, of: event.employeeID)]
        case let event as EmployeeKeyRefused: [.keyEnded(event.key, of: event.employeeID)]
        case let event as EmployeeKeyRevoked: [.keyEnded(event.key, of: event.employeeID)]
        // A cancelled employee keeps the budget of known devices, so strangers cannot hide the reason from them.
        case let event as EmailReclaimed: [.keysEnded(of: event.employeeID)]
        case let event as EmployeeIdReleased: [.keysEnded(of: event.employeeID)]
        case let event as EmployeeErased: [.keysEnded(of: event.employeeID)]
        case let event as AppUnlinked: [.linkEnded(event.appID)]
        case let event as AppSecretRevoked: [.secretEnded(event.secretID)]
        default: []
        }
    }
}
