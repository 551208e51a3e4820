/// The table of codes of the contract, written down a second time: a code that changes its status fails here.
let documentedCodes: [String: Int] = [
    "request.invalid": 400, "company.name_missing": 400, "employee.id_missing": 400, "employee.key_invalid": 400,
    "email.missing": 400, "email.invalid": 400, "credentials.five_questions_required": 400,
    "credentials.incomplete": 400, "answers.at_least_three_required": 400, "passphrase.missing": 400,
    "app.unknown": 401, "app.secret_invalid": 401, "session.expired": 401, "session.invalid": 401,
    "answers.incorrect": 403, "passphrase.incorrect": 403, "app.role_missing": 403,
    "authorization.not_permitted": 403, "employee.inactive": 403, "employee.not_approved": 403,
    "policy.blind_only": 403,
    "company.unknown": 404, "employee.unknown": 404, "authorization.unknown_key": 404, "app.not_linked": 404,
    "recovery.unknown": 404, "recovery.in_progress": 409, "recovery.other_companies": 409,
    "employee.already_registered": 409, "email.not_company_owned": 409, "email.not_reclaimable": 409,
    "flow.wrong_step": 409, "flow.expired": 409, "flow.already_used": 409, "idempotency.in_progress": 409,
    "request.stale": 412, "idempotency.conflict": 422,
    "credentials.locked": 429, "request.rate_limited": 429,
    "service.unavailable": 503, "service.busy": 503,
    "route.unknown": 404, "route.method_not_allowed": 405,
]
