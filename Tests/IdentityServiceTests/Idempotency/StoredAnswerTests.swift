import Canonical
import Foundation
import Testing

@testable import IdentityService

struct StoredAnswerTests {
    @Test(arguments: StoredAnswerTests.outcomes) func `a stored outcome is read back as it was`(_ outcome: FlowOutcome)
        throws
    {
        let bytes = outcome.stored.canonicalBytes()
        #expect(try FlowOutcome(stored: CanonicalJSON.parse(bytes)) == outcome)
    }

    @Test func `a stored refusal keeps code, place and challenge`() throws {
        let error = ServiceError(
            .answersIncorrect, members: [.init(pointer: "/a", detail: "why")], challenge: [1, 2])
        #expect(try ServiceError(stored: CanonicalJSON.parse(error.stored.canonicalBytes())) == error)
    }

    @Test func `what passes by itself is not kept`() {
        for code in [ServiceError.Code.serviceBusy, .serviceUnavailable, .credentialsLocked, .requestRateLimited] {
            #expect(!ServiceError(code).isFinal)
        }
        #expect(!ServiceError(.requestStale).isFinal)
        #expect(ServiceError(.answersIncorrect).isFinal)
    }

    @Test func `decisions are read back as they were`() throws {
        let summary = EmployeeSummary(companyName: "c", companyEmployeeId: nil, status: "active", role: "admin")
        for decision in [
            Decision.done(summary, position: 7), .done(nil, position: nil), .signatureRequired(statement: [9]),
        ] {
            #expect(try Decision(stored: CanonicalJSON.parse(decision.stored.canonicalBytes())) == decision)
        }
    }

    static let outcomes: [FlowOutcome] = [
        .success(
            SessionTokens(accessToken: "a", expiresAt: Timestamp(microseconds: 5), refreshToken: "r"),
            EmployeeSummary(companyName: "c", companyEmployeeId: "e", status: "active", role: "securityAdmin"),
            position: 4),
        .authorizationPending(employeePublicKey: [4, 5], fingerprint: "ab", position: nil),
        .setCredentials(
            challenge: [1], rules: CredentialRules(questionsWithPassphraseAllowed: true, blindOnly: false)),
        .validateAnswers(challenge: [1], questions: [ShownQuestion(questionId: "q", question: "Où?")]),
        .validatePassphrase(challenge: [2], questions: nil),
        .validatePassphrase(challenge: [2], questions: [ShownQuestion(questionId: "q", question: "t")]),
        .validateAnswers(
            challenge: [1], questions: [], opening: CredentialOpening(context: [1, 2], recordHash: [3])),
        .validatePassphrase(
            challenge: [1], questions: nil, opening: CredentialOpening(context: [1, 2], recordHash: [3])),
        .setCredentials(
            challenge: [1], rules: CredentialRules(questionsWithPassphraseAllowed: true, blindOnly: false),
            setUp: CredentialSetUpPlan(
                credentialId: UUID(), userId: UUID(), oprfAnswers: [2], oprfPassphrase: [3], log2N: 15, r: 8, p: 1)),
        .setCredentials(
            challenge: [1], rules: CredentialRules(questionsWithPassphraseAllowed: true, blindOnly: false),
            setUp: CredentialSetUpPlan(
                credentialId: UUID(), userId: UUID(), oprfAnswers: [2], oprfPassphrase: [3], log2N: 15, r: 8, p: 1,
                previous: .init(hash: [5], generation: 2), approvals: .init(opened: [6], confirmed: [7]))),
    ]

    @Test func `evaluations come back as they were`() throws {
        let first = Evaluations([
            Evaluation(slot: 255, evaluation: [1], sealedCopy: nil),
            Evaluation(slot: 0, evaluation: [2], sealedCopy: [3]),
        ])
        #expect(try Evaluations(stored: CanonicalJSON.parse(first.stored.canonicalBytes())) == first)
    }
}
