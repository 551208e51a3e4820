extension Route {
    /// Every route that is served.
    static func all(_ configuration: HTTPConfiguration, metrics: RequestMetrics) -> [Route] {
        [
            startRegistration, proveRegistrationKey, setCredentials, validateRegistrationAnswers,
            validateRegistrationPassphrase, evaluateRegistration, proveRegistration, startLogin, proveLoginKey,
            validateLoginAnswers, validateLoginPassphrase, evaluateLogin, proveLogin,
            startChange, proveChangeKey, changeCredentials, evaluateChange, proveChange,
            startRecovery, proveRecoveryKey, recoverCredentials, evaluateRecovery, proveRecovery, listRecoveries,
            openRecovery, confirmRecovery, cancelRecovery,
            refreshSession, closeSession, listSessions, listDevices, revokeDevice, readCompany, listEmployees,
            readEmployee, readSecurityAdmin, listAuthorizations, authorizeKey, refuseKey, revokeKey, approveEmployee,
            cancelEmployee,
            reinstateEmployee, changeRole, reclaimEmail, readPolicy, changePolicy, linkApp, unlinkApp, listEvents,
            readCheckpoint, readTile, proveEvent, health, readiness, Route.metrics(configuration, metrics), anchor,
            openAPI, docs, docsStyle,
        ]
    }
}
