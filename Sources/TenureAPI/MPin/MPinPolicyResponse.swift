public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The body of `POST /v1/companies/{companyName}/mpin/identities/{identityId}/link`.
public struct MPinLinkRequest: Sendable, Equatable, RequestObject {
    /// The token of the registration, which only the client that started it has.
    public var regOTT: String
    /// The signed statement; sent with the second call.
    public var signed: StatementSignature?

    /// Describes the link of an identity.
    public init(regOTT: String, signed: StatementSignature? = nil) {
        self.regOTT = regOTT
        self.signed = signed
    }

    /// The members on the wire.
    public static let members = WireMembers<MPinLinkRequest>(
        "MPinLinkRequest", MPinLinkRequest.init, Member("regOTT", \.regOTT), .signed(\.signed))
}

/// The body of `POST /v1/companies/{companyName}/mpin/activations`.
public struct MPinActivationRequest: Sendable, Equatable, RequestObject {
    /// The user id that the code is for.
    public var userId: String
    /// The salt of the commitment to the user id, 32 bytes. An admin chooses it and repeats it in the second call.
    public var subjectSalt: [UInt8]?
    /// The signed statement; sent with an admin's second call.
    public var signed: StatementSignature?

    /// Describes an activation code to issue.
    public init(userId: String, subjectSalt: [UInt8]? = nil, signed: StatementSignature? = nil) {
        self.userId = userId
        self.subjectSalt = subjectSalt
        self.signed = signed
    }

    /// The members on the wire.
    public static let members = WireMembers<MPinActivationRequest>(
        "MPinActivationRequest", MPinActivationRequest.init, Member("userId", \.userId),
        Member(optional: "subjectSalt", \.subjectSalt, .base64), .signed(\.signed))
}

/// The response to `POST /v1/companies/{companyName}/mpin/activations`.
public enum MPinActivationResponse: Sendable, Equatable, JSONConvertible, RedactedDescription {
    /// The code is issued. It has six digits and is shown this once.
    case done(activationId: UUID, code: String, expiresAt: Timestamp, position: Int64?)
    /// The caller must sign these bytes and repeat the call with the signature.
    case signatureRequired(statement: [UInt8])

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        switch try reader.string("outcome") {
        case "done":
            self = .done(
                activationId: try reader.uuid("activationId"), code: try reader.string("code"),
                expiresAt: try reader.timestamp("expiresAt"), position: try reader.optionalInteger("position"))
        case "signatureRequired": self = .signatureRequired(statement: try reader.base64("statement"))
        default: throw reader.invalid("outcome", "an outcome of a decision is expected")
        }
    }

    /// The response as JSON.
    public var json: JSONValue {
        switch self {
        case .done(let id, let code, let expiresAt, let position):
            .objectOmittingNil([
                "outcome": "done", "activationId": .uuid(id), "code": .string(code),
                "expiresAt": .timestamp(expiresAt), "position": position.map(JSONValue.integer),
            ])
        case .signatureRequired(let statement):
            ["outcome": "signatureRequired", "statement": .base64(statement)]
        }
    }
}

/// How unverified M-Pin identities of a tenant are verified.
public enum MPinVerification: String, Sendable, CaseIterable {
    /// By a link in a mail to the user id, which must be an address.
    case email
    /// By an app with AUTHORIZATION.
    case application
}

/// The body of `PATCH /v1/companies/{companyName}/mpin/policy`: the members that change.
public struct MPinPolicyChangeRequest: Sendable, Equatable, RequestObject {
    /// Whether identities can be registered and can authenticate.
    public var enabled: Bool?
    /// How identities are verified.
    public var verification: MPinVerification?
    /// The number of consecutive wrong proofs that blocks an identity, 1 to 5.
    public var maximumFailures: Int?
    /// Whether the proof of a linked identity may stand in the place of answers in a log-in.
    public var opensSessions: Bool?
    /// The signed statement; sent with the second call.
    public var signed: StatementSignature?

    /// Describes a change of policy.
    public init(
        enabled: Bool? = nil, verification: MPinVerification? = nil, maximumFailures: Int? = nil,
        opensSessions: Bool? = nil, signed: StatementSignature? = nil
    ) {
        self.enabled = enabled
        self.verification = verification
        self.maximumFailures = maximumFailures
        self.opensSessions = opensSessions
        self.signed = signed
    }

    /// The members on the wire.
    public static let members = WireMembers<MPinPolicyChangeRequest>(
        "MPinPolicyChangeRequest", MPinPolicyChangeRequest.init, Member(optional: "enabled", \.enabled),
        Member(optional: "verification", \.verification, .either),
        Member(optional: "maximumFailures", \.maximumFailures, .number(1...5)),
        Member(optional: "opensSessions", \.opensSessions), .signed(\.signed))

    /// Reads a request. Rejects unknown members and a request that changes nothing.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        self = try Self.members.read(json, at: pointer)
        if self == Self(signed: signed) {
            throw JSONError(code: .missingMember, pointer: pointer, reason: "at least one member to change is expected")
        }
    }
}

/// A tenant's rules for M-Pin.
public struct MPinPolicyResponse: Sendable, Equatable, ResponseObject {
    /// Whether identities can be registered and can authenticate.
    public var enabled: Bool
    /// `email` or `application`.
    public var verification: String
    /// The number of consecutive wrong proofs that blocks an identity.
    public var maximumFailures: Int64
    /// Whether the proof of a linked identity may stand in the place of answers in a log-in.
    public var opensSessions: Bool
    /// The version of the policy. `ETag` and `If-Match` carry it too.
    public var version: Int64

    package init(
        enabled: Bool, verification: String, maximumFailures: Int64, opensSessions: Bool, version: Int64
    ) {
        self.enabled = enabled
        self.verification = verification
        self.maximumFailures = maximumFailures
        self.opensSessions = opensSessions
        self.version = version
    }

    /// The members on the wire.
    public static let members = WireMembers<MPinPolicyResponse>(
        "MPinPolicyResponse", MPinPolicyResponse.init, Member("enabled", \.enabled),
        Member("verification", \.verification), Member("maximumFailures", \.maximumFailures, .number()),
        Member("opensSessions", \.opensSessions), Member("version", \.version, .number()))
}
