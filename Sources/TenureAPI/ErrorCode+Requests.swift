extension ErrorCode {
    /// The request cannot be read.
    public static let requestInvalid = ErrorCode(
        "request.invalid", 400, "The request cannot be read", "Correct what errors names and send it again.")
    /// The app did not present a known id.
    public static let appUnknown = ErrorCode(
        "app.unknown", 401, "The app is unknown", "Send Basic credentials made of the app's id and secret.")
    /// The access token is none.
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
            "answers.at_least_three_required", 400, "At least three answers are required",
            "Send three or more answers; nothing was charged."),
        ErrorCode("passphrase.missing", 400, "The passphrase is missing", "Send passphrase."),
    ]

    static let callers: [ErrorCode] = [
        appUnknown,
        ErrorCode(
            "app.secret_invalid", 401, "The app's secret is not valid", "Use a secret that was not revoked."),
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
        ErrorCode("policy.blind_only", 403, "The company accepts the blind mode only", "Use the blind calls."),
    ]
}
