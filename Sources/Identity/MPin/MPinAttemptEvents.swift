public import Canonical

/// A proof was wrong.
public struct MPinAuthenticationFailed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinAuthenticationFailed"
    /// The number of consecutive wrong proofs, this one included.
    public var failures: Int
    /// The number of consecutive wrong proofs that blocks the identity.
    public var limit: Int
    /// The number of wrong proofs since the identity started, this one included.
    public var lifetime: Int

    /// Each parameter sets the member of the same name.
    public init(failures: Int, limit: Int, lifetime: Int) {
        self.failures = failures
        self.limit = limit
        self.lifetime = lifetime
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(failures, EventLimits.count, "/data/failures")
        try EventLimits.check(limit, EventLimits.count, "/data/limit")
        try EventLimits.check(lifetime, EventLimits.count, "/data/lifetime")
        return .objectOmittingNil([
            "failures": .integer(Int64(failures)),
            "limit": .integer(Int64(limit)),
            "lifetime": .integer(Int64(lifetime)),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        failures = try reader.count("failures")
        limit = try reader.count("limit")
        lifetime = try reader.count("lifetime")
        try reader.finish()
    }
}

/// A right proof set the count of consecutive wrong proofs back to zero.
public struct MPinFailuresCleared: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinFailuresCleared"

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

/// Wrong proofs ended the identity for good.
public struct MPinBlocked: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinBlocked"
    /// The limit that was reached.
    public var reason: MPinBlockReason

    /// Each parameter sets the member of the same name.
    public init(reason: MPinBlockReason) {
        self.reason = reason
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "reason": .string(reason.rawValue)
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        reason = try reader.one("reason")
        try reader.finish()
    }
}

/// The identity ended for good by a decision or by a rule.
public struct MPinRevoked: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinRevoked"
    /// The reason, as a code.
    public var reason: MPinRevocationReason
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(reason: MPinRevocationReason, by: Authority) {
        self.reason = reason
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "reason": .string(reason.rawValue),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        reason = try reader.one("reason")
        by = try reader.authority()
        try reader.finish()
    }
}

/// The identity's personal data was erased: its key is destroyed with this event or right after it.
public struct MPinErased: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinErased"
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(by: Authority) {
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "by": by.json()
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        by = try reader.authority()
        try reader.finish()
    }
}

/// A flow received a right proof of an identity.
public struct MPinAuthenticated: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinAuthenticated"
    /// The identity.
    public var identityID: MPinIdentityID

    /// Each parameter sets the member of the same name.
    public init(identityID: MPinIdentityID) {
        self.identityID = identityID
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "identityId": identityID.json
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        identityID = try reader.id("identityId")
        try reader.finish()
    }
}

/// A flow took a proof of an M-Pin identity in the place of answers, and its device signed the flow's challenge.
///
/// The signature is verifiable by anybody. The verdict about the PIN is the word of the service.
public struct MPinValidated: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinValidated"
    /// The challenge: the exact bytes that were signed.
    public var challenge: [UInt8]
    /// The device's signature over the challenge.
    public var deviceSignature: SignatureBytes

    /// Each parameter sets the member of the same name.
    public init(challenge: [UInt8], deviceSignature: SignatureBytes) {
        self.challenge = challenge
        self.deviceSignature = deviceSignature
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(challenge, EventLimits.challenge, "/data/challenge")
        return .objectOmittingNil([
            "challenge": .bytes(challenge),
            "deviceSignature": .bytes(deviceSignature.bytes),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        challenge = try reader.bytes("challenge", EventLimits.challenge)
        deviceSignature = try reader.signature("deviceSignature")
        try reader.finish()
    }
}
