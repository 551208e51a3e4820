import Canonical
import Foundation
import TenureAPI
import Testing

@Suite struct RedactionTests {
    @Test func `a value with a secret or a token describes itself without it`() {
        let time = Timestamp(microseconds: 1_795_000_000_000_000), secret = "s3cret"
        let answer = AnswersRequest.Answer(questionId: "AAAA", answer: secret)
        let issued = InvitationResponse(
            invitationId: UUID(), companyEmployeeId: "7", email: nil, issuedAt: time, expiresAt: time)
        let values: [any Sendable] = [
            answer, PassphraseRequest(passphrase: secret), CredentialsChangeRequest.Current.passphrase(secret),
            CredentialsChangeRequest.Current.answers([answer]),
            CredentialsRequest(securityQuestions: [.init(question: "Why?", answer: secret)], passphrase: secret),
            InvitationDecisionResponse.done(issued, invitation: secret, position: 1),
            MPinActivationResponse.done(activationId: UUID(), code: secret, expiresAt: time, position: 1),
            SessionResponse(accessToken: secret, expiresAt: time, refreshToken: secret),
            ResourceTokenResponse(accessToken: secret, expiresAt: time),
        ]
        for value in values { #expect("\(value)" == "[redacted]", "\(type(of: value))") }
    }
}
