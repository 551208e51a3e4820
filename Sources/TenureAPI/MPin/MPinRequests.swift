public import Canonical

/// The body of `PUT /mpin/{companyName}/rps/user` and of the restart of a registration.
public struct MPinStartRequest: Sendable, Equatable, JSONConvertible {
    /// The user id: an e-mail address or any name.
    public var userId: String
    /// The name of the device.
    public var deviceName: String?
    /// An activation code; not in a restart.
    public var activateCode: String?
    /// The token of the registration; only in a restart.
    public var regOTT: String?

    /// Describes the start or the restart of a registration.
    public init(userId: String, deviceName: String? = nil, activateCode: String? = nil, regOTT: String? = nil) {
        self.userId = userId
        self.deviceName = deviceName
        self.activateCode = activateCode
        self.regOTT = regOTT
    }

    /// Reads a request. `mobile` and `userData` are accepted and have no effect; unknown members are rejected.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        userId = try reader.string("userId")
        deviceName = try reader.optionalString("deviceName")
        activateCode = try reader.optionalString("activateCode")
        regOTT = try reader.optionalString("regOTT")
        _ = try reader.optionalInteger("mobile", in: 0...1)
        _ = try reader.optionalString("userData")
        try reader.finish()
    }

    /// The body as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "userId": .string(userId), "mobile": 1, "deviceName": deviceName.map(JSONValue.string),
            "activateCode": activateCode.map(JSONValue.string), "regOTT": regOTT.map(JSONValue.string),
        ])
    }
}

/// The body of `POST /mpin/{companyName}/rps/user/{mpinId}`.
public struct MPinActivateRequest: Sendable, Equatable, RequestObject {
    /// The code of the link in the mail, 64 hexadecimal characters.
    public var activateKey: String

    /// Describes the confirmation of a mail.
    public init(activateKey: String) { self.activateKey = activateKey }

    /// The members on the wire.
    public static let members = WireMembers<MPinActivateRequest>(
        "MPinActivateRequest", MPinActivateRequest.init, Member("activateKey", \.activateKey))
}

/// The body of `POST /mpin/{companyName}/rps/pass1`.
public struct MPinPass1Request: Sendable, Equatable, JSONConvertible {
    /// The M-Pin ID in hexadecimal.
    public var mpinId: String
    /// The point U in hexadecimal.
    public var commitment: String

    /// Pairs an identity with its commitment.
    public init(mpinId: String, commitment: String) {
        self.mpinId = mpinId
        self.commitment = commitment
    }

    /// Reads a request. `UT`, of time permits, must be empty; unknown members are rejected.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        mpinId = try reader.string("mpin_id")
        commitment = try reader.string("U")
        guard try reader.optionalString("UT")?.isEmpty ?? true else {
            throw reader.invalid("UT", "time permits are not used; send an empty text or nothing")
        }
        _ = try reader.optionalInteger("pass", in: 1...1)
        try reader.finish()
    }

    /// The body as JSON.
    public var json: JSONValue { ["mpin_id": .string(mpinId), "U": .string(commitment), "pass": 1] }
}

/// The body of `POST /mpin/{companyName}/rps/pass2`.
public struct MPinPass2Request: Sendable, Equatable, JSONConvertible {
    /// The M-Pin ID in hexadecimal.
    public var mpinId: String
    /// The point V in hexadecimal.
    public var response: String
    /// The handle of pass 1; `nil` for the newest challenge.
    public var handle: String?

    /// Pairs an identity with its response.
    public init(mpinId: String, response: String, handle: String? = nil) {
        self.mpinId = mpinId
        self.response = response
        self.handle = handle
    }

    /// Reads a request. `WID` must be `0` and `OTP` false: access numbers and one-time passwords are not offered.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        mpinId = try reader.string("mpin_id")
        response = try reader.string("V")
        handle = try reader.optionalString("handle")
        guard try reader.optionalString("WID") ?? "0" == "0" else {
            throw reader.invalid("WID", "access numbers are not offered; send \"0\" or nothing")
        }
        guard try reader.optionalBool("OTP") != true else {
            throw reader.invalid("OTP", "one-time passwords are not offered; send false or nothing")
        }
        _ = try reader.optionalInteger("pass", in: 2...2)
        try reader.finish()
    }

    /// The body as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "mpin_id": .string(mpinId), "V": .string(response), "handle": handle.map(JSONValue.string), "WID": "0",
            "OTP": false, "pass": 2,
        ])
    }
}

/// The body of `POST /mpin/{companyName}/authenticate`.
public struct MPinTokenRequest: Sendable, Equatable, JSONConvertible {
    /// The token of pass 2.
    public var authOTT: String

    /// Describes a token to redeem.
    public init(authOTT: String) { self.authOTT = authOTT }

    /// Reads a request: the token itself, or inside of `mpinResponse` as clients hold it. Rejects unknown members.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        if var response = try reader.optionalObject("mpinResponse") {
            authOTT = try response.string("authOTT")
            _ = response.optionalValue("pass")
            _ = response.optionalValue("version")
            try response.finish()
        } else {
            authOTT = try reader.string("authOTT")
        }
        try reader.finish()
    }

    /// The body as JSON.
    public var json: JSONValue { ["authOTT": .string(authOTT)] }
}

/// The body of `POST /v1/logins/{flow}/mpin`.
public struct MPinLoginRequest: Sendable, Equatable, RequestObject {
    /// The token of pass 2.
    public var authOTT: String

    /// Describes a token that stands in the place of answers.
    public init(authOTT: String) { self.authOTT = authOTT }

    /// The members on the wire.
    public static let members = WireMembers<MPinLoginRequest>(
        "MPinLoginRequest", MPinLoginRequest.init, Member("authOTT", \.authOTT))
}
