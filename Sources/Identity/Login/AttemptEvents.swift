public import Canonical

/// An attempt was charged, before the evaluation that it pays for.
public struct AttemptCharged: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AttemptCharged"
    /// The credentials.
    public var credentialID: CredentialID
    /// The flow.
    public var flow: FlowID
    /// The budget that was charged.
    public var device: DeviceKind
    /// The fingerprint of the device's key.
    public var fingerprint: KeyFingerprint
    /// How much of the budget is spent, this charge included.
    public var spent: Int
    /// The size of the budget.
    public var limit: Int

    /// Each parameter sets the member of the same name.
    public init(
        credentialID: CredentialID, flow: FlowID, device: DeviceKind, fingerprint: KeyFingerprint, spent: Int,
        limit: Int
    ) {
        self.credentialID = credentialID
        self.flow = flow
        self.device = device
        self.fingerprint = fingerprint
        self.spent = spent
        self.limit = limit
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
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

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
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

/// A successful flow's charges were refunded.
public struct AttemptsCleared: EventPayload {
    /// The permanent type name of the event.
    public static let type = "AttemptsCleared"
    /// The credentials.
    public var credentialID: CredentialID
    /// The flow.
    public var flow: FlowID
    /// The charge.
    public var charge: ChargeID

    /// Each parameter sets the member of the same name.
    public init(credentialID: CredentialID, flow: FlowID, charge: ChargeID) {
        self.credentialID = credentialID
        self.flow = flow
        self.charge = charge
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "credentialId": credentialID.json,
            "flow": flow.json,
            "charge": charge.json,
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        credentialID = try reader.id("credentialId")
        flow = try reader.id("flow")
        charge = try reader.id("charge")
        try reader.finish()
    }
}

/// A budget, or the share of it that an app or a tenant has, is spent.
public struct CredentialsLocked: EventPayload {
    /// The permanent type name of the event.
    public static let type = "CredentialsLocked"
    /// The credentials.
    public var credentialID: CredentialID
    /// The budget that is spent.
    public var device: DeviceKind
    /// When attempts are accepted again; absent if the credentials must be changed first.
    public var until: Timestamp?

    /// Each parameter sets the member of the same name.
    public init(credentialID: CredentialID, device: DeviceKind, until: Timestamp? = nil) {
        self.credentialID = credentialID
        self.device = device
        self.until = until
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "credentialId": credentialID.json,
            "device": .string(device.rawValue),
            "until": until.map(JSONValue.timestamp),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        credentialID = try reader.id("credentialId")
        device = try reader.one("device")
        until = try reader.optionalTime("until")
        try reader.finish()
    }
}
