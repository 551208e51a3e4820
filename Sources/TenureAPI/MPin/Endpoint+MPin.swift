import ErrorCodes

extension Endpoint {
    private static let mpin = "/mpin/{companyName}"
    private static let company = "/v1/companies/{companyName}"

    /// Tells a client of M-Pin where it finds what.
    public static let readMPinSettings = Endpoint(
        "readMPinSettings", "GET", mpin + "/rps/clientSettings", "Tell an M-Pin client where it finds what", .mpin,
        by: [.accessApp, .creationApp], answers: .json(MPinClientSettingsResponse.self),
        refuses: [.serviceBusy, .mpinDisabled])
    /// Starts the registration of a PIN.
    public static let startMPin = Endpoint(
        "startMPin", "PUT", mpin + "/rps/user", "Start the registration of a PIN", .mpin, by: [.creationApp],
        takes: .required(MPinStartRequest.self), answers: .json(MPinRegistrationResponse.self), .multilingual,
        refuses: [
            .authorizationNotPermitted, .requestStale, .mailUnavailable, .serviceBusy, .mpinDisabled,
            .mpinWrongState,
        ])
    /// Starts an unverified or expired registration again.
    public static let restartMPin = Endpoint(
        "restartMPin", "PUT", mpin + "/rps/user/{mpinId}", "Start an unverified registration of a PIN again", .mpin,
        by: [.creationApp], takes: .required(MPinStartRequest.self, as: "MPinRestartRequest"),
        answers: .json(MPinRegistrationResponse.self), .multilingual,
        refuses: .endedMPin + [
            .requestStale, .mailUnavailable, .serviceBusy, .mpinUnknown, .mpinDisabled,
            .mpinWrongState,
        ])
    /// Verifies an identity with the code of a mailed link.
    public static let activateMPin = Endpoint(
        "activateMPin", "POST", mpin + "/rps/user/{mpinId}", "Verify a user id with the code of a mailed link", .mpin,
        by: [.creationApp], takes: .required(MPinActivateRequest.self), answers: .json(MPinEmptyResponse.self),
        refuses: .endedMPin + [
            .requestStale, .serviceBusy, .mpinUnknown, .mpinDisabled, .mpinRequestExpired,
            .mpinWrongState,
        ])
    /// Issues the first share of a client key.
    public static let confirmMPin = Endpoint(
        "confirmMPin", "GET", mpin + "/rps/signature/{mpinId}",
        "Issue a share of the client key, and a permit for the other one", .mpin, by: [.creationApp],
        answers: .json(MPinSignatureResponse.self), query: [.regOTT, .pmiToken],
        refuses: .endedMPin + [
            .requestStale, .serviceBusy, .mpinUnknown, .mpinUnauthorized, .mpinDisabled,
            .mpinWrongState, .mpinKeyExpired,
        ])
    /// Accepts that a client has finished; the first right proof is what completes a registration.
    public static let finishMPin = Endpoint(
        "finishMPin", "POST", mpin + "/rps/setupDone/{mpinId}", "Take note that a client has its key", .mpin,
        by: [.accessApp, .creationApp], takes: .optional(named: "MPinSetupDoneRequest"),
        answers: .json(MPinEmptyResponse.self), refuses: [.serviceBusy, .mpinDisabled])
    /// Answers a commitment with a challenge.
    public static let startMPinProof = Endpoint(
        "startMPinProof", "POST", mpin + "/rps/pass1", "Answer the commitment of a proof with a challenge", .mpin,
        by: [.accessApp], takes: .required(MPinPass1Request.self),
        answers: .json(MPinPassResponse.self, as: "MPinChallenge"),
        refuses: [.serviceBusy, .mpinUnknown, .mpinDisabled, .mpinPointInvalid])
    /// Takes the response to a challenge.
    public static let proveMPin = Endpoint(
        "proveMPin", "POST", mpin + "/rps/pass2", "Take the response, and give a token for the verdict", .mpin,
        by: [.accessApp], takes: .required(MPinPass2Request.self),
        answers: .json(MPinPassResponse.self, as: "MPinToken"),
        refuses: [.requestStale, .serviceBusy, .mpinUnknown, .mpinDisabled, .mpinPointInvalid, .mpinRequestExpired])
    /// Redeems the verdict of a proof.
    public static let redeemMPinProof = Endpoint(
        "redeemMPinProof", "POST", mpin + "/authenticate", "Tell, once, whether a proof was right and whose", .mpin,
        by: [.accessApp], takes: .required(MPinTokenRequest.self, as: "MPinAuthenticateRequest"),
        answers: .json(MPinAuthenticationResponse.self), .idempotent,
        refuses: .endedMPin + [
            .employeeInactive, .requestStale, .mpinUnauthorized, .mpinWrongPIN, .mpinDisabled,
            .mpinRequestExpired, .mpinWrongState, .mpinKeyExpired,
        ])
    /// Shows the page of a mailed link.
    public static let showMPinLink = Endpoint(
        "showMPinLink", "GET", mpin + "/verification/{identityId}", "Show the page of a mailed link; changes nothing",
        .mpin, by: [.anyone], answers: .mailedPage(refusals: [403, 408, 409, 410]), query: .link)
    /// Verifies a user id from the page of a mailed link.
    public static let followMPinLink = Endpoint(
        "followMPinLink", "POST", mpin + "/verification/{identityId}",
        "Verify a user id from the page of a mailed link", .mpin, by: [.anyone], takes: .pageForm,
        answers: .mailedPage(refusals: [403, 408, 409, 410]), query: .link, refuses: [.requestStale, .serviceBusy])
    /// Completes a log-in by the proof of a PIN.
    public static let logInByMPin = Endpoint(
        "logInByMPin", "POST", "/v1/logins/{flow}/mpin", "Complete a login by the proof of a PIN", .flows,
        by: .accessApps, takes: .required(MPinLoginRequest.self), answers: .outcome,
        refuses: .admission + .endedMPin + [
            .requestStale, .mpinUnauthorized, .mpinWrongPIN, .mpinDisabled,
            .mpinRequestExpired, .mpinWrongState, .mpinKeyExpired,
        ])

    /// Verifies an identity by a decision.
    public static let verifyMPin = Endpoint(
        "verifyMPin", "POST", company + "/mpin/identities/{identityId}/verification", "Verify an M-Pin identity",
        .decisions, by: [.authorizationApp] + .admins, takes: .optional(DecisionRequest.self), answers: .decision,
        refuses: .endedMPin + [.mpinUnknown, .mpinDisabled, .mpinWrongState])
    /// Links an identity to the caller's account.
    public static let linkMPin = Endpoint(
        "linkMPin", "POST", company + "/mpin/identities/{identityId}/link",
        "Link an M-Pin identity to the caller's account", .decisions, by: .employees,
        takes: .required(MPinLinkRequest.self), answers: .decision,
        refuses: .endedMPin + [.employeeInactive, .mpinUnknown, .mpinDisabled, .mpinWrongState])
    /// Revokes an identity.
    public static let revokeMPin = Endpoint(
        "revokeMPin", "POST", company + "/mpin/identities/{identityId}/revocation", "Revoke an M-Pin identity",
        .decisions, by: [.authorizationApp, .oneself] + .admins,
        takes: .required(DecisionRequest.self, as: "ReasonedDecisionRequest"), answers: .decision,
        refuses: [.employeeUnknown, .mpinUnknown])
    /// Issues an activation code.
    public static let issueMPinActivation = Endpoint(
        "issueMPinActivation", "POST", company + "/mpin/activations", "Issue a code that verifies an M-Pin identity",
        .decisions, by: [.authorizationApp] + .admins, takes: .required(MPinActivationRequest.self),
        answers: .json(MPinActivationResponse.self), .idempotent, refuses: [.requestStale, .mpinDisabled])
    /// Reads the rules for M-Pin.
    public static let readMPinPolicy = Endpoint(
        "readMPinPolicy", "GET", company + "/mpin/policy", "Read the rules for M-Pin of a company", .companies,
        by: .admins, answers: .json(MPinPolicyResponse.self), .conditional)
    /// Changes the rules for M-Pin.
    public static let changeMPinPolicy = Endpoint(
        "changeMPinPolicy", "PATCH", company + "/mpin/policy", "Change the rules for M-Pin of a company", .decisions,
        by: [.securityAdmin], takes: .required(MPinPolicyChangeRequest.self), answers: .decision, .versioned,
        refuses: [.sessionLoginRequired])

    /// The endpoints of M-Pin, in the order of the documentation.
    static let ofMPin: [Endpoint] = [
        .readMPinSettings, .startMPin, .restartMPin, .activateMPin, .confirmMPin, .finishMPin, .startMPinProof,
        .proveMPin, .redeemMPinProof, .showMPinLink, .followMPinLink, .logInByMPin, .verifyMPin, .linkMPin, .revokeMPin,
        .issueMPinActivation, .readMPinPolicy, .changeMPinPolicy,
    ]
}
