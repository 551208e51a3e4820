public import Canonical

/// The purpose of a flow.
public enum FlowPurpose: String, Sendable, Hashable, CaseIterable {
    /// Registering an employee.
    case registration
    /// Logging in.
    case login
    /// Changing credentials.
    case change
    /// Returning as the security admin.
    case returning = "return"
}

/// Whether an attempt's device has an authorized key of that user. Each kind has a budget of its own.
public enum DeviceKind: String, Sendable, Hashable, CaseIterable {
    /// The device has an authorized key of that user.
    case known
    /// Any other device, including a stranger's.
    case unknown
}

/// A valid proof, with everything needed to verify it from one ledger alone.
public struct CredentialValidation: Sendable, Equatable {
    /// The employee.
    public var employeeID: EmployeeID
    /// The user behind the employee.
    public var userID: UserID
    /// The credentials that were used.
    public var credentialID: CredentialID
    /// The user key that the right answers or passphrase unlocked.
    public var userKey: PublicKeyBytes
    /// The device key.
    public var employeeKey: PublicKeyBytes
    /// The purpose of the flow.
    public var purpose: FlowPurpose
    /// Where the secret was evaluated: by the service or by the client.
    public var mode: ValidationMode
    /// The challenge: the exact bytes that were signed.
    public var challenge: [UInt8]
    /// The device's signature over the challenge.
    public var deviceSignature: SignatureBytes
    /// The user key's signature over its own tag and the challenge.
    public var userSignature: SignatureBytes
    /// The salt of the challenge's subject commitment, encrypted under the employee's key.
    public var subjectSalt: Personal

    /// Each parameter sets the property of the same name.
    public init(
        employeeID: EmployeeID, userID: UserID, credentialID: CredentialID, userKey: PublicKeyBytes,
        employeeKey: PublicKeyBytes, purpose: FlowPurpose, mode: ValidationMode, challenge: [UInt8],
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

extension CredentialValidation {
    /// The members of `AnswersValidated` and `PassphraseValidated`.
    func json(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(challenge, EventLimits.challenge, "/data/challenge")
        return .object([
            "employeeId": employeeID.json,
            "userId": userID.json,
            "credentialId": credentialID.json,
            "userKey": .bytes(userKey.bytes),
            "employeeKey": .bytes(employeeKey.bytes),
            "purpose": .string(purpose.rawValue),
            "mode": .string(mode.rawValue),
            "challenge": .bytes(challenge),
            "deviceSignature": .bytes(deviceSignature.bytes),
            "userSignature": .bytes(userSignature.bytes),
            "subjectSalt": try coder.seal(subjectSalt, at: "/data/subjectSalt"),
        ])
    }
}

extension EventReader {
    mutating func validation() throws -> CredentialValidation {
        CredentialValidation(
            employeeID: try id("employeeId"), userID: try id("userId"), credentialID: try id("credentialId"),
            userKey: try key("userKey"), employeeKey: try key("employeeKey"), purpose: try one("purpose"),
            mode: try one("mode"), challenge: try bytes("challenge", EventLimits.challenge),
            deviceSignature: try signature("deviceSignature"), userSignature: try signature("userSignature"),
            subjectSalt: try personal("subjectSalt"))
    }
}

/// The passphrase unlocked the user key.
public struct PassphraseValidated: EventPayload {
    /// The permanent type name of the event.
    public static let type = "PassphraseValidated"
    /// The proof and its signatures.
    public var validation: CredentialValidation

    /// Each parameter sets the member of the same name.
    public init(validation: CredentialValidation) {
        self.validation = validation
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try validation.json(using: coder)
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        validation = try reader.validation()
        try reader.finish()
    }
}

/// Three right answers unlocked the user key.
public struct AnswersValidated: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AnswersValidated"
    /// The proof and its signatures.
    public var validation: CredentialValidation

    /// Each parameter sets the member of the same name.
    public init(validation: CredentialValidation) {
        self.validation = validation
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try validation.json(using: coder)
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        validation = try reader.validation()
        try reader.finish()
    }
}
