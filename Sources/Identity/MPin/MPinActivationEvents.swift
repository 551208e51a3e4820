public import Canonical

/// An event of an activation.
public enum MPinActivationEvent: AggregateEvent {
    /// A code was issued.
    case issued(MPinActivationIssued)
    /// A wrong code was entered.
    case failed(MPinActivationFailed)
    /// A start used the code.
    case used(MPinActivationUsed)

    /// The event types of this aggregate.
    public static let payloads: [any EventPayload.Type] = [
        MPinActivationIssued.self, MPinActivationFailed.self, MPinActivationUsed.self,
    ]

    /// The payload of the event.
    public var payload: any EventPayload {
        switch self {
        case .issued(let event): event
        case .failed(let event): event
        case .used(let event): event
        }
    }

    /// Wraps a payload of this aggregate; `nil` for any other.
    public init?(_ payload: any EventPayload) {
        switch payload {
        case let event as MPinActivationIssued: self = .issued(event)
        case let event as MPinActivationFailed: self = .failed(event)
        case let event as MPinActivationUsed: self = .used(event)
        default: return nil
        }
    }
}

/// A code that verifies one identity of a user id was issued.
public struct MPinActivationIssued: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinActivationIssued"
    /// The activation.
    public var activationID: MPinActivationID
    /// The keyed digest that an entered code is compared with.
    public var digest: Bytes32
    /// The salted commitment to the user id, which the signed statement names.
    public var subject: Bytes32
    /// The user id that the code is for, encrypted under the activation's own key.
    public var userID: Personal
    /// The salt of the commitment as base64url, encrypted under the activation's own key.
    public var subjectSalt: Personal
    /// When the code expires.
    public var expiresAt: Timestamp
    /// The authority that decided.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        activationID: MPinActivationID, digest: Bytes32, subject: Bytes32, userID: Personal, subjectSalt: Personal,
        expiresAt: Timestamp, by: Authority
    ) {
        self.activationID = activationID
        self.digest = digest
        self.subject = subject
        self.userID = userID
        self.subjectSalt = subjectSalt
        self.expiresAt = expiresAt
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "activationId": activationID.json,
            "digest": .bytes(digest.bytes),
            "subject": .bytes(subject.bytes),
            "userId": coder.seal(userID, at: "/data/userId"),
            "subjectSalt": coder.seal(subjectSalt, at: "/data/subjectSalt"),
            "expiresAt": .timestamp(expiresAt),
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        activationID = try reader.id("activationId")
        digest = try reader.bytes32("digest")
        subject = try reader.bytes32("subject")
        userID = try reader.personal("userId")
        subjectSalt = try reader.personal("subjectSalt")
        expiresAt = try reader.time("expiresAt")
        by = try reader.authority()
        try reader.finish()
    }
}

/// A wrong code was entered.
public struct MPinActivationFailed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinActivationFailed"
    /// The activation.
    public var activationID: MPinActivationID
    /// The number of wrong codes, this one included.
    public var failures: Int
    /// The number of wrong codes that ends the activation.
    public var limit: Int

    /// Each parameter sets the member of the same name.
    public init(activationID: MPinActivationID, failures: Int, limit: Int) {
        self.activationID = activationID
        self.failures = failures
        self.limit = limit
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(failures, EventLimits.count, "/data/failures")
        try EventLimits.check(limit, EventLimits.count, "/data/limit")
        return .objectOmittingNil([
            "activationId": activationID.json,
            "failures": .integer(Int64(failures)),
            "limit": .integer(Int64(limit)),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        activationID = try reader.id("activationId")
        failures = try reader.count("failures")
        limit = try reader.count("limit")
        try reader.finish()
    }
}

/// A start used the code.
public struct MPinActivationUsed: EventPayload {
    /// The permanent type name of the event.
    public static let type = "MPinActivationUsed"
    /// The activation.
    public var activationID: MPinActivationID
    /// The identity.
    public var identityID: MPinIdentityID

    /// Each parameter sets the member of the same name.
    public init(activationID: MPinActivationID, identityID: MPinIdentityID) {
        self.activationID = activationID
        self.identityID = identityID
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "activationId": activationID.json,
            "identityId": identityID.json,
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        activationID = try reader.id("activationId")
        identityID = try reader.id("identityId")
        try reader.finish()
    }
}
