/// What an event changes in the rows beside the log, in the append that records it.
public enum EventEffect: Sendable, Hashable {
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
    /// Most events change nothing beside the log.
    public var effects: [EventEffect] { [] }
}

extension EmployeeKeyAuthorized {
    /// The device key is in force.
    public var effects: [EventEffect] { [.keyInForce(key, of: employeeID)] }
}

extension ReturnCompleted {
    /// The device key that comes back is in force.
    public var effects: [EventEffect] { [.keyInForce(proof.key, of: employeeID)] }
}

extension EmployeeKeyRefused {
    /// The device key is not in force.
    public var effects: [EventEffect] { [.keyEnded(key, of: employeeID)] }
}

extension EmployeeKeyRevoked {
    /// The device key is not in force any more.
    public var effects: [EventEffect] { [.keyEnded(key, of: employeeID)] }
}

// A cancelled employee keeps the budget of known devices, so strangers cannot hide the reason from them.

extension EmailReclaimed {
    /// The account has lost its device keys.
    public var effects: [EventEffect] { [.keysEnded(of: employeeID)] }
}

extension EmployeeIdReleased {
    /// The account has lost its device keys.
    public var effects: [EventEffect] { [.keysEnded(of: employeeID)] }
}

extension EmployeeErased {
    /// The account has lost its device keys.
    public var effects: [EventEffect] { [.keysEnded(of: employeeID)] }
}

extension AppUnlinked {
    /// The app's sessions end.
    public var effects: [EventEffect] { [.linkEnded(appID)] }
}

extension AppSecretRevoked {
    /// The secret's sessions end.
    public var effects: [EventEffect] { [.secretEnded(secretID)] }
}
