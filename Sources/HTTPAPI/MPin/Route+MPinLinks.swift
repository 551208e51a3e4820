import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// `GET /mpin/{companyName}/verification/{identityId}`: the page that a link in a mail leads to. It changes nothing.
    static let showMPinLink = Route(.showMPinLink) { exchange in
        try await mpinLink(exchange, isConfirmed: false)
    }

    /// `POST /mpin/{companyName}/verification/{identityId}`: the button on that page.
    static let followMPinLink = Route(.followMPinLink, body: .form) { exchange in
        try await mpinLink(exchange, isConfirmed: true)
    }

    private static func mpinLink(_ exchange: RoutedRequest, isConfirmed: Bool) async throws -> Reply {
        var query = try QueryReader(exchange.rawQuery)
        let expires = query.text("expires") ?? "", key = query.text("key") ?? ""
        try query.finish()
        let proof = VerifyMPinByMail.Proof.link(
            identity: exchange.captures["identityId"], expires: expires, key: key)
        let languages = exchange.headers.preferredLanguages
        do {
            let view = try await exchange.run(
                VerifyMPinByMail(company: exchange.company, proof, isConfirmed: isConfirmed))
            return MailLinkPage(message: view.isVerified ? .done : .question, languages: languages).reply
        } catch let error as ServiceError {
            let message: MailLinkPage.Message
            switch error.code {
            case .mpinRequestExpired, .mpinWrongState, .mpinEnded, .mpinBlocked: message = .expired
            case .mpinUnknown, .mpinDisabled: message = .invalid
            default: throw error
            }
            var reply = MailLinkPage(message: message, languages: languages).reply
            reply.status = error.code.status
            return reply
        }
    }
}
