package import ErrorCodes

/// An endpoint of the API, declared once for routes, clients and the contract.
public struct Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// The credentials that an endpoint asks for.
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

    /// How the endpoints of a path word their refusals, whichever method a caller tried.
    package enum Family: Sendable {
        /// As problem documents.
        case api
        /// As problem documents with the members of RFC 6749 §5.2 besides.
        case oauth
        /// As problem documents, but 403 where an app is refused: in the M-Pin protocol 401 means a wrong proof.
        case mpin
        /// As pages for whoever opens the link of a mail.
        case mailedLink
        /// As pages for whoever uses the pages of the service.
        case page
    }

    /// A chapter of the documentation.
    package enum Chapter: String, Sendable {
        case flows, sessions, tokens, companies, decisions, mpin, operation
    }

    /// The HTTP method.
    public let method: String
    /// The path pattern.
    public let template: PathTemplate
    /// The credentials that the endpoint asks for.
    public let access: Access
    /// What the endpoint does, in one line.
    public let summary: String
    /// How refusals are worded.
    package let family: Family
    /// What the contract says besides; `nil` for an endpoint that is no part of it.
    package let terms: EndpointTerms?

    /// Describes an endpoint that is no part of the contract.
    public init(_ method: String, _ template: String, _ access: Access, _ summary: String) {
        self.method = method
        self.template = PathTemplate(template)
        self.access = access
        self.summary = summary
        family = .api
        terms = nil
    }

    /// Describes a page, or a form of one, which anyone may open. It is no part of the contract.
    package init(page method: String, _ template: String, _ summary: String) {
        self.method = method
        self.template = PathTemplate(template)
        self.summary = summary
        access = .anyone
        family = .page
        terms = nil
    }

    /// Declares an endpoint of the contract.
    ///
    /// - Parameters:
    ///   - operation: The name in the contract, which is that of the declaration.
    ///   - family: How refusals are worded, unless the answer says that they are pages.
    ///   - codes: The codes of refusals besides those that follow from the rest, see ``EndpointTerms/codes``.
    package init(
        _ operation: String, _ method: String, _ template: String, takesRest: Bool = false, _ summary: String,
        _ chapter: Chapter, by callers: [EndpointCaller], takes body: EndpointBody = .none,
        answers answer: EndpointAnswer, query: [QueryParameter] = [], _ traits: EndpointTraits = [],
        family: Family = .api, refuses codes: [ErrorCode] = []
    ) {
        self.method = method
        self.template = PathTemplate(template, takesRest: takesRest)
        self.summary = summary
        let schemes = Set(callers.compactMap(\.scheme))
        access = schemes.count > 1 ? .appOrEmployee : schemes.first ?? .anyone
        self.family = answer.refusesByPage ? .mailedLink : chapter == .mpin ? .mpin : family
        terms = EndpointTerms(
            operation: operation, chapter: chapter, callers: callers, body: body, answer: answer, query: query,
            traits: traits.union(answer.traits), ownCodes: codes + answer.codes)
    }

    /// The method and the path pattern.
    public var description: String { "\(method) \(template)" }

    /// Compares the methods and the path patterns.
    public static func == (left: Endpoint, right: Endpoint) -> Bool {
        left.method == right.method && left.template == right.template
    }

    /// Hashes the method and the path pattern.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(method)
        hasher.combine(template)
    }
}

extension Endpoint {
    private static let company = "/v1/companies/{companyName}"
    private static let key = company + "/employees/{companyEmployeeId}/keys/{fingerprint}"
    private static let recovery = company + "/employees/{companyEmployeeId}/recoveries/{fingerprint}"
}

extension Endpoint {
    /// Returns the published list of security questions.
    public static let listQuestions = Endpoint(
        "listQuestions", "GET", "/v1/questions", "Give the published list of security questions", .flows, by: [.anyone],
        answers: .json(QuestionListResponse.self), query: [.locale], [.conditional, .multilingual])
    /// Starts a registration.
    public static let startRegistration = Endpoint(
        "startRegistration", "POST", "/v1/registrations", "Start a registration", .flows, by: [.creationApp],
        takes: .required(RegistrationRequest.self), answers: .json(FlowStartedResponse.self, status: 201), .idempotent,
        refuses: .names + [
            .emailMissing, .emailInvalid, .invitationInvalid, .registrationInvitationRequired,
            .companyUnknown, .appNotLinked, .companyAlreadyFounded, .emailNotCompanyOwned, .mailUnavailable,
        ])
    /// Proves possession of the device key of a registration.
    public static let proveRegistrationKey = Endpoint(
        "proveRegistrationKey", "POST", "/v1/registrations/{flow}/key",
        "Prove possession of the device key of a registration", .flows, by: .creationApps,
        takes: .required(KeyProofRequest.self), answers: .outcome, .multilingual,
        refuses: [.employeeKeyInvalid, .companyAlreadyFounded, .employeeAlreadyRegistered])
    /// Sets a new user's credentials.
    public static let setCredentials = Endpoint(
        "setCredentials", "POST", "/v1/registrations/{flow}/credentials", "Set a new user's credentials", .flows,
        by: .creationApps, takes: .required(CredentialsRequest.self), answers: .outcome,
        refuses: .newCredentials + .enrolment + [.policyBlindOnly])
    /// Validates answers in a registration.
    public static let validateRegistrationAnswers = Endpoint(
        "validateRegistrationAnswers", "POST", "/v1/registrations/{flow}/answers", "Validate answers in a registration",
        .flows, by: .creationApps, takes: .required(AnswersRequest.self), answers: .outcome,
        refuses: .enrolment + [.answersAtLeastThreeRequired, .answersIncorrect, .policyBlindOnly, .credentialsLocked])
    /// Validates the passphrase in a registration.
    public static let validateRegistrationPassphrase = Endpoint(
        "validateRegistrationPassphrase", "POST", "/v1/registrations/{flow}/passphrase",
        "Validate the passphrase in a registration", .flows, by: .creationApps,
        takes: .required(PassphraseRequest.self), answers: .outcome,
        refuses: .enrolment + [.passphraseMissing, .passphraseIncorrect, .policyBlindOnly, .credentialsLocked])
    /// Starts a log-in.
    public static let startLogin = Endpoint(
        "startLogin", "POST", "/v1/logins", "Start a login", .flows, by: .accessApps,
        takes: .required(LoginRequest.self), answers: .json(FlowStartedResponse.self, status: 201), .idempotent,
        refuses: .names)
    /// Proves possession of the device key of a log-in.
    public static let proveLoginKey = Endpoint(
        "proveLoginKey", "POST", "/v1/logins/{flow}/key", "Prove possession of the device key of a login", .flows,
        by: .accessApps, takes: .required(KeyProofRequest.self), answers: .outcome, .multilingual,
        refuses: [.employeeKeyInvalid])
    /// Validates answers in a log-in.
    public static let validateLoginAnswers = Endpoint(
        "validateLoginAnswers", "POST", "/v1/logins/{flow}/answers", "Validate answers in a login", .flows,
        by: .accessApps, takes: .required(AnswersRequest.self), answers: .outcome,
        refuses: .admission + [
            .answersAtLeastThreeRequired, .answersIncorrect, .policyBlindOnly, .requestStale,
            .credentialsLocked,
        ])
    /// Validates the passphrase in a log-in.
    public static let validateLoginPassphrase = Endpoint(
        "validateLoginPassphrase", "POST", "/v1/logins/{flow}/passphrase", "Validate the passphrase in a login", .flows,
        by: .accessApps, takes: .required(PassphraseRequest.self), answers: .outcome,
        refuses: .admission + [
            .passphraseMissing, .passphraseIncorrect, .policyBlindOnly, .requestStale,
            .credentialsLocked,
        ])
    /// Evaluates blinded elements in a registration.
    public static let evaluateRegistration = Endpoint(
        "evaluateRegistration", "POST", "/v1/registrations/{flow}/evaluations",
        "Evaluate blinded elements in a registration", .flows, by: .creationApps,
        takes: .required(EvaluationsRequest.self), answers: .json(EvaluationsResponse.self), .idempotent,
        refuses: [.credentialsLocked])
    /// Accepts the proof of a secret in a registration.
    public static let proveRegistration = Endpoint(
        "proveRegistration", "POST", "/v1/registrations/{flow}/proof",
        "Prove a secret, or set credentials, in a registration", .flows, by: .creationApps,
        takes: .required(ProofRequest.self), answers: .outcome,
        refuses: .newCredentials + .enrolment + [.answersIncorrect, .passphraseIncorrect])
    /// Evaluates blinded elements in a log-in.
    public static let evaluateLogin = Endpoint(
        "evaluateLogin", "POST", "/v1/logins/{flow}/evaluations", "Evaluate blinded elements in a login", .flows,
        by: .accessApps, takes: .required(EvaluationsRequest.self), answers: .json(EvaluationsResponse.self),
        .idempotent, refuses: [.credentialsLocked])
    /// Accepts the proof of a secret in a log-in.
    public static let proveLogin = Endpoint(
        "proveLogin", "POST", "/v1/logins/{flow}/proof", "Prove a secret in a login", .flows, by: .accessApps,
        takes: .required(ProofRequest.self), answers: .outcome,
        refuses: .admission + [.answersIncorrect, .passphraseIncorrect, .requestStale])
    /// Gives what a passkey is asked with at a log-in.
    public static let startPasskeyLogin = Endpoint(
        "startPasskeyLogin", "POST", "/v1/logins/passkey/options", "Give what a passkey is asked with at a login",
        .flows, by: .accessApps, answers: .json(PasskeyOptionsResponse.self), refuses: [.routeUnknown])
    /// Logs an employee in by a passkey.
    public static let answerPasskeyLogin = Endpoint(
        "answerPasskeyLogin", "POST", "/v1/logins/passkey", "Log an employee in by a passkey", .flows,
        by: .accessApps, takes: .required(PasskeyLoginRequest.self), answers: .outcome,
        refuses: .admission + [.employeeKeyInvalid, .flowAlreadyUsed, .flowExpired])
    /// Starts a change of credentials.
    public static let startChange = Endpoint(
        "startChange", "POST", "/v1/credentials/changes", "Start a change of credentials", .flows, by: .accessApps,
        takes: .required(LoginRequest.self), answers: .json(FlowStartedResponse.self, status: 201), .idempotent,
        refuses: .names)
    /// Proves possession of the device key of a change.
    public static let proveChangeKey = Endpoint(
        "proveChangeKey", "POST", "/v1/credentials/changes/{flow}/key",
        "Prove possession of the device key of a change", .flows, by: .accessApps,
        takes: .required(KeyProofRequest.self), answers: .outcome, .multilingual, refuses: [.employeeKeyInvalid])
    /// Changes credentials.
    public static let changeCredentials = Endpoint(
        "changeCredentials", "POST", "/v1/credentials/changes/{flow}/credentials",
        "Change credentials with the old secret", .flows, by: .accessApps,
        takes: .required(CredentialsChangeRequest.self), answers: .outcome,
        refuses: .newCredentials + .admission + [
            .answersAtLeastThreeRequired, .passphraseMissing, .answersIncorrect,
            .passphraseIncorrect, .policyBlindOnly, .requestStale, .credentialsLocked,
        ])
    /// Evaluates blinded elements in a change.
    public static let evaluateChange = Endpoint(
        "evaluateChange", "POST", "/v1/credentials/changes/{flow}/evaluations", "Evaluate blinded elements in a change",
        .flows, by: .accessApps, takes: .required(EvaluationsRequest.self), answers: .json(EvaluationsResponse.self),
        .idempotent, refuses: [.credentialsLocked])
    /// Accepts the proof of the current secret, or the new credentials, in a change.
    public static let proveChange = Endpoint(
        "proveChange", "POST", "/v1/credentials/changes/{flow}/proof",
        "Prove the old secret, or set credentials, in a change", .flows, by: .accessApps,
        takes: .required(ProofRequest.self), answers: .outcome,
        refuses: .newCredentials + .admission + [.answersIncorrect, .passphraseIncorrect, .requestStale])
    /// Exchanges a refresh token for new tokens.
    public static let refreshSession = Endpoint(
        "refreshSession", "POST", "/v1/sessions/refresh", "Exchange a refresh token for new tokens", .sessions,
        by: [.anyone], takes: .required(SessionRefreshRequest.self), answers: .json(SessionResponse.self), .idempotent,
        refuses: [.appUnknown, .appSecretInvalid, .sessionExpired, .sessionInvalid, .sessionReused])
    /// Ends the caller's session.
    public static let closeSession = Endpoint(
        "closeSession", "DELETE", "/v1/sessions/current", "End the caller's session", .sessions, by: .employees,
        answers: .empty(204), refuses: [.serviceBusy])
    /// Lists the caller's open sessions.
    public static let listSessions = Endpoint(
        "listSessions", "GET", "/v1/sessions", "List the caller's open sessions", .sessions, by: .employees,
        answers: .json(PageResponse<OpenSessionResponse>.self, as: "OpenSessionList"), .conditional)
    /// Ends every session of the caller.
    public static let endSessions = Endpoint(
        "endSessions", "DELETE", "/v1/sessions", "End all of the caller's sessions", .sessions, by: .employees,
        answers: .empty(204), refuses: [.requestStale, .serviceBusy])
    /// Describes the caller's account and session.
    public static let readMe = Endpoint(
        "readMe", "GET", "/v1/me", "Tell the caller who they are", .sessions, by: .employees,
        answers: .json(MeResponse.self), .conditional)
    /// Sends a mail that verifies the caller's address.
    public static let verifyMyEmail = Endpoint(
        "verifyMyEmail", "POST", "/v1/me/email-verification", "Send a mail that verifies the caller's e-mail",
        .sessions, by: .employees, answers: .json(EmailVerificationResponse.self), .multilingual,
        refuses: [.emailMissing, .emailInvalid, .requestTooLarge, .mailUnavailable, .serviceBusy])
    /// Shows the page behind the link of such a mail.
    public static let showEmailLink = Endpoint(
        "showEmailLink", "GET", "/verify-email/{userId}", "Show the page behind the link of a mail; changes nothing",
        .sessions, by: [.anyone], answers: .mailedPage(refusals: [410]), query: .link)
    /// Verifies an address by the button of that page.
    public static let confirmEmail = Endpoint(
        "confirmEmail", "POST", "/verify-email/{userId}", "Verify an e-mail by the link of a mail", .sessions,
        by: [.anyone], takes: .pageForm, answers: .mailedPage(refusals: [410]), query: .link,
        refuses: [.requestStale, .serviceBusy])
    /// Lists the caller's device keys.
    public static let listDevices = Endpoint(
        "listDevices", "GET", "/v1/devices", "List the caller's device keys", .sessions, by: .employees,
        answers: .json(DevicesResponse.self, as: "DeviceList"), .conditional)
    /// Gives what an authenticator makes a passkey of the caller with.
    public static let readPasskeyOptions = Endpoint(
        "readPasskeyOptions", "POST", "/v1/passkeys/options", "Give what a passkey of the caller is made with",
        .sessions, by: .employees, answers: .json(PasskeyOptionsResponse.self), refuses: [.routeUnknown])
    /// Presents a passkey as a further device key of the caller.
    public static let presentPasskey = Endpoint(
        "presentPasskey", "POST", "/v1/passkeys", "Present a passkey as a device key of the caller", .sessions,
        by: .employees, takes: .required(PasskeyRequest.self), answers: .json(DeviceResponse.self),
        refuses: [.authorizationNotPermitted, .employeeKeyInvalid, .flowAlreadyUsed, .flowExpired])
    /// Revokes one of the caller's own device keys.
    public static let revokeDevice = Endpoint(
        "revokeDevice", "POST", "/v1/devices/{fingerprint}/revocation", "Revoke a device key of the caller's own",
        .sessions, by: .employees, takes: .required(DecisionRequest.self, as: "ReasonedDecisionRequest"),
        answers: .decision, refuses: [.authorizationNotPermitted, .authorizationUnknownKey])
}

extension Endpoint {
    /// Starts a recovery of credentials.
    public static let startRecovery = Endpoint(
        "startRecovery", "POST", "/v1/recoveries", "Start a recovery of credentials, or go on with one", .flows,
        by: .accessApps, takes: .required(LoginRequest.self), answers: .json(FlowStartedResponse.self, status: 201),
        .idempotent, refuses: .names)
    /// Proves possession of the device key of a recovery.
    public static let proveRecoveryKey = Endpoint(
        "proveRecoveryKey", "POST", "/v1/recoveries/{flow}/key", "Prove possession of the device key of a recovery",
        .flows, by: .accessApps, takes: .required(KeyProofRequest.self), answers: .outcome,
        refuses: [.employeeKeyInvalid, .recoveryNotAvailable])
    /// Sets new credentials through a recovery.
    public static let recoverCredentials = Endpoint(
        "recoverCredentials", "POST", "/v1/recoveries/{flow}/credentials", "Set new credentials by a recovery", .flows,
        by: .accessApps, takes: .required(CredentialsRequest.self), answers: .outcome,
        refuses: .newCredentials + .admission + [
            .policyBlindOnly, .recoveryOtherCompanies, .recoveryNotAvailable,
            .requestStale,
        ])
    /// Evaluates blinded elements in a recovery.
    public static let evaluateRecovery = Endpoint(
        "evaluateRecovery", "POST", "/v1/recoveries/{flow}/evaluations", "Evaluate blinded elements in a recovery",
        .flows, by: .accessApps, takes: .required(EvaluationsRequest.self), answers: .json(EvaluationsResponse.self),
        .idempotent)
    /// Accepts the new credentials in a recovery.
    public static let proveRecovery = Endpoint(
        "proveRecovery", "POST", "/v1/recoveries/{flow}/proof", "Set credentials that the client made in a recovery",
        .flows, by: .accessApps, takes: .required(ProofRequest.self), answers: .outcome,
        refuses: .newCredentials + .admission + [.recoveryOtherCompanies, .recoveryNotAvailable, .requestStale])
    /// Lists the recoveries that are open or requested.
    public static let listRecoveries = Endpoint(
        "listRecoveries", "GET", company + "/recoveries", "List the recoveries that wait in a company", .companies,
        by: .admins, answers: .json(PageResponse<RecoveryResponse>.self, as: "RecoveryList"), .conditional)
    /// Opens a recovery.
    public static let openRecovery = Endpoint(
        "openRecovery", "POST", recovery + "/opening", "Open a recovery", .decisions, by: .admins,
        takes: .optional(DecisionRequest.self), answers: .decision,
        refuses: [
            .employeeInactive, .employeeNotApproved, .recoveryUnknown, .recoveryInProgress,
            .recoveryOtherCompanies,
        ])
    /// Confirms a recovery.
    public static let confirmRecovery = Endpoint(
        "confirmRecovery", "POST", recovery + "/confirmation", "Confirm a recovery", .decisions,
        by: [.oneself] + .admins, takes: .optional(DecisionRequest.self), answers: .decision,
        refuses: [.employeeInactive, .employeeNotApproved, .recoveryUnknown, .recoveryOtherCompanies])
    /// Cancels a recovery with a statement that a device key signed; needs no session.
    public static let cancelRecoveryByDevice = Endpoint(
        "cancelRecoveryByDevice", "POST", "/v1/logins/{flow}/recovery/cancellation",
        "Cancel a recovery with a device, without a session", .flows, by: .accessApps,
        takes: .optional(DecisionRequest.self), answers: .decision,
        refuses: [.authorizationNotPermitted, .companyUnknown, .employeeUnknown, .recoveryUnknown])
    /// Cancels a recovery.
    public static let cancelRecovery = Endpoint(
        "cancelRecovery", "POST", recovery + "/cancellation", "Cancel a recovery", .decisions, by: [.oneself] + .admins,
        takes: .required(DecisionRequest.self, as: "ReasonedDecisionRequest"), answers: .decision,
        refuses: [.recoveryUnknown])

    /// Starts a return of the security admin.
    public static let startReturn = Endpoint(
        "startReturn", "POST", "/v1/returns", "Start the return of a security admin, or complete it", .flows,
        by: .accessApps, takes: .required(LoginRequest.self), answers: .json(FlowStartedResponse.self, status: 201),
        .idempotent, refuses: .names)
    /// Proves possession of the device key of a return.
    public static let proveReturnKey = Endpoint(
        "proveReturnKey", "POST", "/v1/returns/{flow}/key", "Prove possession of the device key of a return", .flows,
        by: .accessApps, takes: .required(KeyProofRequest.self), answers: .outcome, .multilingual,
        refuses: [.employeeKeyInvalid])
    /// Validates answers in a return.
    public static let validateReturnAnswers = Endpoint(
        "validateReturnAnswers", "POST", "/v1/returns/{flow}/answers", "Validate answers in a return", .flows,
        by: .accessApps, takes: .required(AnswersRequest.self), answers: .outcome,
        refuses: .admission + .returning + [
            .answersAtLeastThreeRequired, .answersIncorrect, .policyBlindOnly,
            .requestStale, .credentialsLocked,
        ])
    /// Validates the passphrase in a return.
    public static let validateReturnPassphrase = Endpoint(
        "validateReturnPassphrase", "POST", "/v1/returns/{flow}/passphrase", "Validate the passphrase in a return",
        .flows, by: .accessApps, takes: .required(PassphraseRequest.self), answers: .outcome,
        refuses: .admission + .returning + [
            .passphraseMissing, .passphraseIncorrect, .policyBlindOnly, .requestStale,
            .credentialsLocked,
        ])
    /// Evaluates blinded elements in a return.
    public static let evaluateReturn = Endpoint(
        "evaluateReturn", "POST", "/v1/returns/{flow}/evaluations", "Evaluate blinded elements in a return", .flows,
        by: .accessApps, takes: .required(EvaluationsRequest.self), answers: .json(EvaluationsResponse.self),
        .idempotent, refuses: [.credentialsLocked])
    /// Accepts the proof of a secret in a return.
    public static let proveReturn = Endpoint(
        "proveReturn", "POST", "/v1/returns/{flow}/proof", "Prove a secret in a return", .flows, by: .accessApps,
        takes: .required(ProofRequest.self), answers: .outcome,
        refuses: .admission + .returning + [.answersIncorrect, .passphraseIncorrect, .requestStale])
    /// Cancels or undoes a return with a statement that a former device key signed; needs no session.
    public static let cancelReturnByDevice = Endpoint(
        "cancelReturnByDevice", "POST", "/v1/logins/{flow}/return/cancellation",
        "Cancel or undo a return with a former device", .flows, by: .accessApps, takes: .optional(DecisionRequest.self),
        answers: .decision, refuses: [.authorizationNotPermitted, .returnUnknown])
    /// Shows the page behind the link that opens a return.
    public static let showReturnLink = Endpoint(
        "showReturnLink", "GET", "/return/{companyName}/{returnId}",
        "Show the page behind the link that opens a return; changes nothing", .sessions, by: [.anyone],
        answers: .mailedPage(refusals: [410]), query: .link)
    /// Opens a return by the button of that page.
    public static let openReturn = Endpoint(
        "openReturn", "POST", "/return/{companyName}/{returnId}", "Open a return by the link of a mail", .sessions,
        by: [.anyone], takes: .pageForm, answers: .mailedPage(refusals: [410]), query: .link,
        refuses: [.requestStale, .serviceBusy])
    /// Shows the page behind the link that cancels a return.
    public static let showReturnCancellation = Endpoint(
        "showReturnCancellation", "GET", "/return/{companyName}/{returnId}/cancellation",
        "Show the page behind the link that cancels a return; changes nothing", .sessions, by: [.anyone],
        answers: .mailedPage(refusals: [410]), query: .link)
    /// Cancels a return by the button of that page.
    public static let cancelReturn = Endpoint(
        "cancelReturn", "POST", "/return/{companyName}/{returnId}/cancellation",
        "Cancel a return by the link of a mail", .sessions, by: [.anyone], takes: .pageForm,
        answers: .mailedPage(refusals: [410]), query: .link, refuses: [.requestStale, .serviceBusy])

    /// The endpoints of returns, in the order of the documentation.
    static let ofReturns: [Endpoint] = [
        .startReturn, .proveReturnKey, .validateReturnAnswers, .validateReturnPassphrase, .evaluateReturn,
        .proveReturn, .cancelReturnByDevice, .showReturnLink, .openReturn, .showReturnCancellation, .cancelReturn,
    ]
}

extension Endpoint {
    /// Lists the tenants that the app is linked to.
    public static let listCompanies = Endpoint(
        "listCompanies", "GET", "/v1/companies", "List the companies that the app is linked to", .companies,
        by: .accessApps,
        answers: .json(PageResponse<LinkedCompanyResponse>.self, as: "LinkedCompanyPage"),
        query: [.after, .limit], .conditional)
    /// Reads a tenant.
    public static let readCompany = Endpoint(
        "readCompany", "GET", company, "Read a company", .companies, by: [.accessApp] + .admins,
        answers: .json(CompanyResponse.self), [.conditional, .waits, .positioned])
    /// Lists employees.
    public static let listEmployees = Endpoint(
        "listEmployees", "GET", company + "/employees", "List the employees of a company", .companies,
        by: [.accessApp] + .admins, answers: .json(PageResponse<EmployeeResponse>.self, as: "EmployeePage"),
        query: [.after, .limit, .employeeId, .email], [.conditional, .waits])
    /// Reads an employee with their device keys.
    public static let readEmployee = Endpoint(
        "readEmployee", "GET", company + "/employees/{companyEmployeeId}", "Read an employee with the device keys",
        .companies, by: [.accessApp] + .admins, answers: .json(EmployeeResponse.self), [.conditional, .waits])
    /// Reads the security admin and the event that proves the role.
    public static let readSecurityAdmin = Endpoint(
        "readSecurityAdmin", "GET", company + "/security-admin", "Read who is the security admin, and why", .companies,
        by: [.accessApp] + .admins, answers: .json(SecurityAdminResponse.self), [.conditional, .waits])
    /// Lists pending device keys.
    public static let listAuthorizations = Endpoint(
        "listAuthorizations", "GET", company + "/authorizations", "List the keys that wait, with the statement to sign",
        .companies, by: [.authorizationApp] + .admins,
        answers: .json(PageResponse<PendingAuthorizationResponse>.self, as: "PendingAuthorizationPage"),
        query: [.after, .limit, .state, .wait], [.conditional, .waits])
    /// Lists M-Pin identities.
    public static let listMPinIdentities = Endpoint(
        "listMPinIdentities", "GET", company + "/mpin/identities", "List the M-Pin identities of a company", .companies,
        by: [.accessApp] + .admins, answers: .json(PageResponse<MPinIdentityResponse>.self, as: "MPinIdentityPage"),
        query: [.after, .limit], [.conditional, .waits])
    /// Lists events.
    public static let listEvents = Endpoint(
        "listEvents", "GET", company + "/events", "List the events of a company", .companies,
        by: [.authorizationApp] + .admins, answers: .json(PageResponse<EventResponse>.self, as: "EventPage"),
        query: [.after, .eventLimit, .eventType, .employee, .asOf], .conditional,
        refuses: [.sessionLoginRequired, .employeeIdMissing, .employeeUnknown])
    /// Reads the signed checkpoint.
    public static let readCheckpoint = Endpoint(
        "readCheckpoint", "GET", company + "/checkpoint", "Read the signed checkpoint of a company's ledger",
        .companies, by: [.authorizationApp] + .admins, answers: .text("text/plain"), .conditional)
    /// Reads a tile of the tiled log.
    public static let readTile = Endpoint(
        "readTile", "GET", company + "/tile/{tile}", takesRest: true,
        "Read a tile of hashes or a bundle of entries of a company's ledger", .companies,
        by: [.authorizationApp] + .admins, answers: .binary, .conditional,
        refuses: [.sessionLoginRequired, .routeUnknown])
    /// Returns the inclusion proof of an event.
    public static let proveEvent = Endpoint(
        "proveEvent", "GET", company + "/events/{position}/proof", "Prove that an event is in a company's ledger",
        .companies, by: [.authorizationApp] + .admins, answers: .text("text/plain"), .conditional,
        refuses: [.routeUnknown])
    /// Reads the policy.
    public static let readPolicy = Endpoint(
        "readPolicy", "GET", company + "/policy", "Read the policy of a company", .companies, by: .admins,
        answers: .json(PolicyResponse.self), .conditional)
    /// Changes the policy.
    public static let changePolicy = Endpoint(
        "changePolicy", "PATCH", company + "/policy", "Change the policy of a company", .decisions,
        by: [.securityAdmin], takes: .required(PolicyChangeRequest.self), answers: .decision, .versioned,
        refuses: [.sessionLoginRequired, .policyPasskeyRequired, .policySecretlessPeople, .policyPasskeylessPeople])
    /// Links an app.
    public static let linkApp = Endpoint(
        "linkApp", "PUT", company + "/apps/{appId}", "Link an app to a company", .decisions, by: [.securityAdmin],
        takes: .optional(AppLinkRequest.self), answers: .decision, refuses: [.appLastWithAccess])
    /// Unlinks an app.
    public static let unlinkApp = Endpoint(
        "unlinkApp", "DELETE", company + "/apps/{appId}", "Unlink an app from a company", .decisions,
        by: [.securityAdmin], takes: .optional(DecisionRequest.self), answers: .decision, refuses: [.appLastWithAccess])
    /// Reclaims an e-mail address of a confirmed domain.
    public static let reclaimEmail = Endpoint(
        "reclaimEmail", "POST", company + "/reclaimed-emails", "Reclaim a company-owned e-mail", .decisions,
        by: [.administrationApp] + .admins, takes: .required(EmailReclaimRequest.self), answers: .decision,
        refuses: [.emailMissing, .emailInvalid, .emailNotReclaimable])
    /// Issues an invitation.
    public static let issueInvitation = Endpoint(
        "issueInvitation", "POST", company + "/invitations", "Invite somebody to register", .decisions,
        by: [.administrationApp] + .admins, takes: .required(InvitationRequest.self),
        answers: .json(InvitationDecisionResponse.self), .idempotent,
        refuses: [.employeeIdMissing, .emailInvalid, .employeeAlreadyRegistered, .requestStale])
    /// Lists open invitations.
    public static let listInvitations = Endpoint(
        "listInvitations", "GET", company + "/invitations", "List the open invitations of a company", .decisions,
        by: [.administrationApp] + .admins, answers: .json(PageResponse<InvitationResponse>.self, as: "InvitationList"),
        .conditional)
    /// Revokes an invitation.
    public static let revokeInvitation = Endpoint(
        "revokeInvitation", "DELETE", company + "/invitations/{invitationId}", "Take an invitation back", .decisions,
        by: [.administrationApp] + .admins, takes: .optional(DecisionRequest.self), answers: .decision,
        refuses: [.invitationInvalid])

    /// Authorizes a device key.
    public static let authorizeKey = Endpoint(
        "authorizeKey", "POST", key + "/authorization", "Authorize an employee key", .decisions,
        by: [.authorizationApp, .oneself] + .admins, takes: .optional(DecisionRequest.self), answers: .decision,
        refuses: [.employeeInactive, .authorizationUnknownKey, .emailUnverified])
    /// Refuses a device key.
    public static let refuseKey = Endpoint(
        "refuseKey", "POST", key + "/refusal", "Refuse an employee key", .decisions,
        by: [.authorizationApp, .oneself] + .admins,
        takes: .required(DecisionRequest.self, as: "ReasonedDecisionRequest"), answers: .decision,
        refuses: [.employeeInactive, .authorizationUnknownKey])
    /// Revokes a device key.
    public static let revokeKey = Endpoint(
        "revokeKey", "POST", key + "/revocation", "Revoke an employee key", .decisions,
        by: [.authorizationApp, .oneself] + .admins,
        takes: .required(DecisionRequest.self, as: "ReasonedDecisionRequest"), answers: .decision,
        refuses: [.employeeInactive, .authorizationUnknownKey])
    /// Approves an employee.
    public static let approveEmployee = Endpoint(
        "approveEmployee", "POST", company + "/employees/{companyEmployeeId}/approval", "Approve an employee",
        .decisions, by: [.administrationApp] + .admins, takes: .optional(DecisionRequest.self),
        answers: .decision, refuses: [.employeeInactive])
    /// Cancels an employee.
    public static let cancelEmployee = Endpoint(
        "cancelEmployee", "POST", company + "/employees/{companyEmployeeId}/cancellation", "Cancel an employee",
        .decisions, by: [.administrationApp] + .admins, takes: .optional(StatusDecisionRequest.self),
        answers: .decision)
    /// Changes an employee's role.
    public static let changeRole = Endpoint(
        "changeRole", "POST", company + "/employees/{companyEmployeeId}/role", "Change an employee's role", .decisions,
        by: [.securityAdmin], takes: .required(RoleRequest.self), answers: .decision,
        refuses: [.sessionLoginRequired, .employeeInactive, .authorizationUnknownKey])
    /// Reinstates a cancelled employee.
    public static let reinstateEmployee = Endpoint(
        "reinstateEmployee", "POST", company + "/employees/{companyEmployeeId}/reinstatement",
        "Take a cancelled employee back", .decisions, by: [.administrationApp] + .admins,
        takes: .optional(DecisionRequest.self), answers: .decision, refuses: [.employeeInactive])
    /// Ends all sessions of an employee.
    public static let endEmployeeSessions = Endpoint(
        "endEmployeeSessions", "POST", company + "/employees/{companyEmployeeId}/sessions/end",
        "End all sessions of an employee", .decisions, by: [.administrationApp] + .admins,
        takes: .optional(DecisionRequest.self), answers: .decision)
}

extension Endpoint {
    /// Liveness: the process answers.
    public static let health = Endpoint(
        "health", "GET", "/healthz", "Tell that the process answers", .operation, by: [.anyone],
        answers: .json(named: "Status"))
    /// Readiness: the service can do its work.
    public static let readiness = Endpoint(
        "readiness", "GET", "/readyz", "Tell whether the service can do its work", .operation, by: [.anyone],
        answers: .json(named: "Status"))
    /// Returns the newest anchor of the log.
    public static let anchor = Endpoint(
        "anchor", "GET", "/anchor", "Give the newest anchor of the log, with its key", .operation, by: [.anyone],
        answers: .text("text/plain"), .conditional)
    /// Returns the OpenAPI description.
    public static let openAPI = Endpoint(
        "openAPI", "GET", "/openapi.yaml", "Give the description of this API", .operation, by: [.anyone],
        answers: .text("application/yaml"), .conditional)
    /// Returns the documentation page.
    public static let docs = Endpoint(
        "docs", "GET", "/docs", "Give this documentation", .operation, by: [.anyone], answers: .text("text/html"),
        .conditional)
    /// Returns the style sheet of the documentation page.
    public static let docsStyle = Endpoint(
        "docsStyle", "GET", "/docs/style.css", "Give the style of the documentation", .operation, by: [.anyone],
        answers: .text("text/css"), .conditional)
    /// Returns the script of the documentation page.
    public static let docsScript = Endpoint(
        "docsScript", "GET", "/docs/script.js", "Give the script of the documentation", .operation, by: [.anyone],
        answers: .text("text/javascript"), .conditional)

    /// Every endpoint, in the order of the documentation.
    public static let all: [Endpoint] = general + ofReturns + ofTokens + ofOpenID + ofMPin

    private static let general: [Endpoint] = [
        .listQuestions,
        .startRegistration, .proveRegistrationKey, .setCredentials, .validateRegistrationAnswers,
        .validateRegistrationPassphrase, .evaluateRegistration, .proveRegistration, .startLogin, .proveLoginKey,
        .validateLoginAnswers, .validateLoginPassphrase, .evaluateLogin, .proveLogin,
        .startPasskeyLogin, .answerPasskeyLogin,
        .startChange, .proveChangeKey, .changeCredentials, .evaluateChange, .proveChange,
        .startRecovery, .proveRecoveryKey, .recoverCredentials, .evaluateRecovery, .proveRecovery, .listRecoveries,
        .openRecovery, .confirmRecovery, .cancelRecovery, .cancelRecoveryByDevice,
        .issueInvitation, .listInvitations, .revokeInvitation,
        .refreshSession, .closeSession, .listSessions, .endSessions, .readMe, .verifyMyEmail, .showEmailLink,
        .confirmEmail, .listDevices, .readPasskeyOptions, .presentPasskey, .revokeDevice, .listCompanies, .readCompany,
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
