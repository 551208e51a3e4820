/// A stable code of a refusal, with all that goes with it: the HTTP status, the texts, and whether a repetition helps.
///
/// This is the only declaration of a code. Everything else that names codes refers to it, or is compared with ``all``.
public struct ErrorCode: Sendable, Hashable, CustomStringConvertible {
    /// What a repetition of the refused call can lead to.
    public enum Repetition: Sendable {
        /// The same refusal. It is the stored reply of the call's `Idempotency-Key`.
        case refused
        /// Another reply once something has changed: the state, a setting, or the time that the refusal names.
        case openAfterChange
        /// Another reply after a while, without any change.
        case openLater
    }

    /// The code as it appears on the wire, for example `answers.incorrect`.
    public let rawValue: String
    /// The HTTP status that belongs to the code.
    public let status: Int
    /// A short summary that is the same for every occurrence. It is ASCII without quotes and backslashes.
    public let title: String
    /// The advice on what the caller can do.
    public let advice: String
    /// What a repetition of the call can lead to.
    public let repetition: Repetition

    private init(
        _ rawValue: String, _ status: Int, _ title: String, _ advice: String, repetition: Repetition = .refused
    ) {
        self.rawValue = rawValue
        self.status = status
        self.title = title
        self.advice = advice
        self.repetition = repetition
    }

    /// The raw code.
    public var description: String { rawValue }

    /// Finds a code that was read from a document; `nil` if this version has no such code.
    public init?(rawValue: String) {
        guard let code = Self.byRawValue[rawValue] else { return nil }
        self = code
    }

    private static let byRawValue = Dictionary(uniqueKeysWithValues: all.map { ($0.rawValue, $0) })

    /// Compares the raw values.
    public static func == (left: ErrorCode, right: ErrorCode) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the raw value.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// Every code, in the order of their declarations below.
    public static let all: [ErrorCode] = [
        .requestInvalid, .companyNameMissing, .employeeIdMissing, .employeeKeyInvalid, .emailMissing, .emailInvalid,
        .credentialsFiveQuestionsRequired, .credentialsIncomplete, .credentialsCustomQuestion, .credentialsTooWeak,
        .answersAtLeastThreeRequired, .passphraseMissing, .tokenResourceUnknown,
        .appUnknown, .appSecretInvalid, .sessionLoginRequired, .sessionExpired, .sessionInvalid, .sessionReused,
        .answersIncorrect, .passphraseIncorrect, .appRoleMissing, .authorizationNotPermitted, .employeeInactive,
        .employeeNotApproved, .employeePasskeyRequired, .invitationInvalid, .registrationInvitationRequired,
        .returnNotPermitted, .policyBlindOnly, .policyPasskeyRequired, .passkeyStopped, .sessionRoleMissing,
        .companyUnknown, .employeeUnknown, .authorizationUnknownKey, .recoveryUnknown, .returnUnknown, .appNotLinked,
        .routeUnknown, .routeMethodNotAllowed,
        .appLastWithAccess, .policySecretlessPeople, .policyPasskeylessPeople, .companyAlreadyFounded,
        .employeeAlreadyRegistered, .emailNotCompanyOwned, .emailUnverified, .emailNotReclaimable, .flowWrongStep,
        .flowExpired, .flowAlreadyUsed,
        .idempotencyInProgress, .recoveryInProgress, .recoveryOtherCompanies, .recoveryNotAvailable,
        .returnInProgress, .returnNotAvailable, .requestStale, .requestTooLarge, .requestMediaType,
        .idempotencyConflict,
        .credentialsLocked, .requestRateLimited, .serviceUnavailable, .mailUnavailable, .serviceBusy, .serviceClock,
        .mpinUnknown, .mpinUnauthorized, .mpinWrongPIN, .mpinDisabled, .mpinPointInvalid, .mpinRequestExpired,
        .mpinWrongState, .mpinKeyExpired, .mpinEnded, .mpinBlocked,
    ]
}

// MARK: Bad requests

extension ErrorCode {
    package static let requestInvalid = ErrorCode(
        "request.invalid", 400, "The request is not valid",
        "Correct the places that errors names and send the request again.")
    package static let companyNameMissing = ErrorCode(
        "company.name_missing", 400, "The company's name is missing", "Send companyName.")
    package static let employeeIdMissing = ErrorCode(
        "employee.id_missing", 400, "The employee's id is missing", "Send companyEmployeeId.")
    package static let employeeKeyInvalid = ErrorCode(
        "employee.key_invalid", 400, "The device key or its signature is not valid",
        "Send the padded base64 of a 65-byte X9.63 point on P-256, and a signature made with that key. errors says "
            + "which of the two is wrong.")
    package static let emailMissing = ErrorCode(
        "email.missing", 400, "The e-mail is missing", "Send email.")
    package static let emailInvalid = ErrorCode(
        "email.invalid", 400, "The e-mail is not valid", "Send an address with one @.")
    package static let credentialsFiveQuestionsRequired = ErrorCode(
        "credentials.five_questions_required", 400, "Five questions are required",
        "Send exactly five different questions.")
    package static let credentialsIncomplete = ErrorCode(
        "credentials.incomplete", 400, "The credentials are incomplete",
        "Send an answer to each question. A passphrase needs at least 8 characters.")
    package static let credentialsCustomQuestion = ErrorCode(
        "credentials.custom_question", 400, "The app accepts only questions from the published list",
        "Choose questions from GET /v1/questions, or have the operator create an app with --custom-questions.")
    package static let credentialsTooWeak = ErrorCode(
        "credentials.too_weak", 400, "The answers or the passphrase are too easy to guess",
        "Replace the entries that errors names. The others can stay.")
    package static let answersAtLeastThreeRequired = ErrorCode(
        "answers.at_least_three_required", 400, "At least three answers are required",
        "Send three or more answers. This request was not charged.")
    package static let passphraseMissing = ErrorCode(
        "passphrase.missing", 400, "The passphrase is missing", "Send passphrase.")
    package static let tokenResourceUnknown = ErrorCode(
        "token.resource_unknown", 400, "The resource is not registered for the app",
        "Send the URI of one of the app's resources. The operator registers them.")
}

// MARK: Callers

extension ErrorCode {
    package static let appUnknown = ErrorCode(
        "app.unknown", 401, "The app is unknown", "Send Basic credentials made of the app's id and secret.")
    package static let appSecretInvalid = ErrorCode(
        "app.secret_invalid", 401, "The app's secret is not valid", "Use a secret of this app that is still in force.")
    package static let sessionLoginRequired = ErrorCode(
        "session.login_required", 403, "A recent log-in is required",
        "Log in again and send the request with the new access token within ten minutes.")
    package static let sessionExpired = ErrorCode(
        "session.expired", 401, "The session has expired", "Refresh the session or log in again.")
    package static let sessionInvalid = ErrorCode(
        "session.invalid", 401, "The token is not valid",
        "Do what errors says: send the session's latest token, or log in again.")
    package static let sessionReused = ErrorCode(
        "session.reused", 401, "The refresh token was used before, so the session has ended",
        "Log in again. If your app refreshes from several places at once, present its secret as well.")
}

// MARK: Refusals

extension ErrorCode {
    package static let answersIncorrect = ErrorCode(
        "answers.incorrect", 403, "The answers are not right", "Answer the same questions again.")
    package static let passphraseIncorrect = ErrorCode(
        "passphrase.incorrect", 403, "The passphrase is not right", "Enter the passphrase again.")
    package static let appRoleMissing = ErrorCode(
        "app.role_missing", 403, "The app lacks a role for this call",
        "Use a secret that has the role. If it has, have the security admin add the role to the app's link.")
    package static let authorizationNotPermitted = ErrorCode(
        "authorization.not_permitted", 403, "The caller may not do this",
        "Do what errors says. Without it, ask an admin, or another caller that the company's policy permits.")
    package static let employeeInactive = ErrorCode(
        "employee.inactive", 403, "The employee is cancelled", "Ask an admin of the company to reinstate the account.")
    package static let employeeNotApproved = ErrorCode(
        "employee.not_approved", 403, "The employee is not approved yet",
        "Ask an admin of the company to approve the account.")
    package static let employeePasskeyRequired = ErrorCode(
        "employee.passkey_required", 403, "The company asks for a passkey",
        "The secret is right. Log in with a passkey, or ask an admin of the company.")
    package static let invitationInvalid = ErrorCode(
        "invitation.invalid", 403, "The invitation is not valid",
        "Check the employee id and the e-mail, or ask an admin of the company for a new invitation.")
    package static let registrationInvitationRequired = ErrorCode(
        "registration.invitation_required", 403, "Registration in this company needs an invitation",
        "Ask an admin of the company for one and send it as invitation.")
    package static let returnNotPermitted = ErrorCode(
        "return.not_permitted", 403, "No return is open to this account",
        "Only a security admin returns, while no other admin has a device key in force. The e-mail must have been "
            + "verified, and recovered credentials set, at least 30 days ago. Otherwise ask the operator.")
    package static let policyBlindOnly = ErrorCode(
        "policy.blind_only", 403, "Direct mode is not accepted here", "Use blind mode: the evaluations and proof calls."
    )
    package static let policyPasskeyRequired = ErrorCode(
        "policy.passkey_required", 403, "Only a passkey may sign this change of the policy",
        "Log in with a passkey and sign with it. About adminsNeedPasskey only one decides that is bound to its device.")
    package static let passkeyStopped = ErrorCode(
        "passkey.stopped", 403, "There may be a copy of this passkey",
        "Log in with another device. An admin of the company revokes the passkey, or authorizes it anew.")
    package static let sessionRoleMissing = ErrorCode(
        "session.role_missing", 403, "The session does not carry the role of an admin",
        "Log in with your secret too, or with a passkey that is bound to its device.")
}

// MARK: Absences

extension ErrorCode {
    package static let companyUnknown = ErrorCode(
        "company.unknown", 404, "There is no such company", "Check the company's name.")
    package static let employeeUnknown = ErrorCode(
        "employee.unknown", 404, "There is no such employee", "Check the employee's id.")
    package static let authorizationUnknownKey = ErrorCode(
        "authorization.unknown_key", 404, "There is no such device key",
        "Check the state of the key, and the fingerprint if one was sent.")
    package static let recoveryUnknown = ErrorCode(
        "recovery.unknown", 404, "No such recovery is open", "Check the fingerprint, or open a recovery first.")
    package static let returnUnknown = ErrorCode(
        "return.unknown", 404, "This device can cancel no return",
        "Use a device that was authorized in the 30 days before the return was opened. A completed return can be "
            + "undone for 30 days.")
    package static let appNotLinked = ErrorCode(
        "app.not_linked", 404, "The app is not linked to the company",
        "Have the security admin or the operator link the app.")
    package static let routeUnknown = ErrorCode(
        "route.unknown", 404, "There is no operation at this path", "Look up the path in GET /openapi.yaml.")
    package static let routeMethodNotAllowed = ErrorCode(
        "route.method_not_allowed", 405, "The path does not support this method",
        "Use a method that the Allow header names.")
}

// MARK: Conflicts

extension ErrorCode {
    package static let appLastWithAccess = ErrorCode(
        "app.last_with_access", 409, "No other linked app could log employees in",
        "Link another app with the role ACCESS first.")
    package static let policySecretlessPeople = ErrorCode(
        "policy.secretless_people", 409, "Some people have no secret to log in with",
        "Have the people that errors names set a secret first, or cancel their accounts.")
    package static let policyPasskeylessPeople = ErrorCode(
        "policy.passkeyless_people", 409, "Some people have no passkey to log in with",
        "Have the people that errors names add a passkey first, or cancel their accounts.")
    package static let companyAlreadyFounded = ErrorCode(
        "company.already_founded", 409, "The company exists already",
        "To join it, register with the intent join. To found another one, choose a name that is free.")
    package static let employeeAlreadyRegistered = ErrorCode(
        "employee.already_registered", 409, "The employee id is already registered",
        "Log in instead. To invite somebody, choose an id that is free.")
    package static let emailNotCompanyOwned = ErrorCode(
        "email.not_company_owned", 409, "The e-mail does not belong to the company",
        "Register without isCompanyOwnedEmail.")
    package static let emailUnverified = ErrorCode(
        "email.unverified", 409, "The employee has not verified the e-mail",
        "Have the employee open the link in the mail, or let an admin sign.")
    package static let emailNotReclaimable = ErrorCode(
        "email.not_reclaimable", 409, "The e-mail cannot be reclaimed",
        "Only an address in the company's confirmed domain can. The operator confirms the domain.")
    package static let flowWrongStep = ErrorCode(
        "flow.wrong_step", 409, "The flow is at another step", "Take the step that the last outcome asked for.")
    package static let flowExpired = ErrorCode(
        "flow.expired", 409, "The flow has expired", "Start a new flow.")
    package static let flowAlreadyUsed = ErrorCode(
        "flow.already_used", 409, "The flow has ended", "Start a new flow.")
    package static let idempotencyInProgress = ErrorCode(
        "idempotency.in_progress", 409, "The first request with this Idempotency-Key is still running",
        "Repeat the request with the same key in a moment.", repetition: .openLater)
    package static let recoveryInProgress = ErrorCode(
        "recovery.in_progress", 409, "Another recovery for this person is open", "Cancel it, or wait until it ends.")
    package static let recoveryOtherCompanies = ErrorCode(
        "recovery.other_companies", 409, "The person has accounts in other companies",
        "Confirm with a device of theirs that was authorized for the whole waiting time, or have the operator "
            + "confirm the domain of their e-mail for this company.")
    package static let recoveryNotAvailable = ErrorCode(
        "recovery.not_available", 409, "The waiting time of the recovery is not over",
        "Come back with the same device at availableAt, or as Retry-After says.", repetition: .openAfterChange)
    package static let returnInProgress = ErrorCode(
        "return.in_progress", 409, "Another return is open or can still be undone",
        "Complete it on its device, or end it with a former device or the link in the mail. Otherwise ask the operator."
    )
    package static let returnNotAvailable = ErrorCode(
        "return.not_available", 409, "The waiting time of the return is not over",
        "Come back with the same device at availableAt, or as Retry-After says.")
    package static let requestStale = ErrorCode(
        "request.stale", 412, "The object has changed since it was read", "Read it again, then decide again.",
        repetition: .openAfterChange)
    package static let requestTooLarge = ErrorCode(
        "request.too_large", 413, "The body is too large", "Send a body within the limit that errors names.")
    package static let requestMediaType = ErrorCode(
        "request.media_type", 415, "The media type of the body is not accepted",
        "Send the media type that Accept, Accept-Patch or Accept-Post names, in UTF-8 and without a content coding.")
    package static let idempotencyConflict = ErrorCode(
        "idempotency.conflict", 422, "The Idempotency-Key was used for another request", "Use a new Idempotency-Key.")
}

// MARK: Waits

extension ErrorCode {
    package static let credentialsLocked = ErrorCode(
        "credentials.locked", 429, "The attempts at these credentials are used up",
        "Wait as long as Retry-After says. An attempt counts from its start, so attempts that run side by side count "
            + "before they are known to be right. A right one gives its attempt back.",
        repetition: .openLater)
    package static let requestRateLimited = ErrorCode(
        "request.rate_limited", 429, "Too many requests", "Wait as long as Retry-After says.", repetition: .openLater)
    package static let serviceUnavailable = ErrorCode(
        "service.unavailable", 503, "The service is not available", "Wait as long as Retry-After says, then try again.",
        repetition: .openLater)
    package static let mailUnavailable = ErrorCode(
        "mail.unavailable", 503, "The service cannot send mails", "Have the operator configure a mail server.",
        repetition: .openAfterChange)
    package static let serviceBusy = ErrorCode(
        "service.busy", 503, "The service is busy", "Wait as long as Retry-After says, then try again.",
        repetition: .openLater)
    package static let serviceClock = ErrorCode(
        "service.clock", 503, "A clock is wrong",
        "Have the operator compare the clocks of the service and its database, and run tenure doctor.",
        repetition: .openLater)
}

// MARK: M-Pin

extension ErrorCode {
    package static let mpinUnknown = ErrorCode(
        "mpin.unknown", 400, "There is no such M-Pin registration",
        "Check the M-Pin ID and what was presented with it. Register again if it is lost.")
    package static let mpinUnauthorized = ErrorCode(
        "mpin.unauthorized", 401, "The M-Pin identity is not verified or has no key",
        "Have the identity verified, then confirm and finish the registration.")
    package static let mpinWrongPIN = ErrorCode(
        "mpin.wrong_pin", 401, "The PIN is wrong", "Enter the PIN again. A few wrong PINs end the identity.")
    package static let mpinDisabled = ErrorCode(
        "mpin.disabled", 403, "The company does not permit M-Pin",
        "Have the security admin enable it, and the operator connect two D-TAs.")
    package static let mpinPointInvalid = ErrorCode(
        "mpin.point_invalid", 403, "A point of the proof is not valid",
        "Send 97 bytes in hexadecimal: 04 and the coordinates of a point of G1 other than infinity.")
    package static let mpinRequestExpired = ErrorCode(
        "mpin.request_expired", 408, "The challenge, token or link is expired or used",
        "Start the authentication again, or restart the registration for a new link.")
    package static let mpinWrongState = ErrorCode(
        "mpin.wrong_state", 409, "The state of the M-Pin identity does not permit this",
        "Go on with the next step of the registration.")
    package static let mpinKeyExpired = ErrorCode(
        "mpin.key_expired", 409, "The client key is of an old epoch", "Register the PIN again.")
    package static let mpinEnded = ErrorCode(
        "mpin.ended", 410, "The M-Pin identity has ended", "Register the PIN again.")
    package static let mpinBlocked = ErrorCode(
        "mpin.blocked", 410, "Wrong PINs have ended the M-Pin identity", "Register the PIN again.")
}
