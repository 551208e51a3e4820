import Canonical
import TenureAPI
import Testing

@testable import TenureClient

@Suite struct `The status table of M-Pin` {
    /// What each call makes of an HTTP status without a problem document, where it differs from the general reading.
    private static let own: [MPinCall: [Int: MPinStatus.Code]] = [
        .register: [403: .identityNotAuthorized],
        .signature: [400: .identityNotVerified, 401: .identityNotVerified],
        .secondShare: [408: .requestExpired, 410: .clientSecretExpired],
        .authenticate: [
            401: .incorrectPIN, 403: .identityNotAuthorized, 408: .requestExpired, 409: .clientSecretExpired,
            410: .incorrectPIN, 412: .incorrectAccessNumber,
        ],
        .link: [401: .identityNotAuthorized, 403: .identityNotAuthorized],
        .logIn: [403: .identityNotAuthorized, 410: .incorrectPIN],
    ]

    private static func general(_ http: Int) -> MPinStatus.Code {
        switch http {
        case 300..<400: .networkError
        case 406: .badUserAgent
        case 400..<500: .httpRequestError
        case 500...: .httpServerError
        default: .responseParseError
        }
    }

    @Test(arguments: MPinCall.allCases)
    func `every HTTP status has one status for each call`(call: MPinCall) {
        for http in Array(100...103) + Array(201...208) + Array(300...308) + Array(400...431) + Array(500...511) + [599]
        {
            let failure = MPinFailure(WireResponse(status: http), of: call)
            #expect(failure.status.status == Self.own[call]?[http] ?? Self.general(http), "\(call) \(http)")
            #expect(failure.endsIdentity == (http == 410 && [.authenticate, .logIn].contains(call)))
        }
    }

    @Test(arguments: [
        ("mpin.wrong_pin", 401, MPinStatus.Code.incorrectPIN), ("mpin.blocked", 410, .incorrectPIN),
        ("mpin.ended", 410, .revoked), ("mpin.request_expired", 408, .requestExpired),
        ("mpin.key_expired", 409, .clientSecretExpired), ("mpin.wrong_state", 409, .flowError),
        ("mpin.disabled", 403, .identityNotAuthorized), ("app.unknown", 403, .identityNotAuthorized),
        ("app.secret_invalid", 403, .identityNotAuthorized), ("app.role_missing", 403, .identityNotAuthorized),
        ("employee.inactive", 403, .identityNotAuthorized), ("company.unknown", 404, .identityNotAuthorized),
        ("mail.unavailable", 503, .httpServerError), ("service.unavailable", 503, .httpServerError),
        ("request.rate_limited", 429, .httpRequestError), ("somebody.elses", 418, .httpRequestError),
        ("request.too_large", 413, .httpRequestError), ("request.media_type", 415, .httpRequestError),
    ])
    func `the code of a problem decides before the HTTP status`(
        problem: String, http: Int, expected: MPinStatus.Code
    ) throws {
        for call in MPinCall.allCases where call != .secondShare {
            for status in [http, 403] {
                // A code that the table lacks leaves the decision to the HTTP status.
                if status != http, expected == .httpServerError || expected == .httpRequestError { continue }
                let failure = MPinFailure(FakeMPinService.problem(problem, status), of: call)
                #expect(failure.status.status == expected, "\(call) \(status)")
                #expect(failure.status.problem?.code == problem)
                #expect(failure.endsIdentity == ["mpin.blocked", "mpin.ended"].contains(problem))
            }
        }
    }

    @Test func `codes that calls read differently`() {
        for call in MPinCall.allCases where call != .secondShare {
            let unauthorized = MPinFailure(FakeMPinService.problem("mpin.unauthorized", 401), of: call)
            let expected: MPinStatus.Code = call == .signature ? .identityNotVerified : .identityNotAuthorized
            #expect(unauthorized.status.status == expected, "\(call)")
            let unknown = MPinFailure(FakeMPinService.problem("mpin.unknown", 400), of: call)
            #expect(unknown.status.status == (call == .signature ? .identityNotVerified : .httpRequestError))
            let point = MPinFailure(FakeMPinService.problem("mpin.point_invalid", 403), of: .pass)
            #expect(point.status.status == .httpRequestError)
        }
    }

    @Test func `the second D-TA cannot end or refuse an identity`() {
        for code in ["mpin.blocked", "mpin.ended", "mpin.disabled"] {
            let failure = MPinFailure(FakeMPinService.problem(code, 410), of: .secondShare)
            #expect(failure.status.status == .clientSecretExpired && !failure.endsIdentity)
        }
    }

    /// The refusals of the second D-TA, which are no problem documents: the status, and what its message says to do.
    @Test(arguments: [
        (403, MPinStatus.Code.httpRequestError, "Tell the operator"), (408, .requestExpired, "Confirm"),
        (410, .clientSecretExpired, "register again"), (503, .httpServerError, "Confirm"),
        (400, .httpRequestError, "second D-TA answered with HTTP status 400"),
    ])
    func `a refusal of the second D-TA says what to do`(http: Int, expected: MPinStatus.Code, words: String) {
        let status = MPinFailure(WireResponse(status: http), of: .secondShare).status
        #expect(status.status == expected && status.message.contains(words) && status.message.contains("second D-TA"))
    }

    @Test func `errors of the client library have a status`() {
        let codes: [(TenureClientError.Code, MPinStatus.Code)] = [
            (.connectionLost, .networkError), (.responseInvalid, .responseParseError), (.signingRefused, .cryptoError),
            (.addressInvalid, .flowError), (.pinInvalid, .storageError), (.keyFileInvalid, .storageError),
            (.cancelled, .networkError), (.notLoggedIn, .identityNotAuthorized), (.storageFailed, .storageError),
        ]
        for (code, expected) in codes {
            #expect(MPinFailure(describing: TenureClientError(code), of: .link).status.status == expected, "\(code)")
        }
        #expect(MPinFailure(describing: CancellationError(), of: .link).status.status == .networkError)
    }

    @Test func `all 17 statuses and all 5 states have Milagro's names`() {
        #expect(
            MPinStatus.Code.allCases.map(\.rawValue) == [
                "OK", "PIN_INPUT_CANCELED", "CRYPTO_ERROR", "STORAGE_ERROR", "NETWORK_ERROR", "RESPONSE_PARSE_ERROR",
                "FLOW_ERROR", "IDENTITY_NOT_AUTHORIZED", "IDENTITY_NOT_VERIFIED", "REQUEST_EXPIRED", "REVOKED",
                "INCORRECT_PIN", "INCORRECT_ACCESS_NUMBER", "HTTP_SERVER_ERROR", "HTTP_REQUEST_ERROR",
                "BAD_USER_AGENT", "CLIENT_SECRET_EXPIRED",
            ])
        #expect(
            MPinUser.State.allCases.map(\.rawValue) == [
                "INVALID", "STARTED_REGISTRATION", "ACTIVATED", "REGISTERED", "BLOCKED",
            ])
    }

    @Test(arguments: [
        (
            FakeMPinService.Call.start, "mpin.disabled", 403, MPinStatus.Code.identityNotAuthorized,
            MPinUser.State.invalid
        ),
        (.start, "request.rate_limited", 429, .httpRequestError, .invalid),
        (.start, "request.invalid", 400, .httpRequestError, .invalid),
        (.signature, "mpin.unauthorized", 401, .identityNotVerified, .activated),
        (.signature, "mpin.blocked", 410, .incorrectPIN, .blocked), (.signature, "mpin.ended", 410, .revoked, .blocked),
        (.secondShare, "x", 408, .requestExpired, .activated),
        (.secondShare, "x", 410, .clientSecretExpired, .activated),
        (.pass1, "mpin.point_invalid", 403, .httpRequestError, .registered),
        (.pass2, "mpin.request_expired", 408, .requestExpired, .registered),
        (.authenticate, "mpin.wrong_pin", 401, .incorrectPIN, .registered),
        (.authenticate, "mpin.blocked", 410, .incorrectPIN, .blocked),
        (.authenticate, "mpin.ended", 410, .revoked, .blocked),
        (.authenticate, "mpin.key_expired", 409, .clientSecretExpired, .registered),
        (.authenticate, "mpin.unauthorized", 401, .identityNotAuthorized, .registered),
    ])
    func `a refusal leads to its status and state`(
        call: FakeMPinService.Call, problem: String, http: Int, status: MPinStatus.Code, state: MPinUser.State
    ) async throws {
        let device = try await MPinDevice(FakeMPinService())
        let isAuthentication = [.pass1, .pass2, .authenticate].contains(call)
        let user = try await device.user(
            call == .start ? .invalid : isAuthentication ? .registered : .activated)
        await device.service.answer(call, .response(FakeMPinService.problem(problem, http)))
        let result =
            switch call {
            case .start: await device.client.startRegistration(user)
            case .signature, .secondShare: await device.client.confirmRegistration(user)
            default: await device.client.finishAuthentication(user, pin: "2741")
            }
        #expect(result.status == status && user.getState() == state)
        if state == .blocked { #expect(try await device.record()?.token == nil) }
    }

    @Test func `a restart that the service refuses for good blocks the user`() async throws {
        let device = try await MPinDevice(FakeMPinService(verifiesAtOnce: false))
        let user = try await device.user(.startedRegistration)
        await device.service.answer(
            .restart, .response(FakeMPinService.problem("mpin.wrong_state", 409)),
            .response(FakeMPinService.problem("mpin.ended", 410)))
        #expect(await device.client.restartRegistration(user).status == .flowError)
        #expect(user.getState() == .startedRegistration)
        #expect(await device.client.restartRegistration(user).status == .revoked)
        #expect(user.getState() == .blocked)
        #expect(try await device.record()?.regOTT == nil)
    }
}
