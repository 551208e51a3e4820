import Credentials
import ErrorCodes
public import TenureAPI

/// The error that a call of this library throws.
///
/// ```swift
/// do {
///     let outcome = try await step.submit(answers)
/// } catch let error as TenureClientError {
///     switch error.kind {
///     case .answersIncorrect, .signingRefused: show("The answers are wrong.")
///     case .credentialsLocked: show("Wait \(error.retryAfter ?? .seconds(60)).")
///     default: show(error.description)
///     }
/// }
/// ```
public struct TenureClientError: Error, Sendable, CustomStringConvertible {
    /// A stable identifier: a code of the service such as `answers.incorrect`, or one of this library's own.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The identifier.
        public let rawValue: String

        /// Creates a code, for example to compare it with one of the service.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The same as a code of the service.
        init(_ code: ErrorCode) { rawValue = code.rawValue }

        /// The identifier.
        public var description: String { rawValue }

        /// The service is unreachable, or the connection was lost more often than the policy retries.
        public static let connectionLost = Code(rawValue: "client.connection_lost")
        /// The response is not valid for this API.
        public static let responseInvalid = Code(rawValue: "client.response_invalid")
        /// The request exceeds the limit of the service, or of a proxy in front of it.
        public static let requestTooLarge = Code(.requestTooLarge)
        /// Nothing was signed: the service's data was not what this client requested, or no copy of the user key opened.
        public static let signingRefused = Code(rawValue: "client.signing_refused")
        /// The address of the service, or a name in a path, cannot be a part of a URL. On Linux also: the environment
        /// would send a request over TLS for this machine to a proxy; name the host in `no_proxy`.
        public static let addressInvalid = Code(rawValue: "client.address_invalid")
        /// The file of a pin cannot be read or written, or contains no pin.
        public static let pinInvalid = Code(rawValue: "client.pin_invalid")
        /// The stored device key cannot be read, is open to others, or is not a key.
        public static let keyFileInvalid = Code(rawValue: "client.key_file_invalid")
    }

    /// The code of the error.
    public let code: Code
    /// The service's problem document, if it sent one.
    public let problem: Problem?
    /// The time to wait before a retry, if the service sent `Retry-After`.
    public let retryAfter: Duration?
    /// What this library itself found in the person's entries, each with its remedy: entries that it refused, and
    /// typographic quotation marks and dashes in an answer or a passphrase that was refused.
    public let advice: [String]

    /// Creates an error of this library.
    public init(_ code: Code) { self.init(code, nil, nil, []) }

    /// Creates the error for a problem document.
    public init(_ problem: Problem, retryAfter: Duration? = nil) {
        self.init(Code(rawValue: problem.code), problem, retryAfter, [])
    }

    /// Creates the error for entries that the credential library refused.
    init(_ error: CredentialsError) {
        let faults =
            error.weaknesses.isEmpty
            ? error.advice.map { [(error.place, $0 + ".")] } ?? [] : error.weaknesses.map { ($0.place, $0.advice) }
        self.init(
            Code(rawValue: error.code.rawValue), nil, nil, faults.map { Self.name(of: $0) + $1 })
    }

    init(_ code: Code, _ problem: Problem?, _ retryAfter: Duration?, _ advice: [String]) {
        self.code = code
        self.problem = problem
        self.retryAfter = retryAfter
        self.advice = advice
    }

    /// What an entry is called before a sentence about it.
    private static func name(of place: EntryPlace?) -> String {
        switch place {
        case .question(let index): "Question \(index + 1): "
        case .answer(let index): "Answer \(index + 1): "
        case .passphrase, nil: ""
        }
    }

    /// The code, with the id of the request if there is one.
    public var description: String { problem.map { "\(code) (request \($0.requestId))" } ?? code.rawValue }
}

extension TenureClientError {
    /// What a person is told: what happened, what to do next, and what is wrong with single entries. Empty for an error
    /// of this library that has no words of its own.
    package var sentences: [String] {
        if let problem { return ["\(problem.title). \(problem.detail)"] + problem.errors.map(\.detail) + advice }
        guard advice.isEmpty, let known = ErrorCode(rawValue: code.rawValue) else { return advice }
        return ["\(known.title). \(known.advice)"]
    }
}

extension TenureClientError {
    /// The code of an error as an enumeration for `switch`. ``TenureClientError/code`` has the same as text.
    ///
    /// A case never changes its meaning or its raw value. A code of a newer service that this library does not know is
    /// ``unrecognized``. A later version may add cases, so give a `switch` a `default`.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        case requestInvalid = "request.invalid"
        case requestTooLarge = "request.too_large"
        case requestMediaType = "request.media_type"
        case companyNameMissing = "company.name_missing"
        case employeeIdMissing = "employee.id_missing"
        case employeeKeyInvalid = "employee.key_invalid"
        case emailMissing = "email.missing"
        case emailInvalid = "email.invalid"
        case fiveQuestionsRequired = "credentials.five_questions_required"
        case credentialsIncomplete = "credentials.incomplete"
        case customQuestion = "credentials.custom_question"
        case credentialsTooWeak = "credentials.too_weak"
        case atLeastThreeAnswersRequired = "answers.at_least_three_required"
        case passphraseMissing = "passphrase.missing"
        case resourceUnknown = "token.resource_unknown"
        case appUnknown = "app.unknown"
        case appSecretInvalid = "app.secret_invalid"
        case sessionExpired = "session.expired"
        case sessionInvalid = "session.invalid"
        case sessionReused = "session.reused"
        case answersIncorrect = "answers.incorrect"
        case passphraseIncorrect = "passphrase.incorrect"
        case appRoleMissing = "app.role_missing"
        case authorizationNotPermitted = "authorization.not_permitted"
        case sessionLoginRequired = "session.login_required"
        case invitationInvalid = "invitation.invalid"
        case invitationRequired = "registration.invitation_required"
        case appLastWithAccess = "app.last_with_access"
        case employeeInactive = "employee.inactive"
        case employeeNotApproved = "employee.not_approved"
        case employeePasskeyRequired = "employee.passkey_required"
        case policyBlindOnly = "policy.blind_only"
        case policyPasskeyRequired = "policy.passkey_required"
        case policySecretlessPeople = "policy.secretless_people"
        case policyPasskeylessPeople = "policy.passkeyless_people"
        case passkeyStopped = "passkey.stopped"
        case sessionRoleMissing = "session.role_missing"
        case companyUnknown = "company.unknown"
        case employeeUnknown = "employee.unknown"
        case authorizationUnknownKey = "authorization.unknown_key"
        case appNotLinked = "app.not_linked"
        case routeUnknown = "route.unknown"
        case methodNotAllowed = "route.method_not_allowed"
        case companyAlreadyFounded = "company.already_founded"
        case employeeAlreadyRegistered = "employee.already_registered"
        case emailNotCompanyOwned = "email.not_company_owned"
        case emailUnverified = "email.unverified"
        case emailNotReclaimable = "email.not_reclaimable"
        case wrongStep = "flow.wrong_step"
        case flowExpired = "flow.expired"
        case flowEnded = "flow.already_used"
        case idempotencyInProgress = "idempotency.in_progress"
        case recoveryUnknown = "recovery.unknown"
        case recoveryInProgress = "recovery.in_progress"
        case recoveryOtherCompanies = "recovery.other_companies"
        case recoveryNotAvailable = "recovery.not_available"
        case returnUnknown = "return.unknown"
        case returnNotPermitted = "return.not_permitted"
        case returnInProgress = "return.in_progress"
        case returnNotAvailable = "return.not_available"
        case requestStale = "request.stale"
        case idempotencyConflict = "idempotency.conflict"
        case credentialsLocked = "credentials.locked"
        case rateLimited = "request.rate_limited"
        case serviceUnavailable = "service.unavailable"
        case serviceBusy = "service.busy"
        case serviceClock = "service.clock"
        case mpinUnknown = "mpin.unknown"
        case mpinUnauthorized = "mpin.unauthorized"
        case mpinWrongPIN = "mpin.wrong_pin"
        case mpinDisabled = "mpin.disabled"
        case mpinPointInvalid = "mpin.point_invalid"
        case mpinRequestExpired = "mpin.request_expired"
        case mpinWrongState = "mpin.wrong_state"
        case mpinKeyExpired = "mpin.key_expired"
        case mpinEnded = "mpin.ended"
        case mpinBlocked = "mpin.blocked"
        case mailUnavailable = "mail.unavailable"
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

    /// The code as an enumeration for `switch`.
    public var kind: Kind { Kind(rawValue: code.rawValue) ?? .unrecognized }

    /// Whether the same call may succeed later without any change.
    public var isRetryable: Bool {
        kind == .connectionLost || ErrorCode(rawValue: code.rawValue)?.repetition == .openLater
    }

    /// Whether the flow stays open after this error, so that the same step can be used again.
    var leavesFlowOpen: Bool {
        switch kind {
        case .answersIncorrect, .passphraseIncorrect, .fiveQuestionsRequired, .credentialsIncomplete,
            .atLeastThreeAnswersRequired, .passphraseMissing, .requestInvalid, .requestTooLarge, .modeUnavailable,
            .policyBlindOnly, .questionsAlike, .textTooLong, .textInvalid, .questionTwice, .questionUnknown,
            .customQuestion, .credentialsTooWeak:
            true
        // In blind mode the client detects a wrong entry, and it cannot be told from other reasons not to sign.
        case .signingRefused: true
        // The person may accept the credentials and enter the secret again.
        case .credentialsChanged: true
        // The app called a step that is not open. No request was sent.
        case .wrongStep: problem == nil
        default: isRetryable
        }
    }

    /// The id of the request in the service's log, if the service replied.
    public var requestId: String? { problem?.requestId }

    /// Converts any error that a call threw to an error of this library.
    init(describing error: any Error) {
        switch error {
        case let error as TenureClientError: self = error
        case is CancellationError: self.init(.cancelled)
        default: self.init(.storageFailed)
        }
    }
}

extension TenureClientError.Code {
    /// The flow was cancelled: by `cancel()`, by cancelling the task, or by starting another flow.
    public static let cancelled = Self(rawValue: "client.cancelled")
    /// The step was used while an earlier call of it was running, or no step of that kind is open.
    public static let wrongStep = Self(.flowWrongStep)
    /// The flow has ended; its steps cannot be used again.
    public static let flowEnded = Self(.flowAlreadyUsed)
    /// This device's key must be authorized first, and no callback handles that.
    public static let authorizationPending = Self(rawValue: "client.authorization_pending")
    /// The person must be asked, and there is neither a callback nor a prompt provider.
    public static let promptRequired = Self(rawValue: "client.prompt_required")
    /// The terminal prompt has no terminal.
    public static let promptUnavailable = Self(rawValue: "client.prompt_unavailable")
    /// The service or the account requires a mode that this client may not use.
    public static let modeUnavailable = Self(rawValue: "client.mode_unavailable")
    /// The account's credentials differ from the pinned ones and were not accepted. The person changed them on another
    /// device, or the service shows credentials of its own making. Nothing was evaluated or signed.
    public static let credentialsChanged = Self(rawValue: "client.credentials_changed")
    /// The app credentials contain no address of a service.
    public static let baseURLMissing = Self(rawValue: "client.base_url_missing")
    /// This device has no session of the account, or no key if the call needs one.
    public static let notLoggedIn = Self(rawValue: "client.not_logged_in")
    /// The session store cannot be read or written, or is open to others.
    public static let storageFailed = Self(rawValue: "client.storage_failed")
}

extension TenureClientError {
    /// The name of this error in Bayun's iOS library, for apps that are ported.
    ///
    /// Several errors of this library map to the same name. Bayun has no lock, no rate limit and no expiry of a flow;
    /// these map to `BayunErrorInvalidOperation` or `BayunErrorSomethingWentWrong`.
    public var bayunName: String { "BayunError" + kind.bayunSuffix }
}

extension TenureClientError.Kind {
    var bayunSuffix: String { ownBayunSuffix ?? ErrorCode(rawValue: rawValue)?.bayunSuffix ?? "SomethingWentWrong" }

    /// The name, where it is not that of all codes with the same status.
    private var ownBayunSuffix: String? {
        switch self {
        case .companyNameMissing: "CompanyNameCannotBeNil"
        case .employeeIdMissing: "CompanyEmployeeIdCannotBeNil"
        case .emailMissing: "EmailCannotBeNil"
        case .fiveQuestionsRequired, .credentialsIncomplete: "OneOrMoreTextFieldsAreEmpty"
        case .atLeastThreeAnswersRequired: "AtleastThreeAnswersRequired"
        case .passphraseMissing: "PassphraseCannotBeNil"
        case .emailNotCompanyOwned, .questionsAlike, .textTooLong, .textInvalid, .questionTwice, .questionUnknown:
            "IncorrectInput"
        case .appUnknown: "InvalidAppId"
        case .appSecretInvalid: "InvalidAppSecret"
        case .notLoggedIn: "ReAuthenticationNeeded"
        case .answersIncorrect: "OneOrMoreIncorrectAnswers"
        case .passphraseIncorrect: "InvalidPassphrase"
        case .appLastWithAccess: "AccessDenied"
        case .employeeInactive, .employeeNotApproved: "UserInActive"
        case .companyUnknown: "CompanyDoesNotExists"
        case .employeeUnknown: "EmployeeNotExistsInGivenCompany"
        case .appNotLinked: "AppNotLinked"
        case .employeeAlreadyRegistered: "EmployeeAlreadyExists"
        case .employeeKeyInvalid, .signingRefused, .credentialsChanged, .keyFileInvalid, .pinInvalid,
            .mpinUnauthorized, .mpinWrongPIN, .mpinUnknown, .mpinPointInvalid:
            "AuthenticationFailed"
        case .authorizationPending: "EmployeeAuthorizationIsPending"
        case .cancelled: "PasscodeAuthenticationCanceledByUser"
        case .connectionLost, .serviceUnavailable: "CouldNotConnectToServer"
        case .baseURLMissing: "BayunAppCredentialsCannotBeNil"
        case .policyBlindOnly, .returnNotPermitted, .mpinDisabled, .promptRequired, .promptUnavailable,
            .modeUnavailable:
            "InvalidOperation"
        case .routeUnknown: "SomethingWentWrong"
        default: nil
        }
    }
}

extension ErrorCode {
    /// The name of a code that has none of its own.
    fileprivate var bayunSuffix: String {
        switch status {
        case 400, 413: "IncorrectInput"
        case 401: "ReAuthenticationNeeded"
        case 403: "AccessDenied"
        case 405, 415, 500...: "SomethingWentWrong"
        default: "InvalidOperation"
        }
    }
}
