extension ErrorCode {
    /// No operation has this path.
    public static let routeUnknown = ErrorCode(
        "route.unknown", 404, "No operation has this path", "See the description of the API.")
    /// The path knows other methods.
    public static let methodNotAllowed = ErrorCode(
        "route.method_not_allowed", 405, "The path does not know this method", "Use a method that Allow names.")
    /// Another state was expected.
    public static let requestStale = ErrorCode(
        "request.stale", 412, "The object has changed since", "Read it again and decide again.")
    /// Too many requests.
    public static let rateLimited = ErrorCode(
        "request.rate_limited", 429, "Too many requests", "Wait as long as Retry-After says.")
    /// The service cannot work now.
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
            "A company recovers for them only when it owns their e-mail's domain, which the operator confirms."),
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
