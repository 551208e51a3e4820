/// An endpoint of the API: a method and a path pattern.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// The callers that an endpoint accepts.
    public enum Access: String, Sendable, Hashable {
        /// Any caller, without credentials.
        case anyone
        /// An app with one of its secrets (`Basic`).
        case app
        /// An employee with an access token (`Bearer`).
        case employee
        /// An app or an employee.
        case appOrEmployee
    }

    /// The HTTP method.
    public let method: String
    /// The path pattern.
    public let template: PathTemplate
    /// The callers that the endpoint accepts.
    public let access: Access
    /// What the endpoint does, in one line.
    public let summary: String

    /// Describes an endpoint.
    public init(
        _ method: String, _ template: String, takesRest: Bool = false, _ access: Access, _ summary: String
    ) {
        self.method = method
        self.template = PathTemplate(template, takesRest: takesRest)
        self.access = access
        self.summary = summary
    }

    /// The method and the path pattern.
    public var description: String { "\(method) \(template)" }
}

extension Endpoint {
    /// Returns the published list of security questions.
    public static let listQuestions = Endpoint(
        "GET", "/v1/questions", .anyone, "Give the published list of security questions")
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
    /// Starts a log-in.
    public static let startLogin = Endpoint("POST", "/v1/logins", .app, "Start a login")
    /// Proves possession of the device key of a log-in.
    public static let proveLoginKey = Endpoint(
        "POST", "/v1/logins/{flow}/key", .app, "Prove possession of the device key of a login")
    /// Validates answers in a log-in.
    public static let validateLoginAnswers = Endpoint(
        "POST", "/v1/logins/{flow}/answers", .app, "Validate answers in a login")
    /// Validates the passphrase in a log-in.
    public static let validateLoginPassphrase = Endpoint(
        "POST", "/v1/logins/{flow}/passphrase", .app, "Validate the passphrase in a login")
    /// Evaluates blinded elements in a registration.
    public static let evaluateRegistration = Endpoint(
        "POST", "/v1/registrations/{flow}/evaluations", .app, "Evaluate blinded elements in a registration")
    /// Accepts the proof of a secret in a registration.
    public static let proveRegistration = Endpoint(
        "POST", "/v1/registrations/{flow}/proof", .app, "Prove a secret, or set credentials, in a registration")
    /// Evaluates blinded elements in a log-in.
    public static let evaluateLogin = Endpoint(
        "POST", "/v1/logins/{flow}/evaluations", .app, "Evaluate blinded elements in a login")
    /// Accepts the proof of a secret in a log-in.
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
    /// Accepts the proof of the current secret, or the new credentials, in a change.
    public static let proveChange = Endpoint(
        "POST", "/v1/credentials/changes/{flow}/proof", .app, "Prove the old secret, or set credentials, in a change")
    /// Exchanges a refresh token for new tokens.
    public static let refreshSession = Endpoint(
        "POST", "/v1/sessions/refresh", .anyone, "Exchange a refresh token for new tokens")
    /// Ends the caller's session.
    public static let closeSession = Endpoint("DELETE", "/v1/sessions/current", .employee, "End the caller's session")
    /// Lists the caller's open sessions.
    public static let listSessions = Endpoint("GET", "/v1/sessions", .employee, "List the caller's open sessions")
    /// Ends every session of the caller.
    public static let endSessions = Endpoint("DELETE", "/v1/sessions", .employee, "End all of the caller's sessions")
    /// Describes the caller's account and session.
    public static let readMe = Endpoint("GET", "/v1/me", .employee, "Tell the caller who they are")
    /// Sends a mail that verifies the caller's address.
    public static let verifyMyEmail = Endpoint(
        "POST", "/v1/me/email-verification", .employee, "Send a mail that verifies the caller's e-mail")
    /// Shows the page behind the link of such a mail.
    public static let showEmailLink = Endpoint(
        "GET", "/verify-email/{userId}", .anyone, "Show the page behind the link of a mail; changes nothing")
    /// Verifies an address by the button of that page.
    public static let confirmEmail = Endpoint(
        "POST", "/verify-email/{userId}", .anyone, "Verify an e-mail by the link of a mail")
    /// Lists the caller's device keys.
    public static let listDevices = Endpoint("GET", "/v1/devices", .employee, "List the caller's device keys")
    /// Revokes one of the caller's own device keys.
    public static let revokeDevice = Endpoint(
        "POST", "/v1/devices/{fingerprint}/revocation", .employee, "Revoke a device key of the caller's own")
}

extension Endpoint {
    /// Starts a recovery of credentials.
    public static let startRecovery = Endpoint(
        "POST", "/v1/recoveries", .app, "Start a recovery of credentials, or go on with one")
    /// Proves possession of the device key of a recovery.
    public static let proveRecoveryKey = Endpoint(
        "POST", "/v1/recoveries/{flow}/key", .app, "Prove possession of the device key of a recovery")
    /// Sets new credentials through a recovery.
    public static let recoverCredentials = Endpoint(
        "POST", "/v1/recoveries/{flow}/credentials", .app, "Set new credentials by a recovery")
    /// Evaluates blinded elements in a recovery.
    public static let evaluateRecovery = Endpoint(
        "POST", "/v1/recoveries/{flow}/evaluations", .app, "Evaluate blinded elements in a recovery")
    /// Accepts the new credentials in a recovery.
    public static let proveRecovery = Endpoint(
        "POST", "/v1/recoveries/{flow}/proof", .app, "Set credentials that the client made in a recovery")
    /// Lists the recoveries that are open or requested.
    public static let listRecoveries = Endpoint(
        "GET", "/v1/companies/{companyName}/recoveries", .employee, "List the recoveries that wait in a company")
    /// Opens a recovery.
    public static let openRecovery = decision("/opening", "Open a recovery")
    /// Confirms a recovery.
    public static let confirmRecovery = decision("/confirmation", "Confirm a recovery")
    /// Cancels a recovery with a statement that a device key signed; needs no session.
    public static let cancelRecoveryByDevice = Endpoint(
        "POST", "/v1/logins/{flow}/recovery/cancellation", .app, "Cancel a recovery with a device, without a session")
    /// Cancels a recovery.
    public static let cancelRecovery = decision("/cancellation", "Cancel a recovery")

    /// Starts a return of the security admin.
    public static let startReturn = Endpoint(
        "POST", "/v1/returns", .app, "Start the return of a security admin, or complete it")
    /// Proves possession of the device key of a return.
    public static let proveReturnKey = Endpoint(
        "POST", "/v1/returns/{flow}/key", .app, "Prove possession of the device key of a return")
    /// Validates answers in a return.
    public static let validateReturnAnswers = Endpoint(
        "POST", "/v1/returns/{flow}/answers", .app, "Validate answers in a return")
    /// Validates the passphrase in a return.
    public static let validateReturnPassphrase = Endpoint(
        "POST", "/v1/returns/{flow}/passphrase", .app, "Validate the passphrase in a return")
    /// Evaluates blinded elements in a return.
    public static let evaluateReturn = Endpoint(
        "POST", "/v1/returns/{flow}/evaluations", .app, "Evaluate blinded elements in a return")
    /// Accepts the proof of a secret in a return.
    public static let proveReturn = Endpoint(
        "POST", "/v1/returns/{flow}/proof", .app, "Prove a secret in a return")
    /// Cancels or undoes a return with a statement that a former device key signed; needs no session.
    public static let cancelReturnByDevice = Endpoint(
        "POST", "/v1/logins/{flow}/return/cancellation", .app, "Cancel or undo a return with a former device")
    /// Shows the page behind the link that opens a return.
    public static let showReturnLink = Endpoint(
        "GET", "/return/{companyName}/{returnId}", .anyone,
        "Show the page behind the link that opens a return; changes nothing")
    /// Opens a return by the button of that page.
    public static let openReturn = Endpoint(
        "POST", "/return/{companyName}/{returnId}", .anyone, "Open a return by the link of a mail")
    /// Shows the page behind the link that cancels a return.
    public static let showReturnCancellation = Endpoint(
        "GET", "/return/{companyName}/{returnId}/cancellation", .anyone,
        "Show the page behind the link that cancels a return; changes nothing")
    /// Cancels a return by the button of that page.
    public static let cancelReturn = Endpoint(
        "POST", "/return/{companyName}/{returnId}/cancellation", .anyone, "Cancel a return by the link of a mail")

    /// The endpoints of returns, in the order of the documentation.
    static let ofReturns: [Endpoint] = [
        .startReturn, .proveReturnKey, .validateReturnAnswers, .validateReturnPassphrase, .evaluateReturn,
        .proveReturn, .cancelReturnByDevice, .showReturnLink, .openReturn, .showReturnCancellation, .cancelReturn,
    ]

    private static func decision(_ rest: String, _ summary: String) -> Endpoint {
        Endpoint(
            "POST", "/v1/companies/{companyName}/employees/{companyEmployeeId}/recoveries/{fingerprint}" + rest,
            .employee, summary)
    }
}

extension Endpoint {
    private static func company(
        _ method: String, _ rest: String, _ summary: String, access: Access = .appOrEmployee
    ) -> Endpoint {
        Endpoint(method, "/v1/companies/{companyName}" + rest, access, summary)
    }

    /// Reads a tenant.
    public static let readCompany = company("GET", "", "Read a company")
    /// Lists employees.
    public static let listEmployees = company("GET", "/employees", "List the employees of a company")
    /// Reads an employee with their device keys.
    public static let readEmployee = company(
        "GET", "/employees/{companyEmployeeId}", "Read an employee with the device keys")
    /// Reads the security admin and the event that proves the role.
    public static let readSecurityAdmin = company("GET", "/security-admin", "Read who is the security admin, and why")
    /// Lists pending device keys.
    public static let listAuthorizations = company(
        "GET", "/authorizations", "List the keys that wait, with the statement to sign")
    /// Lists M-Pin identities.
    public static let listMPinIdentities = company("GET", "/mpin/identities", "List the M-Pin identities of a company")
    /// Lists events.
    public static let listEvents = company("GET", "/events", "List the events of a company")
    /// Reads the signed checkpoint.
    public static let readCheckpoint = company("GET", "/checkpoint", "Read the signed checkpoint of a company's ledger")
    /// Reads a tile of the tiled log.
    public static let readTile = Endpoint(
        "GET", "/v1/companies/{companyName}/tile/{tile}", takesRest: true, .appOrEmployee,
        "Read a tile of hashes or a bundle of entries of a company's ledger")
    /// Returns the inclusion proof of an event.
    public static let proveEvent = company(
        "GET", "/events/{position}/proof", "Prove that an event is in a company's ledger")
    /// Reads the policy.
    public static let readPolicy = company("GET", "/policy", "Read the policy of a company", access: .employee)
    /// Changes the policy.
    public static let changePolicy = company("PATCH", "/policy", "Change the policy of a company", access: .employee)
    /// Links an app.
    public static let linkApp = company("PUT", "/apps/{appId}", "Link an app to a company", access: .employee)
    /// Unlinks an app.
    public static let unlinkApp = company("DELETE", "/apps/{appId}", "Unlink an app from a company", access: .employee)
    /// Reclaims an e-mail address of a confirmed domain.
    public static let reclaimEmail = company("POST", "/reclaimed-emails", "Reclaim a company-owned e-mail")
    /// Issues an invitation.
    public static let issueInvitation = company("POST", "/invitations", "Invite somebody to register")
    /// Lists open invitations.
    public static let listInvitations = company("GET", "/invitations", "List the open invitations of a company")
    /// Revokes an invitation.
    public static let revokeInvitation = company("DELETE", "/invitations/{invitationId}", "Take an invitation back")

    private static let key = "/employees/{companyEmployeeId}/keys/{fingerprint}"
    /// Authorizes a device key.
    public static let authorizeKey = company("POST", key + "/authorization", "Authorize an employee key")
    /// Refuses a device key.
    public static let refuseKey = company("POST", key + "/refusal", "Refuse an employee key")
    /// Revokes a device key.
    public static let revokeKey = company("POST", key + "/revocation", "Revoke an employee key")
    /// Approves an employee.
    public static let approveEmployee = company(
        "POST", "/employees/{companyEmployeeId}/approval", "Approve an employee")
    /// Cancels an employee.
    public static let cancelEmployee = company(
        "POST", "/employees/{companyEmployeeId}/cancellation", "Cancel an employee")
    /// Changes an employee's role.
    public static let changeRole = company(
        "POST", "/employees/{companyEmployeeId}/role", "Change an employee's role", access: .employee)
    /// Reinstates a cancelled employee.
    public static let reinstateEmployee = company(
        "POST", "/employees/{companyEmployeeId}/reinstatement", "Take a cancelled employee back")
    /// Ends all sessions of an employee.
    public static let endEmployeeSessions = company(
        "POST", "/employees/{companyEmployeeId}/sessions/end", "End all sessions of an employee")
}

extension Endpoint {
    /// Liveness: the process answers.
    public static let health = Endpoint("GET", "/healthz", .anyone, "Tell that the process answers")
    /// Readiness: the service can do its work.
    public static let readiness = Endpoint("GET", "/readyz", .anyone, "Tell whether the service can do its work")
    /// Returns the newest anchor of the log.
    public static let anchor = Endpoint("GET", "/anchor", .anyone, "Give the newest anchor of the log, with its key")
    /// Returns the OpenAPI description.
    public static let openAPI = Endpoint("GET", "/openapi.yaml", .anyone, "Give the description of this API")
    /// Returns the documentation page.
    public static let docs = Endpoint("GET", "/docs", .anyone, "Give this documentation")
    /// Returns the style sheet of the documentation page.
    public static let docsStyle = Endpoint("GET", "/docs/style.css", .anyone, "Give the style of the documentation")
    /// Returns the script of the documentation page.
    public static let docsScript = Endpoint("GET", "/docs/script.js", .anyone, "Give the script of the documentation")

    /// Every endpoint, in the order of the documentation.
    public static let all: [Endpoint] = general + ofReturns + ofTokens + ofOpenID + ofMPin

    private static let general: [Endpoint] = [
        .listQuestions,
        .startRegistration, .proveRegistrationKey, .setCredentials, .validateRegistrationAnswers,
        .validateRegistrationPassphrase, .evaluateRegistration, .proveRegistration, .startLogin, .proveLoginKey,
        .validateLoginAnswers, .validateLoginPassphrase, .evaluateLogin, .proveLogin,
        .startChange, .proveChangeKey, .changeCredentials, .evaluateChange, .proveChange,
        .startRecovery, .proveRecoveryKey, .recoverCredentials, .evaluateRecovery, .proveRecovery, .listRecoveries,
        .openRecovery, .confirmRecovery, .cancelRecovery, .cancelRecoveryByDevice,
        .issueInvitation, .listInvitations, .revokeInvitation,
        .refreshSession, .closeSession, .listSessions, .endSessions, .readMe, .verifyMyEmail, .showEmailLink,
        .confirmEmail, .listDevices, .revokeDevice, .readCompany,
        .listEmployees,
        .readEmployee,
        .readSecurityAdmin, .listAuthorizations, .authorizeKey, .refuseKey, .revokeKey, .approveEmployee,
        .cancelEmployee, .reinstateEmployee, .endEmployeeSessions, .changeRole, .reclaimEmail, .readPolicy,
        .changePolicy, .linkApp,
        .unlinkApp, .listMPinIdentities, .listEvents, .readCheckpoint, .readTile, .proveEvent, .health, .readiness,
        .anchor,
        .openAPI, .docs, .docsStyle, .docsScript,
    ]
}
