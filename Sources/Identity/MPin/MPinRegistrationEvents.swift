public import Canonical

/// The registration of an M-Pin identity started: one user id on one device.
public struct MPinRegistrationStarted: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinRegistrationStarted"
    /// The identity.
    public var identityID: MPinIdentityID
    /// The SHA-256 of the M-Pin ID, whose 16 random bytes salt it. The M-Pin ID itself contains the user id and is
    /// never recorded.
    public var mpinIDHash: Bytes32
    /// The user id as entered, encrypted under the identity's own key.
    public var userID: Personal
    /// The name of the device, encrypted under the identity's own key.
    public var deviceName: Personal?
    /// How the identity is to be verified, as the policy said at the start.
    public var verification: MPinVerificationMode
    /// When the registration expires unless it is verified before.
    public var expiresAt: Timestamp

    /// Each parameter sets the member of the same name.
    public init(
        identityID: MPinIdentityID, mpinIDHash: Bytes32, userID: Personal, deviceName: Personal? = nil,
        verification: MPinVerificationMode, expiresAt: Timestamp
    ) {
        self.identityID = identityID
        self.mpinIDHash = mpinIDHash
        self.userID = userID
        self.deviceName = deviceName
        self.verification = verification
        self.expiresAt = expiresAt
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "identityId": identityID.json,
            "mpinIdHash": .bytes(mpinIDHash.bytes),
            "userId": coder.seal(userID, at: "/data/userId"),
            "deviceName": try deviceName.map { try coder.seal($0, at: "/data/deviceName") },
            "verification": .string(verification.rawValue),
            "expiresAt": .timestamp(expiresAt),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        identityID = try reader.id("identityId")
        mpinIDHash = try reader.bytes32("mpinIdHash")
        userID = try reader.personal("userId")
        deviceName = try reader.optionalPersonal("deviceName")
        verification = try reader.one("verification")
        expiresAt = try reader.time("expiresAt")
        try reader.finish()
    }
}

/// The registration of an identity started again, unverified. Counts of failed attempts stay.
public struct MPinRegistrationRestarted: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinRegistrationRestarted"
    /// When the registration expires unless it is verified before.
    public var expiresAt: Timestamp

    /// Each parameter sets the member of the same name.
    public init(expiresAt: Timestamp) {
        self.expiresAt = expiresAt
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "expiresAt": .timestamp(expiresAt)
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        expiresAt = try reader.time("expiresAt")
        try reader.finish()
    }
}

/// An identity was linked to an employee's account, which only a device key of that account decides.
public struct MPinLinked: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinLinked"
    /// The employee.
    public var employeeID: EmployeeID
    /// The device key that decided: the identity belongs to that device.
    public var fingerprint: KeyFingerprint
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(employeeID: EmployeeID, fingerprint: KeyFingerprint, by: Authority) {
        self.employeeID = employeeID
        self.fingerprint = fingerprint
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "employeeId": employeeID.json,
            "fingerprint": .string(fingerprint.description),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        employeeID = try reader.id("employeeId")
        fingerprint = try reader.fingerprint("fingerprint")
        by = try reader.authority()
        try reader.finish()
    }
}

/// An identity was verified, and a client key may be issued for it.
public struct MPinIdentityVerified: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinIdentityVerified"
    /// How it was verified.
    public var method: MPinVerificationMethod
    /// When the registration expires unless it is completed before.
    public var issueUntil: Timestamp
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(method: MPinVerificationMethod, issueUntil: Timestamp, by: Authority) {
        self.method = method
        self.issueUntil = issueUntil
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "method": .string(method.rawValue),
            "issueUntil": .timestamp(issueUntil),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        method = try reader.one("method")
        issueUntil = try reader.time("issueUntil")
        by = try reader.authority()
        try reader.finish()
    }
}

/// The service issued its share of the identity's client key. Repetitions return the same share without an event.
public struct MPinClientKeyIssued: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinClientKeyIssued"
    /// The suite that the key belongs to.
    public var suite: MPinKeySuite
    /// The epoch of the master secrets that the key derives from.
    public var epoch: Int
    /// The push identifier of the device, encrypted under the identity's own key.
    public var pushIdentifier: Personal?

    /// Each parameter sets the member of the same name.
    public init(suite: MPinKeySuite, epoch: Int, pushIdentifier: Personal? = nil) {
        self.suite = suite
        self.epoch = epoch
        self.pushIdentifier = pushIdentifier
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(epoch, EventLimits.count, "/data/epoch")
        return .objectOmittingNil([
            "suite": .string(suite.rawValue),
            "epoch": .integer(Int64(epoch)),
            "pushIdentifier": try pushIdentifier.map { try coder.seal($0, at: "/data/pushIdentifier") },
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        suite = try reader.one("suite")
        epoch = try reader.count("epoch")
        pushIdentifier = try reader.optionalPersonal("pushIdentifier")
        try reader.finish()
    }
}

/// The client proved its token for the first time, which completes the registration.
public struct MPinRegistered: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinRegistered"

    /// The event has no members.
    public init() {}

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .object([:])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        let reader = try EventReader(data, coder)
        try reader.finish()
    }
}
