import ErrorCodes
import IdentityService
import TenureAPI

extension Route {
    /// `POST /account/address`: sends the mail whose link confirms the address.
    static let mailAddressLink = accountForm(.mailAddressLink) { account, _ in
        do {
            _ = try await account.exchange.run(
                VerifyMyEmail(caller: account.caller, languages: account.visit.languages))
        } catch let error as ServiceError {
            guard let word = PageWord(mailRefusal: error.code) else { throw error }
            return try await account.home(AccountProblem(word: word, status: error.code.status)).reply()
        }
        return .seeOther("\(Endpoint.showAccount.template.text)?\(AccountVisit.mailed)")
    }
}

extension AccountVisit {
    /// The query of the page after the mail was asked for. It changes nothing but what the page says.
    static let mailed = "mailed"

    /// That the address is not confirmed, with the form that sends a mail.
    var address: AccountHome.Address {
        AccountHome.Address(isMailed: exchange.rawQuery == Self.mailed, form: form(.mailAddressLink, "address"))
    }
}

extension PageWord {
    /// Why no mail was sent to the address; `nil` for a refusal that is not about the mail.
    init?(mailRefusal code: ErrorCode) {
        switch code {
        case .mailUnavailable: self = "address.noMail"
        case .requestRateLimited: self = "address.tooMany"
        // The request has nothing else that could be wrong.
        case _ where code.status == 400: self = "address.unfit"
        default: return nil
        }
    }
}
