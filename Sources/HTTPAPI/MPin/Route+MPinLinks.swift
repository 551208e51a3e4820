import IdentityService
import TenureAPI

extension Route {
    /// `GET /mpin/{companyName}/verification/{identityId}`: the page that a link in a mail leads to. It changes nothing.
    static let showMPinLink = Route(.showMPinLink) { exchange in
        try await mpinLink(exchange)
    }

    /// `POST /mpin/{companyName}/verification/{identityId}`: the button on that page.
    static let followMPinLink = Route(.followMPinLink) { exchange in
        try await mpinLink(exchange)
    }

    private static func mpinLink(_ exchange: RoutedRequest) async throws -> Reply {
        try await exchange.mailed { link, isDecision, _ in
            let proof = VerifyMPinByMail.Proof.link(
                identity: exchange.captures["identityId"], expires: link.expires, key: link.key)
            let view = try await exchange.run(
                VerifyMPinByMail(company: exchange.company, proof, isConfirmed: isDecision))
            return view.isVerified ? .done : .verifyPIN
        }
    }
}
