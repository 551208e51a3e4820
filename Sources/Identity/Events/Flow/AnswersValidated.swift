public import Canonical

/// Three right answers opened the user key.
public struct AnswersValidated: EventPayload {
    /// The permanent name.
    public static let type = "AnswersValidated"
    /// What was proved and signed.
    public var validation: CredentialValidation

    /// Makes the event.
    public init(validation: CredentialValidation) {
        self.validation = validation
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try validation.json(using: coder)
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        validation = try reader.validation()
        try reader.finish()
    }
}
