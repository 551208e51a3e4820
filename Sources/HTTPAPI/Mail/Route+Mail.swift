import Canonical
import ErrorCodes
import FoundationEssentials
import IdentityService
import TenureAPI

extension Route {
    static let verifyMyEmail = Route(.verifyMyEmail) { exchange in
        let answer = try await exchange.run(
            VerifyMyEmail(caller: exchange.employee(), languages: exchange.headers.preferredLanguages))
        return .json(EmailVerificationResponse(outcome: answer == .sent ? .sent : .verified))
    }

    /// `GET /verify-email/{userId}`. It changes nothing, because mail programs and filters open links too.
    static let showEmailLink = Route(.showEmailLink) { try await confirm($0) }

    /// `POST /verify-email/{userId}`, by the button of the page.
    static let confirmEmail = Route(.confirmEmail) { try await confirm($0) }

    private static func confirm(_ exchange: RoutedRequest) async throws -> Reply {
        try await exchange.mailed { link, isDecision, _ in
            let session = isDecision ? try await PageVisit(exchange: exchange).session() : nil
            let confirmation = ConfirmEmail(
                user: exchange.captures["userId"], expires: link.expires, key: link.key, isDecision: isDecision,
                browser: session?.browser.caller)
            do {
                return switch try await exchange.run(confirmation) {
                case .pending(let accounts): .verifyAddress(of: accounts)
                case .verified: .done
                case .expired: .expired
                case .invalid: .invalid
                }
            } catch let error as ServiceError where error.code == .sessionLoginRequired {
                return .addressHeld
            } catch let error as ServiceError where error.code == .authorizationNotPermitted {
                return .addressKept
            }
        }
    }
}

/// The mails of a development service, for the people of the same machine.
extension Route {
    /// The list and the text of one mail; none without a directory of mails.
    static func developmentMail(_ configuration: HTTPConfiguration) -> [Route] {
        guard let mails = configuration.developmentMail, configuration.bindsLoopback else { return [] }
        return [
            Route(Endpoint("GET", "/dev/mail", .anyone, "List the mails of a development service")) { exchange in
                try requireLoopback(exchange)
                let language = PageVisit(exchange: exchange).language()
                return try HostedPage(
                    development: configuration.developmentPeople?(), mails.list().compactMap { mails.summary($0) },
                    in: language
                ).reply()
            },
            Route(Endpoint("GET", "/dev/mail/{mailId}", .anyone, "Show a mail of a development service")) { exchange in
                try requireLoopback(exchange)
                guard let id = UUID(entered: exchange.captures["mailId"]), let text = mails.text(id) else {
                    throw Refusal(.routeUnknown)
                }
                return .text(text, "text/plain; charset=utf-8")
            },
        ]
    }

    /// A page of another site reaches this machine by a name that its owner points to it; the browser sends that name.
    static func requireLoopback(_ exchange: RoutedRequest) throws(Refusal) {
        guard ClientAddress.isLoopback(peer: exchange.peer, headers: exchange.headers), exchange.authority.isLoopback
        else { throw Refusal(.routeUnknown) }
    }
}
