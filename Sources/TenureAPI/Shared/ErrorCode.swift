/// A stable code of a problem document, with its HTTP status and its texts.
public struct ErrorCode: Sendable, Hashable, CustomStringConvertible {
    /// The code as it appears on the wire, for example `answers.incorrect`.
    public let rawValue: String
    /// The HTTP status that belongs to the code.
    public let status: Int
    /// A short summary that is the same for every occurrence.
    public let title: String
    /// The advice on what the caller can do.
    public let advice: String

    init(_ rawValue: String, _ status: Int, _ title: String, _ advice: String) {
        self.rawValue = rawValue
        self.status = status
        self.title = title
        self.advice = advice
    }

    /// The raw code.
    public var description: String { rawValue }

    /// Finds a code by its raw value; `nil` if no such code exists.
    public init?(rawValue: String) {
        guard let code = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = code
    }

    /// Compares the raw values.
    public static func == (left: ErrorCode, right: ErrorCode) -> Bool { left.rawValue == right.rawValue }

    /// Hashes the raw value.
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }

    /// Every code, in the order of the statuses.
    public static let all: [ErrorCode] = badRequests + callers + refusals + absences + conflicts + waits
}

extension ErrorCode {
    /// The service cannot read the request.
    public static let requestInvalid = ErrorCode(
        "request.invalid", 400, "The request cannot be read", "Correct what errors names and send it again.")
    /// The app presented no known id.
    public static let appUnknown = ErrorCode(
        "app.unknown", 401, "The app is unknown", "Send Basic credentials made of the app's id and secret.")
    /// The access token is not valid.
    public static let sessionInvalid = ErrorCode(
        "session.invalid", 401, "The access token is not valid", "Log in again.")
    /// The caller may not do this.
    public static let authorizationNotPermitted = ErrorCode(
        "authorization.not_permitted", 403, "The caller may not do this", "Ask somebody whom the policy names.")

    static let badRequests: [ErrorCode] = [
        requestInvalid,
        ErrorCode("company.name_missing", 400, "The company's name is missing", "Send companyName."),
        ErrorCode("employee.id_missing", 400, "The employee's id is missing", "Send companyEmployeeId."),
        ErrorCode(
            "employee.key_invalid", 400, "The employee key is not valid",
            "Send the padded base64 of a 65-byte X9.63 point on P-256, and a signature of that key."),
        ErrorCode("email.missing", 400, "The e-mail is missing", "Send email."),
        ErrorCode("email.invalid", 400, "The e-mail is not valid", "Send an address with one @."),
        ErrorCode(
            "credentials.five_questions_required", 400, "Five questions are required",
            "Send exactly five different questions."),
        ErrorCode(
            "credentials.incomplete", 400, "The credentials are incomplete",
            "Send an answer to each question; a passphrase has at least 8 characters."),
        ErrorCode(
            "credentials.custom_question", 400, "The app accepts questions of the published list only",
            "Choose questions of GET /v1/questions. The operator can create an app with --custom-questions."),
        ErrorCode(
            "credentials.too_weak", 400, "The answers or the passphrase are too easy to guess",
            "Replace what errors names; the other entries can stay."),
        ErrorCode(
            "answers.at_least_three_required", 400, "At least three answers are required",
            "Send three or more answers; nothing was charged."),
        ErrorCode("passphrase.missing", 400, "The passphrase is missing", "Send passphrase."),
    ]

    static let callers: [ErrorCode] = [
        appUnknown,
        ErrorCode(
            "app.secret_invalid", 401, "The app's secret is not valid", "Use a secret that was not revoked."),
        ErrorCode(
            "session.login_required", 403, "A recent log-in is required",
            "Log in again and send the request with the new access token within ten minutes."),
        ErrorCode("session.expired", 401, "The session has expired", "Refresh the session or log in again."),
        sessionInvalid,
    ]

    static let refusals: [ErrorCode] = [
        ErrorCode("answers.incorrect", 403, "The answers are not right", "Answer the same questions again."),
        ErrorCode("passphrase.incorrect", 403, "The passphrase is not right", "Enter the passphrase again."),
        ErrorCode("app.role_missing", 403, "The app's secret lacks a role", "Use a secret that has the role."),
        authorizationNotPermitted,
        ErrorCode("employee.inactive", 403, "The employee is cancelled", "Ask an admin of the company."),
        ErrorCode(
            "employee.not_approved", 403, "The employee is not approved yet", "Ask an admin of the company."),
        ErrorCode(
            "invitation.invalid", 403, "The invitation is not valid",
            "Check the employee id and the e-mail, or ask an admin of the company for a new invitation."),
        ErrorCode(
            "registration.invitation_required", 403, "The company lets only invited people register",
            "Ask an admin of the company for an invitation and send it as invitation."),
        ErrorCode("policy.blind_only", 403, "The company accepts the blind mode only", "Use the blind calls."),
    ]
}

extension ErrorCode {
    /// No endpoint has this path.
    public static let routeUnknown = ErrorCode(
        "route.unknown", 404, "No operation has this path", "See the description of the API.")
    /// The path does not support this method.
    public static let methodNotAllowed = ErrorCode(
        "route.method_not_allowed", 405, "The path does not know this method", "Use a method that Allow names.")
    /// The object has changed since the caller read it.
    public static let requestStale = ErrorCode(
        "request.stale", 412, "The object has changed since", "Read it again and decide again.")
    /// The caller exceeded a rate limit.
    public static let rateLimited = ErrorCode(
        "request.rate_limited", 429, "Too many requests", "Wait as long as Retry-After says.")
    /// The service is temporarily unavailable.
    public static let serviceUnavailable = ErrorCode(
        "service.unavailable", 503, "The service is not available", "Try again as Retry-After says.")

    static let absences: [ErrorCode] = [
        ErrorCode("company.unknown", 404, "There is no such company", "Check the company's name."),
        ErrorCode("employee.unknown", 404, "There is no such employee", "Check the employee's id."),
        ErrorCode("authorization.unknown_key", 404, "There is no such key", "Check the fingerprint."),
        ErrorCode("recovery.unknown", 404, "No such recovery is open", "Check the fingerprint, or open one."),
        ErrorCode("app.not_linked", 404, "The app is not linked to the company", "Have an admin link the app."),
        routeUnknown, methodNotAllowed,
    ]

    static let conflicts: [ErrorCode] = [
        ErrorCode(
            "app.last_with_access", 409, "No other linked app could log anybody in",
            "Link another app with ACCESS first."),
        ErrorCode(
            "employee.already_registered", 409, "The employee is registered already", "Log in instead."),
        ErrorCode(
            "email.not_company_owned", 409, "The e-mail does not belong to the company",
            "Register without isCompanyOwnedEmail."),
        ErrorCode(
            "email.not_reclaimable", 409, "The e-mail cannot be reclaimed",
            "Only an address of a confirmed domain of the company can."),
        ErrorCode("flow.wrong_step", 409, "The flow is at another step", "Do what the last outcome asked for."),
        ErrorCode("flow.expired", 409, "The flow has expired", "Start again."),
        ErrorCode("flow.already_used", 409, "The flow has ended", "Start again."),
        ErrorCode(
            "idempotency.in_progress", 409, "The first request with this key still runs", "Try again in a moment."),
        ErrorCode(
            "recovery.in_progress", 409, "Another recovery of this person is open",
            "Cancel it, or wait until it has ended."),
        ErrorCode(
            "recovery.other_companies", 409, "The person has accounts in other companies",
            "A device of theirs confirms that was authorized for the whole waiting time, or the operator confirms the "
                + "domain of their e-mail for this company."),
        ErrorCode(
            "recovery.not_available", 409, "The waiting time of the recovery is not over",
            "Come back with the same device at availableAt, or as Retry-After says."),
        requestStale,
        ErrorCode(
            "idempotency.conflict", 422, "The key was used for another request", "Use a new Idempotency-Key."),
    ]

    static let waits: [ErrorCode] = [
        ErrorCode("credentials.locked", 429, "Too many wrong attempts", "Wait as long as Retry-After says."),
        rateLimited, serviceUnavailable,
        ErrorCode("service.busy", 503, "The service is busy", "Try again as Retry-After says."),
    ]
}
