import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// `POST /account/address`: sends the mail whose link confirms the address.
    static let mailAddressLink = accountForm(.mailAddressLink) { account, _ in
        do {
            _ = try await account.exchange.run(
                VerifyMyEmail(caller: account.caller, languages: account.exchange.headers.preferredLanguages))
        } catch let error as ServiceError {
            guard let word = PageWord(mailRefusal: error.code) else { throw error }
            return try await account.home(AccountProblem(word: word, status: error.code.status)).reply()
        }
        return .seeOther("\(Endpoint.showAccount.template.text)?\(AccountVisit.mailed)")
    }
}

extension AccountVisit {
    /// The query of the page after the mail was asked for. It changes nothing but what the page says.
    fileprivate static let mailed = "mailed"
    private static let address = "address"

    /// Adds that the address is not confirmed, and the button that sends a mail.
    func addAddress(to content: inout PageContent) {
        content["addressTitle"] = .text(text("address.title"))
        content["addressText"] = .text(text("address.text"))
        if exchange.rawQuery == Self.mailed { content["addressMailed"] = .text(text("address.mailed")) }
        content["addressRequest"] = .text(Self.address)
        content["addressToken"] = .text(token(.mailAddressLink, Self.address))
        content["addressMail"] = .text(text("address.mail"))
    }
}

extension PageWord {
    /// Why no mail was sent to the address; `nil` for a refusal that is not about the mail.
    fileprivate init?(mailRefusal code: ErrorCode) {
        switch code {
        case .mailUnavailable: self = "address.noMail"
        case .requestRateLimited: self = "address.tooMany"
        case .emailInvalid, .emailMissing: self = "address.unfit"
        default: return nil
        }
    }
}
