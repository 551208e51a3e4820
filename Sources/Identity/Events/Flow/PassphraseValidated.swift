public import Canonical

/// The passphrase opened the user key.
public struct PassphraseValidated: EventPayload {
    /// The permanent name.
    public static let type = "PassphraseValidated"
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
