public import Canonical

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The response to `GET /mpin/{companyName}/rps/clientSettings`: where a client finds what.
public struct MPinClientSettingsResponse: Sendable, Equatable, JSONConvertible {
    /// The address of the backend, without a slash at the end.
    public var backend: String
    /// The address of the second D-TA, with a slash at the end.
    public var certivoxURL: String
    /// The tenant's id.
    public var appID: UUID
    /// The suite of new keys.
    public var suite: String

    package init(backend: String, certivoxURL: String, appID: UUID, suite: String) {
        self.backend = backend
        self.certivoxURL = certivoxURL
        self.appID = appID
        self.suite = suite
    }

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        backend = String(try reader.string("mpinAuthServerURL").dropLast("/rps".count))
        certivoxURL = try reader.string("certivoxURL")
        appID = try reader.uuid("appID")
        suite = try reader.string("suite")
    }

    /// The response as JSON.
    public var json: JSONValue {
        [
            "mpinAuthServerURL": .string(backend + "/rps"), "registerURL": .string(backend + "/rps/user"),
            "signatureURL": .string(backend + "/rps/signature"), "setupDoneURL": .string(backend + "/rps/setupDone"),
            "authenticateURL": .string(backend + "/authenticate"), "certivoxURL": .string(certivoxURL),
            "appID": .uuid(appID), "suite": .string(suite), "setDeviceName": true, "requestOTP": false,
            "usePermits": false,
        ]
    }
}

/// The response to the start and the restart of a registration.
public struct MPinRegistrationResponse: Sendable, Equatable, ResponseObject {
    /// The M-Pin ID in hexadecimal.
    public var mpinId: String
    /// The token with which the client continues.
    public var regOTT: String
    /// When the registration expires: RFC 3339 in whole seconds.
    public var expireTime: String
    /// The service's time.
    public var nowTime: String
    /// Whether the identity is verified.
    public var active: Bool
    /// The identity's random id, by which `/v1` names it.
    public var identityId: UUID

    package init(
        mpinId: String, regOTT: String, expireTime: String, nowTime: String, active: Bool, identityId: UUID
    ) {
        self.mpinId = mpinId
        self.regOTT = regOTT
        self.expireTime = expireTime
        self.nowTime = nowTime
        self.active = active
        self.identityId = identityId
    }

    /// The members on the wire.
    public static let members = WireMembers<MPinRegistrationResponse>(
        "MPinRegistrationResponse", MPinRegistrationResponse.init, Member("mpinId", \.mpinId),
        Member("regOTT", \.regOTT), Member("expireTime", \.expireTime), Member("nowTime", \.nowTime),
        Member("active", \.active), Member("identityId", \.identityId))
}

/// The response to `GET /mpin/{companyName}/rps/signature/{mpinId}`.
public struct MPinSignatureResponse: Sendable, Equatable, ResponseObject, RedactedDescription {
    /// The first D-TA's share of the client key in hexadecimal.
    public var clientSecretShare: String
    /// The signed query for the second D-TA.
    public var params: String
    /// The suite of the key.
    public var suite: String
    /// The epoch of the key.
    public var epoch: Int64

    package init(clientSecretShare: String, params: String, suite: String, epoch: Int64) {
        self.clientSecretShare = clientSecretShare
        self.params = params
        self.suite = suite
        self.epoch = epoch
    }

    /// The members on the wire.
    public static let members = WireMembers<MPinSignatureResponse>(
        "MPinSignatureResponse", MPinSignatureResponse.init, Member("clientSecretShare", \.clientSecretShare),
        Member("params", \.params), Member("suite", \.suite), Member("epoch", \.epoch, .number()))
}

/// The responses to both passes: a challenge, or the token that redeems the verdict.
public enum MPinPassResponse: Sendable, Equatable, JSONConvertible, RedactedDescription {
    /// After pass 1: y in hexadecimal, and the handle that pass 2 repeats.
    case challenge(y: String, handle: String)
    /// After pass 2, whatever the verdict is.
    case token(authOTT: String)

    /// Reads a response and ignores unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        self =
            try reader.integer("pass", in: 1...2) == 1
            ? .challenge(y: try reader.string("y"), handle: try reader.string("handle"))
            : .token(authOTT: try reader.string("authOTT"))
    }

    /// The response as JSON.
    public var json: JSONValue {
        switch self {
        case .challenge(let y, let handle): ["pass": 1, "y": .string(y), "handle": .string(handle)]
        case .token(let authOTT): ["pass": 2, "authOTT": .string(authOTT)]
        }
    }
}

/// The response to `POST /mpin/{companyName}/authenticate`.
public struct MPinAuthenticationResponse: Sendable, Equatable, ResponseObject {
    /// The user id as it was registered.
    public var userId: String
    /// The folded form, by which the service matches user ids: use it to look up a person of your own. The spelling of
    /// ``userId`` is the choice of whoever registered.
    public var foldedUserId: String
    /// The M-Pin ID in hexadecimal.
    public var mpinId: String
    /// The identity's random id.
    public var identityId: UUID
    /// How the identity was verified: `email`, `code`, `application` or `device`. Only `email` says that the user id is
    /// the address of a mailbox that the user reads.
    public var verifiedBy: String
    /// The employee whom the identity is linked to; `nil` if it is not linked.
    public var employee: EmployeeSummaryResponse?

    package init(
        userId: String, foldedUserId: String, mpinId: String, identityId: UUID, verifiedBy: String,
        employee: EmployeeSummaryResponse? = nil
    ) {
        self.userId = userId
        self.foldedUserId = foldedUserId
        self.mpinId = mpinId
        self.identityId = identityId
        self.verifiedBy = verifiedBy
        self.employee = employee
    }

    /// The members on the wire.
    public static let members = WireMembers<MPinAuthenticationResponse>(
        "MPinAuthenticationResponse", MPinAuthenticationResponse.init, Member("userId", \.userId),
        Member("foldedUserId", \.foldedUserId), Member("mpinId", \.mpinId), Member("identityId", \.identityId),
        Member("verifiedBy", \.verifiedBy),
        Member(optional: "employee", \.employee))

    /// The members of every success.
    public static let constants: [String: JSONValue] = ["status": 200, "message": "OK"]
}

/// An empty object, the response to calls that tell nothing but that they were done.
public struct MPinEmptyResponse: Sendable, Equatable, JSONConvertible {
    package init() {}

    /// Reads any object.
    public init(json: JSONValue, at pointer: String) throws(JSONError) { _ = try ObjectReader(json, at: pointer) }

    /// The empty object.
    public var json: JSONValue { [:] }
}

/// An M-Pin identity as shown to admins and apps.
public struct MPinIdentityResponse: Sendable, Equatable, ResponseObject {
    /// The identity.
    public var identityId: UUID
    /// The user id as entered; `nil` once erased.
    public var userId: String?
    /// The name of the device; `nil` if it gave none, and once erased.
    public var deviceName: String?
    /// `started`, `activated`, `issued`, `registered`, `expired`, `blocked` or `revoked`.
    public var status: String
    /// How the identity is to be verified: `email` or `application`.
    public var verification: String
    /// The time when the registration last started.
    public var startedAt: Timestamp
    /// The time when the incomplete registration expires or expired.
    public var expiresAt: Timestamp?
    /// The employee id of the linked employee; `nil` if there is none, and once the employee is erased.
    public var companyEmployeeId: String?
    /// The number of consecutive wrong proofs.
    public var failures: Int64
    /// The reason of the end: `failures`, `lifetime`, `revoked`, `reclaimed`, `superseded`, `expired`, `gaveWay` or `erased`.
    public var endReason: String?

    package init(
        identityId: UUID, userId: String? = nil, deviceName: String? = nil, status: String, verification: String,
        startedAt: Timestamp, expiresAt: Timestamp? = nil, companyEmployeeId: String? = nil, failures: Int64,
        endReason: String? = nil
    ) {
        self.identityId = identityId
        self.userId = userId
        self.deviceName = deviceName
        self.status = status
        self.verification = verification
        self.startedAt = startedAt
        self.expiresAt = expiresAt
        self.companyEmployeeId = companyEmployeeId
        self.failures = failures
        self.endReason = endReason
    }

    /// The members on the wire.
    public static let members = WireMembers<MPinIdentityResponse>(
        "MPinIdentityResponse", MPinIdentityResponse.init, Member("identityId", \.identityId),
        Member(optional: "userId", \.userId), Member(optional: "deviceName", \.deviceName),
        Member("status", \.status), Member("verification", \.verification), Member("startedAt", \.startedAt),
        Member(optional: "expiresAt", \.expiresAt), Member(optional: "companyEmployeeId", \.companyEmployeeId),
        Member("failures", \.failures, .number()), Member(optional: "endReason", \.endReason))
}
