/// What a flow is for.
public enum FlowPurpose: String, Sendable, Hashable, CaseIterable {
    /// Registering an employee.
    case registration
    /// Logging in.
    case login
    /// Changing credentials.
    case change
}

/// Whether the device of an attempt has an authorized key of that user: each kind has a budget of its own.
public enum DeviceKind: String, Sendable, Hashable, CaseIterable {
    /// Some key of that user is authorized on the device.
    case known
    /// Any other device, a stranger's included.
    case unknown
}

/// A right challenge: what one ledger needs for it to be verified alone.
public struct CredentialValidation: Sendable, Equatable {
    /// The employee.
    public var employeeID: EmployeeID
    /// The user behind the employee.
    public var userID: UserID
    /// The credentials that were used.
    public var credentialID: CredentialID
    /// The key that the right answers or passphrase opened.
    public var userKey: PublicKeyBytes
    /// The key of the device.
    public var employeeKey: PublicKeyBytes
    /// What the flow was for.
    public var purpose: FlowPurpose
    /// Where the arithmetic was done.
    public var mode: CredentialMode
    /// The challenge: the exact bytes that were signed.
    public var challenge: [UInt8]
    /// The device's signature over the challenge.
    public var deviceSignature: SignatureBytes
    /// The user key's signature over its own tag and the challenge.
    public var userSignature: SignatureBytes
    /// The salt of the subject commitment in the challenge, under the employee's key.
    public var subjectSalt: Personal

    /// Makes a validation.
    public init(
        employeeID: EmployeeID, userID: UserID, credentialID: CredentialID, userKey: PublicKeyBytes,
        employeeKey: PublicKeyBytes, purpose: FlowPurpose, mode: CredentialMode, challenge: [UInt8],
        deviceSignature: SignatureBytes, userSignature: SignatureBytes, subjectSalt: Personal
    ) {
        self.employeeID = employeeID
        self.userID = userID
        self.credentialID = credentialID
        self.userKey = userKey
        self.employeeKey = employeeKey
        self.purpose = purpose
        self.mode = mode
        self.challenge = challenge
        self.deviceSignature = deviceSignature
        self.userSignature = userSignature
        self.subjectSalt = subjectSalt
    }
}
