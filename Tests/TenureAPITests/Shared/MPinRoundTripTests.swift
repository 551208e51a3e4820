import Canonical
import FoundationEssentials
import TenureAPI
import Testing

@Suite struct MPinRoundTripTests {
    private static let time = Timestamp(microseconds: 1_800_000_000_123_456)
    private static let id = UUID(uuid: (1, 2, 3, 4, 5, 6, 64, 8, 128, 10, 11, 12, 13, 14, 15, 16))
    private static let signed = StatementSignature(statement: [1], signature: [2, 3])

    private func check<Value: JSONConvertible & Equatable>(_ value: Value) throws {
        #expect(try Value(bytes: value.bytes) == value)
        #expect(try CanonicalJSON.parse(value.bytes) == value.json)
    }

    private func expectRefused<Value: JSONConvertible>(_ type: Value.Type, _ text: String) {
        #expect(throws: JSONError.self, "\(type) reads \(text)") { try Value(bytes: text.utf8) }
    }

    @Test func `requests round-trip`() throws {
        try check(MPinStartRequest(userId: "u"))
        try check(MPinStartRequest(userId: "u", deviceName: "d", activateCode: "000001"))
        try check(MPinStartRequest(userId: "u", regOTT: "r"))
        try check(MPinActivateRequest(activateKey: "k"))
        try check(MPinPass1Request(mpinId: "7b7d", commitment: "04"))
        try check(MPinPass2Request(mpinId: "7b7d", response: "04"))
        try check(MPinPass2Request(mpinId: "7b7d", response: "04", handle: "h"))
        try check(MPinTokenRequest(authOTT: "t"))
        try check(MPinLoginRequest(authOTT: "t"))
        try check(MPinLinkRequest(regOTT: "r"))
        try check(MPinLinkRequest(regOTT: "r", signed: Self.signed))
        try check(MPinActivationRequest(userId: "u"))
        try check(MPinActivationRequest(userId: "u", subjectSalt: [7, 255], signed: Self.signed))
        for verification in MPinVerification.allCases {
            try check(MPinPolicyChangeRequest(verification: verification))
        }
        try check(
            MPinPolicyChangeRequest(
                enabled: false, verification: .email, maximumFailures: 5, opensSessions: true, signed: Self.signed))
    }

    @Test func `responses round-trip`() throws {
        try check(
            MPinClientSettingsResponse(
                backend: "https://id.example/mpin/A", certivoxURL: "https://dta.example/", appID: Self.id, suite: "s"))
        for isActive in [true, false] {
            try check(
                MPinRegistrationResponse(
                    mpinId: "7b7d", regOTT: "r", expireTime: "2027-01-15T08:00:00Z", nowTime: "2027-01-15T07:00:00Z",
                    active: isActive, identityId: Self.id))
        }
        try check(MPinSignatureResponse(clientSecretShare: "04", params: "a=b&c=d", suite: "s", epoch: 1))
        try check(MPinPassResponse.challenge(y: "00", handle: "h"))
        try check(MPinPassResponse.token(authOTT: "t"))
        try check(
            MPinAuthenticationResponse(
                userId: "U", foldedUserId: "u", mpinId: "7b7d", identityId: Self.id, verifiedBy: "email"))
        let employee = EmployeeSummaryResponse(
            employeeId: Self.id, tenantId: Self.id, companyName: "A", companyEmployeeId: "7", status: "active",
            role: "admin")
        try check(
            MPinAuthenticationResponse(
                userId: "U", foldedUserId: "u", mpinId: "7b7d", identityId: Self.id, verifiedBy: "device",
                employee: employee))
        try check(MPinEmptyResponse())
        try check(MPinActivationResponse.signatureRequired(statement: [0, 255]))
        for position in [nil, 4] as [Int64?] {
            try check(
                MPinActivationResponse.done(
                    activationId: Self.id, code: "012345", expiresAt: Self.time, position: position))
        }
        try check(
            MPinPolicyResponse(
                enabled: true, verification: "application", maximumFailures: 3, opensSessions: false, version: 7))
    }

    @Test func `a client may send the token as it holds it to authenticate, and in a login only the token`() throws {
        let held = #"{"mpinResponse":{"authOTT":"t","pass":2,"version":"0.3"}}"#
        #expect(try MPinTokenRequest(bytes: held.utf8) == MPinTokenRequest(authOTT: "t"))
        expectRefused(MPinLoginRequest.self, held)
        expectRefused(MPinLoginRequest.self, #"{"authOTT":"t","pass":2}"#)
        expectRefused(MPinTokenRequest.self, #"{"authOTT":"t","mpinResponse":{"authOTT":"t"}}"#)
        expectRefused(MPinTokenRequest.self, #"{"mpinResponse":{"authOTT":"t","admin":true}}"#)
    }

    @Test func `what the service does not offer is refused in a request`() {
        expectRefused(MPinStartRequest.self, #"{"userId":"u","mobile":2}"#)
        expectRefused(MPinPass1Request.self, #"{"mpin_id":"7b7d","U":"04","UT":"04"}"#)
        expectRefused(MPinPass1Request.self, #"{"mpin_id":"7b7d","U":"04","pass":2}"#)
        expectRefused(MPinPass2Request.self, #"{"mpin_id":"7b7d","V":"04","WID":"7"}"#)
        expectRefused(MPinPass2Request.self, #"{"mpin_id":"7b7d","V":"04","OTP":true}"#)
        expectRefused(MPinPolicyChangeRequest.self, "{}")
        expectRefused(MPinPolicyChangeRequest.self, #"{"verification":"nobody"}"#)
        expectRefused(MPinPolicyChangeRequest.self, #"{"maximumFailures":6}"#)
    }

    @Test func `secrets are not printed`() {
        let values: [any Sendable] = [
            MPinSignatureResponse(clientSecretShare: "hunter2", params: "", suite: "", epoch: 1),
            MPinPassResponse.token(authOTT: "hunter2"),
            MPinActivationResponse.done(activationId: Self.id, code: "hunter2", expiresAt: Self.time, position: nil),
        ]
        for value in values { #expect(!"\(value)".contains("hunter2")) }
    }
}
