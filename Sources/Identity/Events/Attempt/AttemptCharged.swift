public import Canonical

/// An attempt was paid for, before what it pays for.
public struct AttemptCharged: EventPayload {
    /// The permanent name.
    public static let type = "AttemptCharged"
    /// The credentials.
    public var credentialID: CredentialID
    /// The flow.
    public var flow: FlowID
    /// Which budget paid.
    public var device: DeviceKind
    /// The fingerprint of the device's key.
    public var fingerprint: Fingerprint
    /// How much of the budget is spent, this charge included.
    public var spent: Int
    /// The size of the budget.
    public var limit: Int

    /// Makes the event.
    public init(
        credentialID: CredentialID, flow: FlowID, device: DeviceKind, fingerprint: Fingerprint, spent: Int, limit: Int
    ) {
        self.credentialID = credentialID
        self.flow = flow
        self.device = device
        self.fingerprint = fingerprint
        self.spent = spent
        self.limit = limit
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(spent, EventLimits.count, "/data/spent")
        try EventLimits.check(limit, EventLimits.count, "/data/limit")
        return .objectOmittingNil([
            "credentialId": credentialID.json,
            "flow": flow.json,
            "device": .string(device.rawValue),
            "fingerprint": .string(fingerprint.description),
            "spent": .integer(Int64(spent)),
            "limit": .integer(Int64(limit)),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        credentialID = try reader.id("credentialId")
        flow = try reader.id("flow")
        device = try reader.one("device")
        fingerprint = try reader.fingerprint("fingerprint")
        spent = try reader.count("spent")
        limit = try reader.count("limit")
        try reader.finish()
    }
}
