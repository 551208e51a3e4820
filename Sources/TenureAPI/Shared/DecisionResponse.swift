public import Canonical

/// The body of a decision that an admin may have to sign.
///
/// Used by `/authorization`, `/refusal`, `/revocation`, `/approval`, `/reinstatement` and `/sessions/end`, and by `PUT`
/// and `DELETE` of `/apps/{appId}`.
public struct DecisionRequest: Sendable, Equatable, JSONConvertible {
    /// A reason code `[a-z0-9_.-]{1,64}`. Required for refusals and revocations, rejected for other decisions.
    public var reason: String?
    /// The signed statement; sent with an admin's second call.
    public var signed: StatementSignature?

    /// Describes a decision.
    public init(reason: String? = nil, signed: StatementSignature? = nil) {
        self.reason = reason
        self.signed = signed
    }

    /// Reads the body of a decision that takes no reason. Rejects unknown members, `reason` included.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        reason = nil
        signed = try StatementSignature.read(from: &reader)
        try reader.finish()
    }

    /// Reads the body of a decision that requires a reason. Rejects unknown members.
    public init(jsonWithReason json: JSONValue) throws(JSONError) {
        var reader = try ObjectReader(json)
        let reason = try reader.string("reason")
        let allowed = reason.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"),
                UInt8(ascii: "."), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard allowed, (1...64).contains(reason.utf8.count) else {
            throw reader.invalid("reason", "1 to 64 characters of a-z, 0-9, _, . and - are expected")
        }
        self.reason = reason
        signed = try StatementSignature.read(from: &reader)
        try reader.finish()
    }

    /// The body as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "reason": reason.map(JSONValue.string), "statement": signed.map { .base64($0.statement) },
            "signature": signed.map { .base64($0.signature) },
        ])
    }
}

/// A statement with an admin's signature over it. Both members are members of the decision's body.
public struct StatementSignature: Sendable, Equatable {
    /// The exact bytes that were signed; padded base64 on the wire.
    public var statement: [UInt8]
    /// The ECDSA signature with SHA-256 over the statement, DER or 64 raw bytes; padded base64 on the wire.
    public var signature: [UInt8]

    /// Pairs a statement with its signature.
    public init(statement: [UInt8], signature: [UInt8]) {
        self.statement = statement
        self.signature = signature
    }

    /// Reads the two members. Returns `nil` if both are absent and rejects one without the other.
    static func read(from reader: inout ObjectReader) throws(JSONError) -> StatementSignature? {
        let statement = try reader.optionalBase64("statement")
        let signature = try reader.optionalBase64("signature")
        switch (statement, signature) {
        case (nil, nil): return nil
        case (let statement?, let signature?): return StatementSignature(statement: statement, signature: signature)
        case (nil, _): throw reader.invalid("statement", "a signature needs a statement")
        case (_, nil): throw reader.invalid("signature", "a statement needs a signature")
        }
    }
}

extension Member where Value == StatementSignature? {
    /// A statement and its signature, or neither.
    static func signed(_ get: @escaping @Sendable (Object) -> Value) -> Member {
        let members = ["statement", "signature"].map { MemberDescription(optional: $0, .string(format: "byte")) }
        return Member(together: members, get) { (reader) throws(JSONError) in
            try StatementSignature.read(from: &reader)
        } write: { signed in
            guard let signed else { return [:] }
            return ["statement": .base64(signed.statement), "signature": .base64(signed.signature)]
        }
    }
}

/// The response to a decision.
public enum DecisionResponse: Sendable, Equatable, JSONConvertible {
    /// The decision is made. `position` is `nil` if it had been made before.
    case done(EmployeeSummaryResponse?, position: Int64?)
    /// The caller must sign these bytes and repeat the call with the signature.
    case signatureRequired(statement: [UInt8])

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        switch try reader.string("outcome") {
        case "done":
            self = .done(try reader.optionalWire("employee"), position: try reader.optionalInteger("position"))
        case "signatureRequired": self = .signatureRequired(statement: try reader.base64("statement"))
        default: throw reader.invalid("outcome", "an outcome of a decision is expected")
        }
    }

    /// The response as JSON.
    public var json: JSONValue {
        switch self {
        case .done(let employee, let position):
            .objectOmittingNil([
                "outcome": "done", "employee": employee?.json, "position": position.map(JSONValue.integer),
            ])
        case .signatureRequired(let statement):
            ["outcome": "signatureRequired", "statement": .base64(statement)]
        }
    }
}
