extension Endpoint {
    /// Tells that the process answers.
    public static let health = Endpoint("GET", "/healthz", .anyone, "Tell that the process answers")
    /// Tells whether the service can do its work.
    public static let readiness = Endpoint("GET", "/readyz", .anyone, "Tell whether the service can do its work")
    /// Gives counters.
    public static let metrics = Endpoint(
        "GET", "/metrics", .anyone, "Give counters in the Prometheus text format (loopback, or with the token)")
    /// Gives the anchor of the log.
    public static let anchor = Endpoint("GET", "/anchor", .anyone, "Give the newest anchor of the log, with its key")
    /// Gives the description of the API.
    public static let openAPI = Endpoint("GET", "/openapi.yaml", .anyone, "Give the description of this API")
    /// Gives the documentation.
    public static let docs = Endpoint("GET", "/docs", .anyone, "Give this documentation")
    /// Gives the style sheet of the documentation.
    public static let docsStyle = Endpoint("GET", "/docs/style.css", .anyone, "Give the style of the documentation")

    /// Every operation, in the order of the documentation.
    public static let all: [Endpoint] = [
        .startRegistration, .proveRegistrationKey, .setCredentials, .validateRegistrationAnswers,
        .validateRegistrationPassphrase, .evaluateRegistration, .proveRegistration, .startLogin, .proveLoginKey,
        .validateLoginAnswers, .validateLoginPassphrase, .evaluateLogin, .proveLogin,
        .startChange, .proveChangeKey, .changeCredentials, .evaluateChange, .proveChange,
        .startRecovery, .proveRecoveryKey, .recoverCredentials, .evaluateRecovery, .proveRecovery, .listRecoveries,
        .openRecovery, .confirmRecovery, .cancelRecovery,
        .refreshSession, .closeSession, .listSessions, .listDevices, .revokeDevice, .readCompany, .listEmployees,
        .readEmployee,
        .readSecurityAdmin, .listAuthorizations, .authorizeKey, .refuseKey, .revokeKey, .approveEmployee,
        .cancelEmployee, .reinstateEmployee, .changeRole, .reclaimEmail, .readPolicy, .changePolicy, .linkApp,
        .unlinkApp, .listEvents, .readCheckpoint, .readTile, .proveEvent, .health, .readiness, .metrics, .anchor,
        .openAPI, .docs, .docsStyle,
    ]
}
