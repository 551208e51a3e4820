/// Every code that the service answers with, and the HTTP status of each.
///
/// The set is closed: a test holds it against the documented table.
extension ServiceError.Code {
    /// `request.invalid`, status 400.
    public static let requestInvalid = Self(rawValue: "request.invalid", status: 400)
    /// `company.name_missing`, status 400.
    public static let companyNameMissing = Self(rawValue: "company.name_missing", status: 400)
    /// `employee.id_missing`, status 400.
    public static let employeeIdMissing = Self(rawValue: "employee.id_missing", status: 400)
    /// `employee.key_invalid`, status 400.
    public static let employeeKeyInvalid = Self(rawValue: "employee.key_invalid", status: 400)
    /// `email.missing`, status 400.
    public static let emailMissing = Self(rawValue: "email.missing", status: 400)
    /// `email.invalid`, status 400.
    public static let emailInvalid = Self(rawValue: "email.invalid", status: 400)
    /// `credentials.five_questions_required`, status 400.
    public static let credentialsFiveQuestionsRequired = Self(
        rawValue: "credentials.five_questions_required", status: 400)
    /// `credentials.incomplete`, status 400.
    public static let credentialsIncomplete = Self(rawValue: "credentials.incomplete", status: 400)
    /// `answers.at_least_three_required`, status 400.
    public static let answersAtLeastThreeRequired = Self(rawValue: "answers.at_least_three_required", status: 400)
    /// `passphrase.missing`, status 400.
    public static let passphraseMissing = Self(rawValue: "passphrase.missing", status: 400)
    /// `app.unknown`, status 401.
    public static let appUnknown = Self(rawValue: "app.unknown", status: 401)
    /// `app.secret_invalid`, status 401.
    public static let appSecretInvalid = Self(rawValue: "app.secret_invalid", status: 401)
    /// `session.expired`, status 401.
    public static let sessionExpired = Self(rawValue: "session.expired", status: 401)
    /// `session.invalid`, status 401.
    public static let sessionInvalid = Self(rawValue: "session.invalid", status: 401)
    /// `answers.incorrect`, status 403.
    public static let answersIncorrect = Self(rawValue: "answers.incorrect", status: 403)
    /// `passphrase.incorrect`, status 403.
    public static let passphraseIncorrect = Self(rawValue: "passphrase.incorrect", status: 403)
    /// `app.role_missing`, status 403.
    public static let appRoleMissing = Self(rawValue: "app.role_missing", status: 403)
    /// `authorization.not_permitted`, status 403.
    public static let authorizationNotPermitted = Self(rawValue: "authorization.not_permitted", status: 403)
    /// `employee.inactive`, status 403.
    public static let employeeInactive = Self(rawValue: "employee.inactive", status: 403)
    /// `employee.not_approved`, status 403.
    public static let employeeNotApproved = Self(rawValue: "employee.not_approved", status: 403)
    /// `policy.blind_only`, status 403.
    public static let policyBlindOnly = Self(rawValue: "policy.blind_only", status: 403)
    /// `company.unknown`, status 404.
    public static let companyUnknown = Self(rawValue: "company.unknown", status: 404)
    /// `employee.unknown`, status 404.
    public static let employeeUnknown = Self(rawValue: "employee.unknown", status: 404)
    /// `authorization.unknown_key`, status 404.
    public static let authorizationUnknownKey = Self(rawValue: "authorization.unknown_key", status: 404)
    /// `recovery.unknown`, status 404.
    public static let recoveryUnknown = Self(rawValue: "recovery.unknown", status: 404)
    /// `app.not_linked`, status 404.
    public static let appNotLinked = Self(rawValue: "app.not_linked", status: 404)
    /// `employee.already_registered`, status 409.
    public static let employeeAlreadyRegistered = Self(rawValue: "employee.already_registered", status: 409)
    /// `email.not_company_owned`, status 409.
    public static let emailNotCompanyOwned = Self(rawValue: "email.not_company_owned", status: 409)
    /// `email.not_reclaimable`, status 409.
    public static let emailNotReclaimable = Self(rawValue: "email.not_reclaimable", status: 409)
    /// `flow.wrong_step`, status 409.
    public static let flowWrongStep = Self(rawValue: "flow.wrong_step", status: 409)
    /// `flow.expired`, status 409.
    public static let flowExpired = Self(rawValue: "flow.expired", status: 409)
    /// `flow.already_used`, status 409.
    public static let flowAlreadyUsed = Self(rawValue: "flow.already_used", status: 409)
    /// `idempotency.in_progress`, status 409.
    public static let idempotencyInProgress = Self(rawValue: "idempotency.in_progress", status: 409)
    /// `recovery.in_progress`, status 409.
    public static let recoveryInProgress = Self(rawValue: "recovery.in_progress", status: 409)
    /// `recovery.other_companies`, status 409.
    public static let recoveryOtherCompanies = Self(rawValue: "recovery.other_companies", status: 409)
    /// `request.stale`, status 412.
    public static let requestStale = Self(rawValue: "request.stale", status: 412)
    /// `idempotency.conflict`, status 422.
    public static let idempotencyConflict = Self(rawValue: "idempotency.conflict", status: 422)
    /// `credentials.locked`, status 429.
    public static let credentialsLocked = Self(rawValue: "credentials.locked", status: 429)
    /// `request.rate_limited`, status 429.
    public static let requestRateLimited = Self(rawValue: "request.rate_limited", status: 429)
    /// `service.unavailable`, status 503.
    public static let serviceUnavailable = Self(rawValue: "service.unavailable", status: 503)
    /// `service.busy`, status 503.
    public static let serviceBusy = Self(rawValue: "service.busy", status: 503)

    /// All codes, in the order of their statuses.
    public static let all: [Self] = [
        .requestInvalid, .companyNameMissing, .employeeIdMissing, .employeeKeyInvalid, .emailMissing, .emailInvalid,
        .credentialsFiveQuestionsRequired, .credentialsIncomplete, .answersAtLeastThreeRequired, .passphraseMissing,
        .appUnknown, .appSecretInvalid, .sessionExpired, .sessionInvalid, .answersIncorrect, .passphraseIncorrect,
        .appRoleMissing, .authorizationNotPermitted, .employeeInactive, .employeeNotApproved, .policyBlindOnly,
        .companyUnknown, .employeeUnknown, .authorizationUnknownKey, .appNotLinked, .employeeAlreadyRegistered,
        .emailNotCompanyOwned, .emailNotReclaimable, .flowWrongStep, .flowExpired, .flowAlreadyUsed,
        .idempotencyInProgress, .recoveryUnknown, .recoveryInProgress, .recoveryOtherCompanies, .requestStale,
        .idempotencyConflict, .credentialsLocked, .requestRateLimited,
        .serviceUnavailable, .serviceBusy,
    ]

    /// The code with this name, when there is one.
    public init?(rawValue: String) {
        guard let code = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = code
    }
}
