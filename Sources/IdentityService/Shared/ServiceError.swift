public import Canonical

/// A refusal of the service, with a code that is part of the API contract.
///
/// `description` contains the code and nothing of the caller's input, so it can be shown to a stranger.
public struct ServiceError: Error, Sendable, Equatable, CustomStringConvertible {
    /// One of the stable codes of the API.
    public struct Code: Sendable, Hashable {
        /// The code as it appears on the wire, for example `answers.incorrect`.
        public let rawValue: String
        /// The HTTP status that belongs to the code.
        public let status: Int
    }

    /// The code of the refusal.
    public let code: Code
    /// The members of the request that were wrong.
    public var members: [Member] = []
    /// The exact bytes to sign next, if the flow continues.
    public var challenge: [UInt8]?
    /// The whole seconds to wait before trying again.
    public var retryAfterSeconds: Int?
    /// When the call may be made, if it came too early.
    public var availableAt: Timestamp?
    /// Notices for the owner of the account.
    public var notices: [Notice] = []
    /// What the database gave as the cause, for the log. No caller sees it.
    package var cause: String?

    /// One wrong member of a request.
    public struct Member: Sendable, Equatable {
        /// The place as a JSON pointer (RFC 6901).
        public var pointer: String
        /// The reason, without the value.
        public var detail: String

        /// Each parameter sets the property of the same name.
        public init(pointer: String, detail: String) {
            self.pointer = pointer
            self.detail = detail
        }
    }

    /// Each parameter sets the property of the same name.
    public init(
        _ code: Code, members: [Member] = [], challenge: [UInt8]? = nil, retryAfterSeconds: Int? = nil
    ) {
        self.code = code
        self.members = members
        self.challenge = challenge
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// The code alone.
    public var description: String { code.rawValue }
}

/// The codes that the service answers with, and the HTTP status of each.
///
/// The set is closed: a test compares it with the documented table.
extension ServiceError.Code {
    /// `request.invalid`, status 400.
    public static let requestInvalid = Self(rawValue: "request.invalid", status: 400)
    /// `request.too_large`, status 413: the body exceeds the limit.
    public static let requestTooLarge = Self(rawValue: "request.too_large", status: 413)
    /// `request.media_type`, status 415: the body is not declared as the media type that the call takes.
    public static let requestMediaType = Self(rawValue: "request.media_type", status: 415)
    /// `token.resource_unknown`, status 400: the app has no such resource (RFC 8707).
    public static let tokenResourceUnknown = Self(rawValue: "token.resource_unknown", status: 400)
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
    /// `credentials.custom_question`, status 400.
    public static let credentialsCustomQuestion = Self(rawValue: "credentials.custom_question", status: 400)
    /// `credentials.too_weak`, status 400.
    public static let credentialsTooWeak = Self(rawValue: "credentials.too_weak", status: 400)
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
    /// `session.reused`, status 401.
    public static let sessionReused = Self(rawValue: "session.reused", status: 401)
    /// `answers.incorrect`, status 403.
    public static let answersIncorrect = Self(rawValue: "answers.incorrect", status: 403)
    /// `passphrase.incorrect`, status 403.
    public static let passphraseIncorrect = Self(rawValue: "passphrase.incorrect", status: 403)
    /// `app.role_missing`, status 403.
    public static let appRoleMissing = Self(rawValue: "app.role_missing", status: 403)
    /// `session.login_required`, status 403: the decision needs a log-in within the last minutes.
    public static let sessionLoginRequired = Self(rawValue: "session.login_required", status: 403)
    /// `app.last_with_access`, status 409: no other linked app could log anybody in.
    public static let appLastWithAccess = Self(rawValue: "app.last_with_access", status: 409)
    /// `authorization.not_permitted`, status 403.
    public static let authorizationNotPermitted = Self(rawValue: "authorization.not_permitted", status: 403)
    /// `employee.inactive`, status 403.
    public static let employeeInactive = Self(rawValue: "employee.inactive", status: 403)
    /// `employee.not_approved`, status 403.
    public static let employeeNotApproved = Self(rawValue: "employee.not_approved", status: 403)
    /// `policy.blind_only`, status 403.
    public static let policyBlindOnly = Self(rawValue: "policy.blind_only", status: 403)
    /// `invitation.invalid`, status 403.
    public static let invitationInvalid = Self(rawValue: "invitation.invalid", status: 403)
    /// `registration.invitation_required`, status 403.
    public static let registrationInvitationRequired = Self(
        rawValue: "registration.invitation_required", status: 403)
    /// `company.unknown`, status 404.
    public static let companyUnknown = Self(rawValue: "company.unknown", status: 404)
    /// `employee.unknown`, status 404.
    public static let employeeUnknown = Self(rawValue: "employee.unknown", status: 404)
    /// `authorization.unknown_key`, status 404.
    public static let authorizationUnknownKey = Self(rawValue: "authorization.unknown_key", status: 404)
    /// `return.unknown`, status 404.
    public static let returnUnknown = Self(rawValue: "return.unknown", status: 404)
    /// `recovery.unknown`, status 404.
    public static let recoveryUnknown = Self(rawValue: "recovery.unknown", status: 404)
    /// `app.not_linked`, status 404.
    public static let appNotLinked = Self(rawValue: "app.not_linked", status: 404)
    /// `company.already_founded`, status 409.
    public static let companyAlreadyFounded = Self(rawValue: "company.already_founded", status: 409)
    /// `employee.already_registered`, status 409.
    public static let employeeAlreadyRegistered = Self(rawValue: "employee.already_registered", status: 409)
    /// `email.not_company_owned`, status 409.
    public static let emailNotCompanyOwned = Self(rawValue: "email.not_company_owned", status: 409)
    /// `email.unverified`, status 409: the registration mode `domain` needs a verified address first.
    public static let emailUnverified = Self(rawValue: "email.unverified", status: 409)
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
    /// `return.not_permitted`, status 403.
    public static let returnNotPermitted = Self(rawValue: "return.not_permitted", status: 403)
    /// `return.in_progress`, status 409.
    public static let returnInProgress = Self(rawValue: "return.in_progress", status: 409)
    /// `return.not_available`, status 409.
    public static let returnNotAvailable = Self(rawValue: "return.not_available", status: 409)
    /// `recovery.in_progress`, status 409.
    public static let recoveryInProgress = Self(rawValue: "recovery.in_progress", status: 409)
    /// `recovery.other_companies`, status 409.
    public static let recoveryOtherCompanies = Self(rawValue: "recovery.other_companies", status: 409)
    /// `recovery.not_available`, status 409.
    public static let recoveryNotAvailable = Self(rawValue: "recovery.not_available", status: 409)
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
    /// `mail.unavailable`, status 503: a mail is needed, and this service can send none.
    public static let mailUnavailable = Self(rawValue: "mail.unavailable", status: 503)
    /// `service.busy`, status 503.
    public static let serviceBusy = Self(rawValue: "service.busy", status: 503)

    /// `service.clock`, status 503: this process's clock is ahead of the database's, or the ledger is.
    public static let serviceClock = Self(rawValue: "service.clock", status: 503)

    /// `mpin.unknown`, status 400.
    public static let mpinUnknown = Self(rawValue: "mpin.unknown", status: 400)
    /// `mpin.unauthorized`, status 401.
    public static let mpinUnauthorized = Self(rawValue: "mpin.unauthorized", status: 401)
    /// `mpin.wrong_pin`, status 401.
    public static let mpinWrongPIN = Self(rawValue: "mpin.wrong_pin", status: 401)
    /// `mpin.disabled`, status 403.
    public static let mpinDisabled = Self(rawValue: "mpin.disabled", status: 403)
    /// `mpin.point_invalid`, status 403.
    public static let mpinPointInvalid = Self(rawValue: "mpin.point_invalid", status: 403)
    /// `mpin.request_expired`, status 408.
    public static let mpinRequestExpired = Self(rawValue: "mpin.request_expired", status: 408)
    /// `mpin.wrong_state`, status 409.
    public static let mpinWrongState = Self(rawValue: "mpin.wrong_state", status: 409)
    /// `mpin.key_expired`, status 409.
    public static let mpinKeyExpired = Self(rawValue: "mpin.key_expired", status: 409)
    /// `mpin.ended`, status 410.
    public static let mpinEnded = Self(rawValue: "mpin.ended", status: 410)
    /// `mpin.blocked`, status 410.
    public static let mpinBlocked = Self(rawValue: "mpin.blocked", status: 410)

    /// All codes, in the order of their statuses.
    public static let all: [Self] = [
        .requestInvalid, .companyNameMissing, .employeeIdMissing, .employeeKeyInvalid, .emailMissing, .emailInvalid,
        .credentialsFiveQuestionsRequired, .credentialsIncomplete, .credentialsCustomQuestion, .credentialsTooWeak,
        .answersAtLeastThreeRequired, .passphraseMissing, .tokenResourceUnknown,
        .appUnknown, .appSecretInvalid, .sessionExpired, .sessionInvalid, .sessionReused, .answersIncorrect,
        .passphraseIncorrect, .appRoleMissing, .authorizationNotPermitted, .sessionLoginRequired, .appLastWithAccess,
        .employeeInactive,
        .employeeNotApproved, .policyBlindOnly, .invitationInvalid, .registrationInvitationRequired,
        .companyUnknown, .employeeUnknown, .authorizationUnknownKey, .appNotLinked, .companyAlreadyFounded,
        .employeeAlreadyRegistered,
        .emailNotCompanyOwned, .emailNotReclaimable, .flowWrongStep, .flowExpired, .flowAlreadyUsed,
        .idempotencyInProgress, .recoveryUnknown, .recoveryInProgress, .recoveryOtherCompanies,
        .recoveryNotAvailable, .returnUnknown, .returnNotPermitted, .returnInProgress, .returnNotAvailable,
        .requestStale, .requestTooLarge, .requestMediaType,
        .idempotencyConflict, .credentialsLocked, .requestRateLimited,
        .mpinUnknown, .mpinUnauthorized, .mpinWrongPIN, .mpinDisabled, .mpinPointInvalid, .mpinRequestExpired,
        .mpinWrongState, .mpinKeyExpired, .mpinEnded, .mpinBlocked, .serviceUnavailable,
        .serviceBusy, .serviceClock, .mailUnavailable, .emailUnverified,
    ]

    /// The code with this name; `nil` if there is none.
    public init?(rawValue: String) {
        guard let code = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = code
    }
}
