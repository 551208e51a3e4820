public import Canonical

/// A budget, or the share of it that an app or a company has, is spent.
public struct CredentialsLocked: EventPayload {
    /// The permanent name.
    public static let type = "CredentialsLocked"
    /// The credentials.
    public var credentialID: CredentialID
    /// Which budget.
    public var device: DeviceKind
    /// When attempts are taken again; absent when the credentials must be changed first.
    public var until: Timestamp?

    /// Makes the event.
    public init(credentialID: CredentialID, device: DeviceKind, until: Timestamp? = nil) {
        self.credentialID = credentialID
        self.device = device
        self.until = until
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "credentialId": credentialID.json,
            "device": .string(device.rawValue),
            "until": until.map(JSONValue.timestamp),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        credentialID = try reader.id("credentialId")
        device = try reader.one("device")
        until = try reader.optionalTime("until")
        try reader.finish()
    }
}
