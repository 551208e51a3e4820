public import Canonical

/// The proof of an event about a return: a challenge that the new device signed, and the key of the credentials in
/// force.
///
/// It is verified from the tenant's ledger alone. Only the directory tells that the user key is one of the user's.
public struct ReturnProof: Sendable, Hashable {
    /// The user behind the employee.
    public var userID: UserID
    /// The credentials that were used.
    public var credentialID: CredentialID
    /// The user key that the right answers or passphrase unlocked.
    public var userKey: PublicKeyBytes
    /// The public half of the new device key.
    public var key: PublicKeyBytes
    /// The challenge of purpose `return`: the exact bytes that were signed.
    public var challenge: [UInt8]
    /// The new device key's signature over the challenge.
    public var deviceSignature: SignatureBytes
    /// The user key's signature over its own tag and the challenge.
    public var userSignature: SignatureBytes

    /// Each parameter sets the property of the same name.
    public init(
        userID: UserID, credentialID: CredentialID, userKey: PublicKeyBytes, key: PublicKeyBytes, challenge: [UInt8],
        deviceSignature: SignatureBytes, userSignature: SignatureBytes
    ) {
        self.userID = userID
        self.credentialID = credentialID
        self.userKey = userKey
        self.key = key
        self.challenge = challenge
        self.deviceSignature = deviceSignature
        self.userSignature = userSignature
    }

    /// The members, which are part of the event's `data`.
    fileprivate func members() throws -> [String: JSONValue] {
        try EventLimits.check(challenge, EventLimits.challenge, "/data/challenge")
        return [
            "userId": userID.json, "credentialId": credentialID.json, "userKey": .bytes(userKey.bytes),
            "key": .bytes(key.bytes), "challenge": .bytes(challenge),
            "deviceSignature": .bytes(deviceSignature.bytes), "userSignature": .bytes(userSignature.bytes),
        ]
    }
}

extension EventReader {
    fileprivate mutating func returnProof() throws -> ReturnProof {
        ReturnProof(
            userID: try id("userId"), credentialID: try id("credentialId"), userKey: try key("userKey"),
            key: try key("key"), challenge: try bytes("challenge", EventLimits.challenge),
            deviceSignature: try signature("deviceSignature"), userSignature: try signature("userSignature"))
    }
}

/// A security admin asked to return with a new device key, after a right credential. A mail with a link is sent.
///
/// Nothing is decided yet: the return opens when the link is confirmed.
public struct ReturnRequested: EventPayload {
    /// The permanent type name of the event.
    public static let type = "ReturnRequested"
    /// The return.
    public var returnID: ReturnID
    /// The security admin.
    public var employeeID: EmployeeID
    /// The public half of the new device key.
    public var key: PublicKeyBytes
    /// The flow, whose validation has the signatures.
    public var flow: FlowID
    /// When the link of the mail expires.
    public var expiresAt: Timestamp

    /// Each parameter sets the member of the same name.
    public init(returnID: ReturnID, employeeID: EmployeeID, key: PublicKeyBytes, flow: FlowID, expiresAt: Timestamp) {
        self.returnID = returnID
        self.employeeID = employeeID
        self.key = key
        self.flow = flow
        self.expiresAt = expiresAt
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        .objectOmittingNil([
            "returnId": returnID.json,
            "employeeId": employeeID.json,
            "key": .bytes(key.bytes),
            "flow": flow.json,
            "expiresAt": .timestamp(expiresAt),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        returnID = try reader.id("returnId")
        employeeID = try reader.id("employeeId")
        key = try reader.key("key")
        flow = try reader.id("flow")
        expiresAt = try reader.time("expiresAt")
        try reader.finish()
    }
}

/// The link of the mail was confirmed: the return is open and waits.
public struct ReturnOpened: EventPayload {
    /// The permanent type name of the event.
    public static let type = "ReturnOpened"
    /// The return.
    public var returnID: ReturnID
    /// The security admin.
    public var employeeID: EmployeeID
    /// The proof of the request, with the only device key that may complete the return.
    public var proof: ReturnProof
    /// When the return may be completed from.
    public var availableAt: Timestamp
    /// When the return expires.
    public var expiresAt: Timestamp

    /// Each parameter sets the member of the same name.
    public init(
        returnID: ReturnID, employeeID: EmployeeID, proof: ReturnProof, availableAt: Timestamp, expiresAt: Timestamp
    ) {
        self.returnID = returnID
        self.employeeID = employeeID
        self.proof = proof
        self.availableAt = availableAt
        self.expiresAt = expiresAt
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        var members = try proof.members()
        members["returnId"] = returnID.json
        members["employeeId"] = employeeID.json
        members["availableAt"] = .timestamp(availableAt)
        members["expiresAt"] = .timestamp(expiresAt)
        return .object(members)
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        returnID = try reader.id("returnId")
        employeeID = try reader.id("employeeId")
        proof = try reader.returnProof()
        availableAt = try reader.time("availableAt")
        expiresAt = try reader.time("expiresAt")
        try reader.finish()
    }
}

/// A return was completed after its wait: the new device key is in force and alone carries the role.
public struct ReturnCompleted: EventPayload {
    /// The permanent type name of the event.
    public static let type = "ReturnCompleted"
    /// The return.
    public var returnID: ReturnID
    /// The security admin.
    public var employeeID: EmployeeID
    /// A new proof, by the device key that the opening names.
    public var proof: ReturnProof

    /// Each parameter sets the member of the same name.
    public init(returnID: ReturnID, employeeID: EmployeeID, proof: ReturnProof) {
        self.returnID = returnID
        self.employeeID = employeeID
        self.proof = proof
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        var members = try proof.members()
        members["returnId"] = returnID.json
        members["employeeId"] = employeeID.json
        return .object(members)
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        returnID = try reader.id("returnId")
        employeeID = try reader.id("employeeId")
        proof = try reader.returnProof()
        try reader.finish()
    }
}

/// A return was cancelled before its completion, or undone after it.
///
/// An undone return ends the key that came back, and every key that it put in force. The keys before carry the role
/// again.
public struct ReturnCancelled: EventPayload {
    /// The permanent type name of the event.
    public static let type = "ReturnCancelled"
    /// The return.
    public var returnID: ReturnID
    /// The security admin.
    public var employeeID: EmployeeID
    /// The reason, as a code: `owner` for a statement, `login` for a log-in, `mail` for the link of a mail.
    public var reason: ReasonCode
    /// The fingerprint of the device that cancelled; `nil` for the link of a mail.
    public var fingerprint: KeyFingerprint?
    /// The authority that decided; without a statement for a log-in or the link of a mail.
    public var by: Authority

    /// Each parameter sets the member of the same name.
    public init(
        returnID: ReturnID, employeeID: EmployeeID, reason: ReasonCode, fingerprint: KeyFingerprint?, by: Authority
    ) {
        self.returnID = returnID
        self.employeeID = employeeID
        self.reason = reason
        self.fingerprint = fingerprint
        self.by = by
    }

    /// Encodes the entry's `data`; throws ``EventError`` if a value does not fit its member.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try .objectOmittingNil([
            "returnId": returnID.json,
            "employeeId": employeeID.json,
            "reason": .string(reason.text),
            "fingerprint": fingerprint.map { .string($0.description) },
            "by": by.json(),
        ])
    }

    /// Decodes the entry's `data`; throws `JSONError` for an unknown, missing or malformed member.
    public init(data: JSONValue, schema: Int, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        returnID = try reader.id("returnId")
        employeeID = try reader.id("employeeId")
        reason = try reader.reason("reason")
        fingerprint = try reader.optionalFingerprint("fingerprint")
        by = try reader.authority()
        try reader.finish()
    }
}
