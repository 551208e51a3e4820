import Canonical
@testable import Identity
import Testing

extension EventSamples {
    static let mail: MailID = Sample.id(120)

    static func mails() throws -> [any EventPayload] {
        let until = Sample.start.adding(.seconds(86_400))
        return [
            MailQueued(mailID: mail, recipient: .user(user), kind: .verify, locale: .german, expiresAt: until),
            MailQueued(mailID: mail, recipient: .identity(mpinIdentity), kind: .activation, expiresAt: until),
            MailSent(attempts: 1),
            MailFailed(attempts: 3, code: try #require(ReasonCode("smtp_550"))),
            EmailVerified(userID: user, address: 7),
            EmailVerified(userID: user, address: 7, browserOf: employee),
            EmailVerified(userID: user),
            LanguageChosen(userID: user, language: Personal(user, "de")),
        ]
    }
}
