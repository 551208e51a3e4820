import Testing
@testable import IdentityService

struct FinalRefusalTests {
    @Test func `temporary refusals are not stored for repeated calls`() {
        for code in [ServiceError.Code.serviceBusy, .serviceUnavailable, .credentialsLocked, .requestRateLimited] {
            #expect(!ServiceError(code).isFinal)
        }
        #expect(!ServiceError(.requestStale).isFinal)
        #expect(ServiceError(.answersIncorrect).isFinal)
    }
}

/// The table of the contract, written down a second time, so that no code changes by accident.
struct CodeTableTests {
    static let table: [Int: String] = [
        400: """
        request.invalid company.name_missing employee.id_missing employee.key_invalid email.missing email.invalid
        credentials.five_questions_required credentials.incomplete credentials.custom_question credentials.too_weak answers.at_least_three_required
        passphrase.missing token.resource_unknown mpin.unknown
        """,
        401:
            "app.unknown app.secret_invalid session.expired session.invalid session.reused mpin.unauthorized mpin.wrong_pin",
        403: """
        answers.incorrect passphrase.incorrect app.role_missing authorization.not_permitted employee.inactive
        employee.not_approved policy.blind_only session.login_required invitation.invalid
        registration.invitation_required return.not_permitted mpin.disabled mpin.point_invalid
        """,
        404:
            "company.unknown employee.unknown authorization.unknown_key recovery.unknown return.unknown app.not_linked",
        408: "mpin.request_expired",
        409: """
        company.already_founded
        employee.already_registered email.not_company_owned email.not_reclaimable flow.wrong_step flow.expired
        flow.already_used idempotency.in_progress recovery.in_progress recovery.other_companies
        recovery.not_available return.in_progress return.not_available
        app.last_with_access email.unverified mpin.wrong_state mpin.key_expired
        """,
        410: "mpin.ended mpin.blocked",
        412: "request.stale",
        413: "request.too_large",
        415: "request.media_type",
        422: "idempotency.conflict",
        429: "credentials.locked request.rate_limited",
        503: "service.unavailable service.busy service.clock mail.unavailable",
    ]

    @Test func `codes and statuses are those of the contract`() {
        let expected = Self.table.flatMap { status, codes in
            codes.split(whereSeparator: \.isWhitespace).map { "\(status) \($0)" }
        }
        #expect(Set(ServiceError.Code.all.map { "\($0.status) \($0.rawValue)" }) == Set(expected))
        #expect(ServiceError.Code.all.count == expected.count)
    }
}
