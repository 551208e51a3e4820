public import Canonical

/// The body of a decision that an admin may have to sign: `/authorization`, `/refusal`, `/revocation`, `PUT` and
/// `DELETE` of `/apps/{appId}`.
public struct DecisionRequest: Sendable, Equatable, JSONConvertible {
    /// A reason code `[a-z0-9_.-]{1,64}`; refusals and revocations need one, other decisions have none.
    public var reason: String?
    /// The statement and the signature, in the second call of an admin.
    public var signed: StatementSignature?

    /// Describes a decision.
    public init(reason: String? = nil, signed: StatementSignature? = nil) {
        self.reason = reason
        self.signed = signed
    }

    /// Reads the body of a decision that needs no reason; unknown members, `reason` among them, are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        reason = nil
        signed = try StatementSignature.read(from: &reader)
        try reader.finish()
    }

    /// Reads the body of a decision that needs a reason; unknown members are refused.
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

    /// The body.
    public var json: JSONValue {
        .objectOmittingNil([
            "reason": reason.map(JSONValue.string), "statement": signed.map { .base64($0.statement) },
            "signature": signed.map { .base64($0.signature) },
        ])
    }
}
