extension Endpoint {
    /// Starts a recovery of credentials.
    public static let startRecovery = Endpoint(
        "POST", "/v1/recoveries", .app, "Start a recovery of credentials, or go on with one")
    /// Proves possession of the device key of a recovery.
    public static let proveRecoveryKey = Endpoint(
        "POST", "/v1/recoveries/{flow}/key", .app, "Prove possession of the device key of a recovery")
    /// Sets new credentials by a recovery.
    public static let recoverCredentials = Endpoint(
        "POST", "/v1/recoveries/{flow}/credentials", .app, "Set new credentials by a recovery")
    /// Evaluates blinded elements in a recovery.
    public static let evaluateRecovery = Endpoint(
        "POST", "/v1/recoveries/{flow}/evaluations", .app, "Evaluate blinded elements in a recovery")
    /// Takes the new credentials in a recovery.
    public static let proveRecovery = Endpoint(
        "POST", "/v1/recoveries/{flow}/proof", .app, "Set credentials that the client made in a recovery")
    /// Lists recoveries that wait.
    public static let listRecoveries = Endpoint(
        "GET", "/v1/companies/{companyName}/recoveries", .employee, "List the recoveries that wait in a company")
    /// Opens a recovery.
    public static let openRecovery = decision("/opening", "Open a recovery")
    /// Confirms a recovery.
    public static let confirmRecovery = decision("/confirmation", "Confirm a recovery")
    /// Cancels a recovery.
    public static let cancelRecovery = decision("/cancellation", "Cancel a recovery")

    private static func decision(_ rest: String, _ summary: String) -> Endpoint {
        Endpoint(
            "POST", "/v1/companies/{companyName}/employees/{companyEmployeeId}/recoveries/{fingerprint}" + rest,
            .employee, summary)
    }
}
