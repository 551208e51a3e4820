import Canonical
import Foundation
import Testing
@testable import IdentityService

struct StoredAnswerTests {
    @Test(arguments: StoredAnswerTests.outcomes) func `a stored outcome round-trips`(_ outcome: StepAnswer)
        throws
    {
        let bytes = outcome.stored.canonicalBytes()
        #expect(try StepAnswer(stored: CanonicalJSON.parse(bytes)) == outcome)
    }

    @Test func `a stored refusal keeps code, place and challenge`() throws {
        let error = ServiceError(
            .answersIncorrect, members: [.init(pointer: "/a", detail: "why")], challenge: [1, 2])
        #expect(try ServiceError(stored: CanonicalJSON.parse(error.stored.canonicalBytes())) == error)
    }

    @Test func `temporary refusals are not stored`() {
        for code in [ServiceError.Code.serviceBusy, .serviceUnavailable, .credentialsLocked, .requestRateLimited] {
            #expect(!ServiceError(code).isFinal)
        }
        #expect(!ServiceError(.requestStale).isFinal)
        #expect(ServiceError(.answersIncorrect).isFinal)
    }

    @Test func `stored decisions round-trip`() throws {
        let summary = EmployeeSummary(companyName: "c", companyEmployeeId: nil, status: "active", role: "admin")
        for decision in [
            Decision.done(summary, position: 7), .done(nil, position: nil), .signatureRequired(statement: [9]),
        ] {
            #expect(try Decision(stored: CanonicalJSON.parse(decision.stored.canonicalBytes())) == decision)
        }
    }

    static let outcomes: [StepAnswer] = [
        .success(
            IssuedTokens(accessToken: "a", expiresAt: Timestamp(microseconds: 5), refreshToken: "r"),
            EmployeeSummary(companyName: "c", companyEmployeeId: "e", status: "active", role: "securityAdmin"),
            position: 4),
        .authorizationPending(employeePublicKey: [4, 5], fingerprint: "ab", position: nil),
        .setCredentials(
            challenge: [1], rules: SetUpRules(questionsWithPassphraseAllowed: true, blindOnly: false)),
        .validateAnswers(challenge: [1], questions: [ShownQuestion(questionId: "q", question: "Où?")]),
        .validatePassphrase(challenge: [2], questions: nil),
        .validatePassphrase(challenge: [2], questions: [ShownQuestion(questionId: "q", question: "t")]),
        .validateAnswers(
            challenge: [1],
            questions: [ShownQuestion(questionId: "q", question: "What was the name of your first pet?")]),
        .setCredentials(
            challenge: [1],
            rules: SetUpRules(
                questionsWithPassphraseAllowed: true, blindOnly: false, customQuestionsAllowed: true)),
        .validateAnswers(
            challenge: [1], questions: [], opening: BlindChallenge(context: [1, 2], recordHash: [3])),
        .validatePassphrase(
            challenge: [1], questions: nil, opening: BlindChallenge(context: [1, 2], recordHash: [3])),
        .setCredentials(
            challenge: [1], rules: SetUpRules(questionsWithPassphraseAllowed: true, blindOnly: false),
            setUp: CredentialSetUpPlan(
                credentialId: UUID(), userId: UUID(), oprfAnswers: [2], oprfPassphrase: [3], log2N: 15, r: 8, p: 1)),
        .setCredentials(
            challenge: [1], rules: SetUpRules(questionsWithPassphraseAllowed: true, blindOnly: false),
            setUp: CredentialSetUpPlan(
                credentialId: UUID(), userId: UUID(), oprfAnswers: [2], oprfPassphrase: [3], log2N: 15, r: 8, p: 1,
                previous: .init(hash: [5], generation: 2), approvals: .init(opened: [6], confirmed: [7]))),
    ]

    @Test func `stored evaluations round-trip`() throws {
        let first = StoredEvaluations([
            Evaluation(slot: 255, evaluation: [1], sealedCopy: nil),
            Evaluation(slot: 0, evaluation: [2], sealedCopy: [3]),
        ])
        #expect(try StoredEvaluations(stored: CanonicalJSON.parse(first.stored.canonicalBytes())) == first)
    }
}

/// The table of the contract, written down a second time, so that no code changes by accident.
struct CodeTableTests {
    static let table: [Int: String] = [
        400: """
        request.invalid company.name_missing employee.id_missing employee.key_invalid email.missing email.invalid
        credentials.five_questions_required credentials.incomplete credentials.custom_question credentials.too_weak answers.at_least_three_required
        passphrase.missing
        """,
        401: "app.unknown app.secret_invalid session.expired session.invalid",
        403: """
        answers.incorrect passphrase.incorrect app.role_missing authorization.not_permitted employee.inactive
        employee.not_approved policy.blind_only session.login_required invitation.invalid
        registration.invitation_required
        """,
        404: "company.unknown employee.unknown authorization.unknown_key recovery.unknown app.not_linked",
        409: """
        employee.already_registered email.not_company_owned email.not_reclaimable flow.wrong_step flow.expired
        flow.already_used idempotency.in_progress recovery.in_progress recovery.other_companies
        recovery.not_available app.last_with_access
        """,
        412: "request.stale",
        422: "idempotency.conflict",
        429: "credentials.locked request.rate_limited",
        503: "service.unavailable service.busy",
    ]

    @Test func `codes and statuses match the contract`() {
        let expected = Self.table.flatMap { status, codes in
            codes.split(whereSeparator: \.isWhitespace).map { "\(status) \($0)" }
        }
        #expect(Set(ServiceError.Code.all.map { "\($0.status) \($0.rawValue)" }) == Set(expected))
        #expect(ServiceError.Code.all.count == expected.count)
    }
}
