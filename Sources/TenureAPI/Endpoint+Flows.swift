extension Endpoint {
    /// Starts a registration.
    public static let startRegistration = Endpoint("POST", "/v1/registrations", .app, "Start a registration")
    /// Proves possession of the device key of a registration.
    public static let proveRegistrationKey = Endpoint(
        "POST", "/v1/registrations/{flow}/key", .app, "Prove possession of the device key of a registration")
    /// Sets a new user's credentials.
    public static let setCredentials = Endpoint(
        "POST", "/v1/registrations/{flow}/credentials", .app, "Set a new user's credentials")
    /// Validates answers in a registration.
    public static let validateRegistrationAnswers = Endpoint(
        "POST", "/v1/registrations/{flow}/answers", .app, "Validate answers in a registration")
    /// Validates the passphrase in a registration.
    public static let validateRegistrationPassphrase = Endpoint(
        "POST", "/v1/registrations/{flow}/passphrase", .app, "Validate the passphrase in a registration")
    /// Starts a login.
    public static let startLogin = Endpoint("POST", "/v1/logins", .app, "Start a login")
    /// Proves possession of the device key of a login.
    public static let proveLoginKey = Endpoint(
        "POST", "/v1/logins/{flow}/key", .app, "Prove possession of the device key of a login")
    /// Validates answers in a login.
    public static let validateLoginAnswers = Endpoint(
        "POST", "/v1/logins/{flow}/answers", .app, "Validate answers in a login")
    /// Validates the passphrase in a login.
    public static let validateLoginPassphrase = Endpoint(
        "POST", "/v1/logins/{flow}/passphrase", .app, "Validate the passphrase in a login")
    /// Evaluates blinded elements in a registration.
    public static let evaluateRegistration = Endpoint(
        "POST", "/v1/registrations/{flow}/evaluations", .app, "Evaluate blinded elements in a registration")
    /// Takes the proof of a secret in a registration.
    public static let proveRegistration = Endpoint(
        "POST", "/v1/registrations/{flow}/proof", .app, "Prove a secret, or set credentials, in a registration")
    /// Evaluates blinded elements in a login.
    public static let evaluateLogin = Endpoint(
        "POST", "/v1/logins/{flow}/evaluations", .app, "Evaluate blinded elements in a login")
    /// Takes the proof of a secret in a login.
    public static let proveLogin = Endpoint("POST", "/v1/logins/{flow}/proof", .app, "Prove a secret in a login")
    /// Starts a change of credentials.
    public static let startChange = Endpoint("POST", "/v1/credentials/changes", .app, "Start a change of credentials")
    /// Proves possession of the device key of a change.
    public static let proveChangeKey = Endpoint(
        "POST", "/v1/credentials/changes/{flow}/key", .app, "Prove possession of the device key of a change")
    /// Changes credentials.
    public static let changeCredentials = Endpoint(
        "POST", "/v1/credentials/changes/{flow}/credentials", .app, "Change credentials with the old secret")
    /// Evaluates blinded elements in a change.
    public static let evaluateChange = Endpoint(
        "POST", "/v1/credentials/changes/{flow}/evaluations", .app, "Evaluate blinded elements in a change")
    /// Takes the proof of the old secret, or the new credentials, in a change.
    public static let proveChange = Endpoint(
        "POST", "/v1/credentials/changes/{flow}/proof", .app, "Prove the old secret, or set credentials, in a change")
    /// Exchanges a refresh token for new tokens.
    public static let refreshSession = Endpoint(
        "POST", "/v1/sessions/refresh", .anyone, "Exchange a refresh token for new tokens")
    /// Ends the caller's session.
    public static let closeSession = Endpoint("DELETE", "/v1/sessions/current", .employee, "End the caller's session")
    /// Lists the caller's open sessions.
    public static let listSessions = Endpoint("GET", "/v1/sessions", .employee, "List the caller's open sessions")
    /// Lists the caller's device keys.
    public static let listDevices = Endpoint("GET", "/v1/devices", .employee, "List the caller's device keys")
    /// Revokes a device key of the caller's own.
    public static let revokeDevice = Endpoint(
        "POST", "/v1/devices/{fingerprint}/revocation", .employee, "Revoke a device key of the caller's own")
}
