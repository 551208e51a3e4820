public import Canonical

/// The charges of a flow that ended well were given back.
public struct AttemptsCleared: EventPayload {
    /// The permanent name.
    public static let type = "AttemptsCleared"
    /// The credentials.
    public var credentialID: CredentialID
    /// The flow.
    public var flow: FlowID
    /// The charge.
    public var charge: ChargeID

    /// Makes the event.
    public init(credentialID: CredentialID, flow: FlowID, charge: ChargeID) {
        self.credentialID = credentialID
        self.flow = flow
        self.charge = charge
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "credentialId": credentialID.json,
            "flow": flow.json,
            "charge": charge.json,
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        credentialID = try reader.id("credentialId")
        flow = try reader.id("flow")
        charge = try reader.id("charge")
        try reader.finish()
    }
}
