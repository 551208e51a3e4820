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
    public static let all: [ErrorCode] = badRequests + callers + refusals + absences + conflicts + waits + mpin
}

extension ErrorCode {
    /// The service cannot read the request.
    public static let requestInvalid = ErrorCode(
        "request.invalid", 400, "The request is not valid",
        "Correct the places that errors names and send the request again.")
    /// The body exceeds the limit.
    public static let requestTooLarge = ErrorCode(
        "request.too_large", 413, "The body is too large", "Send a body within the limit that errors names.")
    /// The body is not declared as the media type that the call takes.
    public static let requestMediaType = ErrorCode(
        "request.media_type", 415, "The media type of the body is not accepted",
        "Send the media type that Accept, Accept-Patch or Accept-Post names, in UTF-8 and without a content coding.")
    /// The app has no such resource (RFC 8707).
    public static let resourceUnknown = ErrorCode(
        "token.resource_unknown", 400, "The resource is not registered for the app",
        "Send the URI of one of the app's resources. The operator registers them.")
    /// The app presented no known id.
    public static let appUnknown = ErrorCode(
        "app.unknown", 401, "The app is unknown", "Send Basic credentials made of the app's id and secret.")
    /// The access token is not valid.
    public static let sessionInvalid = ErrorCode(
        "session.invalid", 401, "The access token is not valid", "Log in again.")
    /// The caller may not do this.
    public static let authorizationNotPermitted = ErrorCode(
        "authorization.not_permitted", 403, "The caller may not do this",
        "Ask an admin, or another caller that the company's policy permits. The security admin can be cancelled or "
            + "dismissed only after naming a successor.")

    static let badRequests: [ErrorCode] = [
        requestInvalid,
        ErrorCode("company.name_missing", 400, "The company's name is missing", "Send companyName."),
        ErrorCode("employee.id_missing", 400, "The employee's id is missing", "Send companyEmployeeId."),
        ErrorCode(
            "employee.key_invalid", 400, "The device key or its signature is not valid",
            "Send the padded base64 of a 65-byte X9.63 point on P-256, and a signature made with that key."),
        ErrorCode("email.missing", 400, "The e-mail is missing", "Send email."),
        ErrorCode("email.invalid", 400, "The e-mail is not valid", "Send an address with one @."),
        ErrorCode(
            "credentials.five_questions_required", 400, "Five questions are required",
            "Send exactly five different questions."),
        ErrorCode(
            "credentials.incomplete", 400, "The credentials are incomplete",
            "Send an answer to each question. A passphrase needs at least 8 characters."),
        ErrorCode(
            "credentials.custom_question", 400, "The app accepts only questions from the published list",
            "Choose questions from GET /v1/questions, or have the operator create an app with --custom-questions."),
        ErrorCode(
            "credentials.too_weak", 400, "The answers or the passphrase are too easy to guess",
            "Replace the entries that errors names. The others can stay."),
        ErrorCode(
            "answers.at_least_three_required", 400, "At least three answers are required",
            "Send three or more answers. This request was not charged."),
        ErrorCode("passphrase.missing", 400, "The passphrase is missing", "Send passphrase."),
        resourceUnknown,
    ]

    static let callers: [ErrorCode] = [
        appUnknown,
        ErrorCode(
            "app.secret_invalid", 401, "The app's secret is not valid",
            "Use a secret of this app that is still in force."),
        ErrorCode(
            "session.login_required", 403, "A recent log-in is required",
            "Log in again and send the request with the new access token within ten minutes."),
        ErrorCode("session.expired", 401, "The session has expired", "Refresh the session or log in again."),
        sessionInvalid,
        ErrorCode(
            "session.reused", 401, "The refresh token was used before, so the session has ended",
            "Log in again. If your app refreshes from several places at once, present its secret as well."),
    ]

    static let refusals: [ErrorCode] = [
        ErrorCode("answers.incorrect", 403, "The answers are not right", "Answer the same questions again."),
        ErrorCode("passphrase.incorrect", 403, "The passphrase is not right", "Enter the passphrase again."),
        ErrorCode(
            "app.role_missing", 403, "The app lacks a role for this call",
            "Use a secret that has the role. If it has, have the security admin add the role to the app's link."
        ),
        authorizationNotPermitted,
        ErrorCode(
            "employee.inactive", 403, "The employee is cancelled",
            "Ask an admin of the company to reinstate the account."),
        ErrorCode(
            "employee.not_approved", 403, "The employee is not approved yet",
            "Ask an admin of the company to approve the account."),
        ErrorCode(
            "invitation.invalid", 403, "The invitation is not valid",
            "Check the employee id and the e-mail, or ask an admin of the company for a new invitation."),
        ErrorCode(
            "registration.invitation_required", 403, "Registration in this company needs an invitation",
            "Ask an admin of the company for one and send it as invitation."),
        ErrorCode(
            "return.not_permitted", 403, "No return is open to this account",
            "Only a security admin returns, while no other admin has a device key in force. The e-mail must have been "
                + "verified, and recovered credentials set, at least 30 days ago. Otherwise ask the operator."),
        ErrorCode(
            "policy.blind_only", 403, "Direct mode is not accepted here",
            "Use blind mode: the evaluations and proof calls."),
    ]
}

extension ErrorCode {
    /// No endpoint has this path.
    public static let routeUnknown = ErrorCode(
        "route.unknown", 404, "There is no operation at this path", "Look up the path in GET /openapi.yaml.")
    /// The path does not support this method.
    public static let methodNotAllowed = ErrorCode(
        "route.method_not_allowed", 405, "The path does not support this method",
        "Use a method that the Allow header names.")
    /// The object has changed since the caller read it.
    public static let requestStale = ErrorCode(
        "request.stale", 412, "The object has changed since it was read", "Read it again, then decide again.")
    /// The caller exceeded a rate limit.
    public static let rateLimited = ErrorCode(
        "request.rate_limited", 429, "Too many requests", "Wait as long as Retry-After says.")
    /// The service is temporarily unavailable.
    public static let serviceUnavailable = ErrorCode(
        "service.unavailable", 503, "The service is not available", "Wait as long as Retry-After says, then try again.")

    /// A mail is needed, and the service can send none.
    public static let mailUnavailable = ErrorCode(
        "mail.unavailable", 503, "The service cannot send mails", "Have the operator configure a mail server.")

    static let absences: [ErrorCode] = [
        ErrorCode("company.unknown", 404, "There is no such company", "Check the company's name."),
        ErrorCode("employee.unknown", 404, "There is no such employee", "Check the employee's id."),
        ErrorCode(
            "authorization.unknown_key", 404, "There is no such device key",
            "Check the fingerprint, and the state of the key."),
        ErrorCode(
            "recovery.unknown", 404, "No such recovery is open", "Check the fingerprint, or open a recovery first."),
        ErrorCode(
            "return.unknown", 404, "This device can cancel no return",
            "Use a device that was authorized in the 30 days before the return was opened. A completed return can be "
                + "undone for 30 days."),
        ErrorCode(
            "app.not_linked", 404, "The app is not linked to the company",
            "Have the security admin or the operator link the app."),
        routeUnknown, methodNotAllowed,
    ]

    static let conflicts: [ErrorCode] = [
        ErrorCode(
            "app.last_with_access", 409, "No other linked app could log employees in",
            "Link another app with the role ACCESS first."),
        ErrorCode(
            "company.already_founded", 409, "The company exists already",
            "To join it, register with the intent join. To found another one, choose a name that is free."),
        ErrorCode(
            "employee.already_registered", 409, "The employee id is already registered",
            "Log in instead. To invite somebody, choose an id that is free."),
        ErrorCode(
            "email.not_company_owned", 409, "The e-mail does not belong to the company",
            "Register without isCompanyOwnedEmail."),
        ErrorCode(
            "email.unverified", 409, "The employee has not verified the e-mail",
            "Have the employee open the link in the mail, or let an admin sign."),
        ErrorCode(
            "email.not_reclaimable", 409, "The e-mail cannot be reclaimed",
            "Only an address in the company's confirmed domain can. The operator confirms the domain."),
        ErrorCode(
            "flow.wrong_step", 409, "The flow is at another step", "Take the step that the last outcome asked for."),
        ErrorCode("flow.expired", 409, "The flow has expired", "Start a new flow."),
        ErrorCode("flow.already_used", 409, "The flow has ended", "Start a new flow."),
        ErrorCode(
            "idempotency.in_progress", 409, "The first request with this Idempotency-Key is still running",
            "Repeat the request with the same key in a moment."),
        ErrorCode(
            "recovery.in_progress", 409, "Another recovery for this person is open",
            "Cancel it, or wait until it ends."),
        ErrorCode(
            "recovery.other_companies", 409, "The person has accounts in other companies",
            "Confirm with a device of theirs that was authorized for the whole waiting time, or have the operator "
                + "confirm the domain of their e-mail for this company."),
        ErrorCode(
            "recovery.not_available", 409, "The waiting time of the recovery is not over",
            "Come back with the same device at availableAt, or as Retry-After says."),
        ErrorCode(
            "return.in_progress", 409, "Another return is open or can still be undone",
            "Complete it on its device, or end it with a former device or the link in the mail. Otherwise ask the operator."
        ),
        ErrorCode(
            "return.not_available", 409, "The waiting time of the return is not over",
            "Come back with the same device at availableAt, or as Retry-After says."),
        requestStale, requestTooLarge, requestMediaType,
        ErrorCode(
            "idempotency.conflict", 422, "The Idempotency-Key was used for another request",
            "Use a new Idempotency-Key."),
    ]

    static let waits: [ErrorCode] = [
        ErrorCode("credentials.locked", 429, "Too many wrong attempts", "Wait as long as Retry-After says."),
        rateLimited, serviceUnavailable, mailUnavailable,
        ErrorCode("service.busy", 503, "The service is busy", "Wait as long as Retry-After says, then try again."),
        ErrorCode(
            "service.clock", 503, "A clock is wrong",
            "Have the operator compare the clocks of the service and its database, and run tenure doctor."),
    ]

    static let mpin: [ErrorCode] = [
        ErrorCode(
            "mpin.unknown", 400, "There is no such M-Pin registration",
            "Check the M-Pin ID and what was presented with it. Register again if it is lost."),
        ErrorCode(
            "mpin.unauthorized", 401, "The M-Pin identity is not verified or has no key",
            "Have the identity verified, then confirm and finish the registration."),
        ErrorCode("mpin.wrong_pin", 401, "The PIN is wrong", "Enter the PIN again. A few wrong PINs end the identity."),
        ErrorCode(
            "mpin.disabled", 403, "The company does not permit M-Pin",
            "Have the security admin enable it, and the operator connect two D-TAs."),
        ErrorCode(
            "mpin.point_invalid", 403, "A point of the proof is not valid",
            "Send 97 bytes in hexadecimal: 04 and the coordinates of a point of G1 other than infinity."),
        ErrorCode(
            "mpin.request_expired", 408, "The challenge, token or link is expired or used",
            "Start the authentication again, or restart the registration for a new link."),
        ErrorCode(
            "mpin.wrong_state", 409, "The state of the M-Pin identity does not permit this",
            "Go on with the next step of the registration."),
        ErrorCode("mpin.key_expired", 409, "The client key is of an old epoch", "Register the PIN again."),
        ErrorCode("mpin.ended", 410, "The M-Pin identity has ended", "Register the PIN again."),
        ErrorCode("mpin.blocked", 410, "Wrong PINs have ended the M-Pin identity", "Register the PIN again."),
    ]
}
