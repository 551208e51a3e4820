import Canonical
import Testing

/// Expects a refusal with this code, in every respect that the contract promises of refusals.
func expectProblem(
    _ reply: HTTPReply, _ code: String, goesOn: Bool? = nil, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let document = try #require(try? reply.json, "no document: \(reply)", sourceLocation: sourceLocation)
    #expect(reply.code == code, sourceLocation: sourceLocation)
    #expect(reply.status == documentedCodes[code], "\(reply)", sourceLocation: sourceLocation)
    #expect(document["status"]?.number == Int64(reply.status), sourceLocation: sourceLocation)
    #expect(reply.headers["content-type"] == "application/problem+json", sourceLocation: sourceLocation)
    for name in ["type", "title", "detail", "instance", "code", "requestId"] {
        #expect(document[name]?.text?.isEmpty == false, "\(name) of \(reply)", sourceLocation: sourceLocation)
    }
    let known: Set = [
        "type", "title", "status", "detail", "instance", "code", "requestId", "errors", "challenge",
        "availableAt", "notices", "error", "error_description",
    ]
    #expect(known.isSuperset(of: document.members.keys), "\(document.members.keys)", sourceLocation: sourceLocation)
    #expect(document["requestId"]?.text == reply.headers["x-request-id"], sourceLocation: sourceLocation)
    #expect(reply.headers["cache-control"] == "no-store", sourceLocation: sourceLocation)
    #expect(reply.headers["x-content-type-options"] == "nosniff", sourceLocation: sourceLocation)
    for error in document["errors"]?.items ?? [] {
        #expect(error["detail"]?.text?.isEmpty == false, sourceLocation: sourceLocation)
    }
    if reply.status == 429 || reply.status == 503 {
        let seconds = reply.headers["retry-after"].flatMap(Int.init)
        #expect((seconds ?? 0) >= 1, "Retry-After of \(reply)", sourceLocation: sourceLocation)
    }
    if reply.status == 401 {
        #expect(reply.headers["www-authenticate"]?.isEmpty == false, sourceLocation: sourceLocation)
    }
    switch goesOn {
    case true?:
        let challenge = Base64.decode(reply.challenge ?? "")
        #expect(
            challenge.map { String(decoding: $0, as: UTF8.self).hasPrefix("tenure/v1/challenge\n") } == true,
            "a challenge in \(reply)", sourceLocation: sourceLocation)
    case false?: #expect(document["challenge"] == nil, sourceLocation: sourceLocation)
    case nil: break
    }
}

/// Expects an outcome with status 200.
func expectOutcome(
    _ reply: HTTPReply, _ outcome: String, sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(reply.status == 200 && reply.outcome == outcome, "\(reply)", sourceLocation: sourceLocation)
}

/// The bytes of a base64 member; a test without them cannot go on.
func bytes(base64 text: String?, sourceLocation: SourceLocation = #_sourceLocation) throws -> [UInt8] {
    let text = try #require(text, sourceLocation: sourceLocation)
    return try #require(Base64.decode(text), sourceLocation: sourceLocation)
}

/// The bytes of an unpadded base64url member.
func bytes(base64url text: String?, sourceLocation: SourceLocation = #_sourceLocation) throws -> [UInt8] {
    let text = try #require(text, sourceLocation: sourceLocation)
    return try #require(Base64URL.decode(text), sourceLocation: sourceLocation)
}

/// The table of codes of the contract, written down a second time: a code that changes its status fails here.
let documentedCodes: [String: Int] = [
    "request.invalid": 400, "company.name_missing": 400, "employee.id_missing": 400, "employee.key_invalid": 400,
    "email.missing": 400, "email.invalid": 400, "credentials.five_questions_required": 400,
    "credentials.incomplete": 400, "credentials.custom_question": 400, "credentials.too_weak": 400,
    "answers.at_least_three_required": 400, "passphrase.missing": 400, "token.resource_unknown": 400,
    "app.unknown": 401, "app.secret_invalid": 401, "session.expired": 401, "session.invalid": 401,
    "session.reused": 401,
    "answers.incorrect": 403, "passphrase.incorrect": 403, "app.role_missing": 403,
    "authorization.not_permitted": 403, "employee.inactive": 403, "employee.not_approved": 403,
    "policy.blind_only": 403, "session.login_required": 403, "app.last_with_access": 409,
    "invitation.invalid": 403, "registration.invitation_required": 403,
    "company.unknown": 404, "employee.unknown": 404, "authorization.unknown_key": 404, "app.not_linked": 404,
    "recovery.unknown": 404, "recovery.in_progress": 409, "recovery.other_companies": 409,
    "recovery.not_available": 409,
    "company.already_founded": 409,
    "return.unknown": 404, "return.not_permitted": 403, "return.in_progress": 409, "return.not_available": 409,
    "employee.already_registered": 409, "email.not_company_owned": 409, "email.not_reclaimable": 409,
    "email.unverified": 409,
    "flow.wrong_step": 409, "flow.expired": 409, "flow.already_used": 409, "idempotency.in_progress": 409,
    "mpin.unknown": 400, "mpin.unauthorized": 401, "mpin.wrong_pin": 401, "mpin.disabled": 403,
    "mpin.point_invalid": 403, "mpin.request_expired": 408, "mpin.wrong_state": 409, "mpin.key_expired": 409,
    "mpin.ended": 410, "mpin.blocked": 410,
    "request.stale": 412, "request.too_large": 413, "request.media_type": 415, "idempotency.conflict": 422,
    "credentials.locked": 429, "request.rate_limited": 429,
    "service.unavailable": 503, "service.busy": 503, "service.clock": 503, "mail.unavailable": 503,
    "route.unknown": 404, "route.method_not_allowed": 405,
]
