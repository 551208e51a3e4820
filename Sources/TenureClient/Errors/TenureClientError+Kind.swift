import TenureAPI

extension TenureClientError {
    /// What went wrong as a closed set to switch over. ``TenureClientError/code`` has the same as text.
    ///
    /// A case never changes its meaning or its raw value. A service that is newer than this library may send a code that
    /// it does not know; that is ``unrecognized``.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case requestInvalid = "request.invalid"
        case companyNameMissing = "company.name_missing"
        case employeeIdMissing = "employee.id_missing"
        case employeeKeyInvalid = "employee.key_invalid"
        case emailMissing = "email.missing"
        case emailInvalid = "email.invalid"
        case fiveQuestionsRequired = "credentials.five_questions_required"
        case credentialsIncomplete = "credentials.incomplete"
        case atLeastThreeAnswersRequired = "answers.at_least_three_required"
        case passphraseMissing = "passphrase.missing"
        case appUnknown = "app.unknown"
        case appSecretInvalid = "app.secret_invalid"
        case sessionExpired = "session.expired"
        case sessionInvalid = "session.invalid"
        case answersIncorrect = "answers.incorrect"
        case passphraseIncorrect = "passphrase.incorrect"
        case appRoleMissing = "app.role_missing"
        case authorizationNotPermitted = "authorization.not_permitted"
        case employeeInactive = "employee.inactive"
        case employeeNotApproved = "employee.not_approved"
        case policyBlindOnly = "policy.blind_only"
        case companyUnknown = "company.unknown"
        case employeeUnknown = "employee.unknown"
        case authorizationUnknownKey = "authorization.unknown_key"
        case appNotLinked = "app.not_linked"
        case routeUnknown = "route.unknown"
        case methodNotAllowed = "route.method_not_allowed"
        case employeeAlreadyRegistered = "employee.already_registered"
        case emailNotCompanyOwned = "email.not_company_owned"
        case emailNotReclaimable = "email.not_reclaimable"
        case wrongStep = "flow.wrong_step"
        case flowExpired = "flow.expired"
        case flowEnded = "flow.already_used"
        case idempotencyInProgress = "idempotency.in_progress"
        case recoveryUnknown = "recovery.unknown"
        case recoveryInProgress = "recovery.in_progress"
        case recoveryOtherCompanies = "recovery.other_companies"
        case requestStale = "request.stale"
        case idempotencyConflict = "idempotency.conflict"
        case credentialsLocked = "credentials.locked"
        case rateLimited = "request.rate_limited"
        case serviceUnavailable = "service.unavailable"
        case serviceBusy = "service.busy"
        case connectionLost = "client.connection_lost"
        case responseInvalid = "client.response_invalid"
        case signingRefused = "client.signing_refused"
        case addressInvalid = "client.address_invalid"
        case keyFileInvalid = "client.key_file_invalid"
        case pinInvalid = "client.pin_invalid"
        case questionsAlike = "credentials.questions_alike"
        case textTooLong = "credentials.too_long"
        case textInvalid = "credentials.text_invalid"
        case questionTwice = "answers.question_twice"
        case questionUnknown = "answers.question_unknown"
        case cancelled = "client.cancelled"
        case authorizationPending = "client.authorization_pending"
        case promptRequired = "client.prompt_required"
        case promptUnavailable = "client.prompt_unavailable"
        case modeUnavailable = "client.mode_unavailable"
        case credentialsChanged = "client.credentials_changed"
        case baseURLMissing = "client.base_url_missing"
        case notLoggedIn = "client.not_logged_in"
        case storageFailed = "client.storage_failed"
        /// A code that this version of the library does not know.
        case unrecognized = ""
    }

    /// What went wrong, to switch over.
    public var kind: Kind { Kind(rawValue: code.rawValue) ?? .unrecognized }

    /// Whether the same call may succeed later without anything being changed.
    public var isRetryable: Bool {
        switch kind {
        case .connectionLost, .serviceBusy, .serviceUnavailable, .rateLimited, .credentialsLocked,
            .idempotencyInProgress:
            true
        default: false
        }
    }

    /// Whether a flow goes on after this error of one of its steps: the same step can be used again.
    var leavesFlowOpen: Bool {
        switch kind {
        case .answersIncorrect, .passphraseIncorrect, .fiveQuestionsRequired, .credentialsIncomplete,
            .atLeastThreeAnswersRequired, .passphraseMissing, .requestInvalid, .modeUnavailable, .policyBlindOnly,
            .questionsAlike, .textTooLong, .textInvalid, .questionTwice, .questionUnknown:
            true
        // In blind mode a wrong entry is found here, and looks like every other reason not to sign.
        case .signingRefused: true
        // The person may accept them, and enter the secret again.
        case .credentialsChanged: true
        // The app called a step that is not open; no request was sent.
        case .wrongStep: problem == nil
        default: isRetryable
        }
    }

    /// The id of the request in the service's log, when the service answered.
    public var requestId: String? { problem?.requestId }

    /// The error of this library for whatever a call threw.
    init(describing error: any Error) {
        switch error {
        case let error as TenureClientError: self = error
        case is CancellationError: self.init(.cancelled)
        default: self.init(.storageFailed)
        }
    }
}
