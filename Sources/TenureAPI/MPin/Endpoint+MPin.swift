extension Endpoint {
    private static func mpin(
        _ method: String, _ rest: String, _ summary: String, access: Access = .app
    ) -> Endpoint { Endpoint(method, "/mpin/{companyName}" + rest, access, summary) }

    /// Tells a client of M-Pin where it finds what.
    public static let readMPinSettings = mpin("GET", "/rps/clientSettings", "Tell an M-Pin client where it finds what")
    /// Starts the registration of a PIN.
    public static let startMPin = mpin("PUT", "/rps/user", "Start the registration of a PIN")
    /// Starts an unverified or expired registration again.
    public static let restartMPin = mpin("PUT", "/rps/user/{mpinId}", "Start an unverified registration of a PIN again")
    /// Verifies an identity with the code of a mailed link.
    public static let activateMPin = mpin(
        "POST", "/rps/user/{mpinId}", "Verify a user id with the code of a mailed link")
    /// Issues the first share of a client key.
    public static let confirmMPin = mpin(
        "GET", "/rps/signature/{mpinId}", "Issue a share of the client key, and a permit for the other one")
    /// Accepts that a client has finished; the first right proof is what completes a registration.
    public static let finishMPin = mpin("POST", "/rps/setupDone/{mpinId}", "Take note that a client has its key")
    /// Answers a commitment with a challenge.
    public static let startMPinProof = mpin("POST", "/rps/pass1", "Answer the commitment of a proof with a challenge")
    /// Takes the response to a challenge.
    public static let proveMPin = mpin("POST", "/rps/pass2", "Take the response, and give a token for the verdict")
    /// Redeems the verdict of a proof.
    public static let redeemMPinProof = mpin("POST", "/authenticate", "Tell, once, whether a proof was right and whose")
    /// Shows the page of a mailed link.
    public static let showMPinLink = mpin(
        "GET", "/verification/{identityId}", "Show the page of a mailed link; changes nothing", access: .anyone)
    /// Verifies a user id from the page of a mailed link.
    public static let followMPinLink = mpin(
        "POST", "/verification/{identityId}", "Verify a user id from the page of a mailed link", access: .anyone)
    /// Completes a log-in by the proof of a PIN.
    public static let logInByMPin = Endpoint(
        "POST", "/v1/logins/{flow}/mpin", .app, "Complete a login by the proof of a PIN")

    private static func administration(
        _ method: String, _ rest: String, _ summary: String, access: Access = .appOrEmployee
    ) -> Endpoint { Endpoint(method, "/v1/companies/{companyName}/mpin" + rest, access, summary) }

    /// Verifies an identity by a decision.
    public static let verifyMPin = administration(
        "POST", "/identities/{identityId}/verification", "Verify an M-Pin identity")
    /// Links an identity to the caller's account.
    public static let linkMPin = administration(
        "POST", "/identities/{identityId}/link", "Link an M-Pin identity to the caller's account", access: .employee)
    /// Revokes an identity.
    public static let revokeMPin = administration(
        "POST", "/identities/{identityId}/revocation", "Revoke an M-Pin identity")
    /// Issues an activation code.
    public static let issueMPinActivation = administration(
        "POST", "/activations", "Issue a code that verifies an M-Pin identity")
    /// Reads the rules for M-Pin.
    public static let readMPinPolicy = administration(
        "GET", "/policy", "Read the rules for M-Pin of a company", access: .employee)
    /// Changes the rules for M-Pin.
    public static let changeMPinPolicy = administration(
        "PATCH", "/policy", "Change the rules for M-Pin of a company", access: .employee)

    /// The endpoints of M-Pin, in the order of the documentation.
    static let ofMPin: [Endpoint] = [
        .readMPinSettings, .startMPin, .restartMPin, .activateMPin, .confirmMPin, .finishMPin, .startMPinProof,
        .proveMPin, .redeemMPinProof, .showMPinLink, .followMPinLink, .logInByMPin, .verifyMPin, .linkMPin, .revokeMPin,
        .issueMPinActivation, .readMPinPolicy, .changeMPinPolicy,
    ]

    /// Whether an endpoint belongs to the M-Pin protocol, in which 401 means a wrong proof and never a refused app.
    public var isMPinProtocol: Bool { template.text.hasPrefix("/mpin/") }
}
