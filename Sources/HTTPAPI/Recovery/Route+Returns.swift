import IdentityService
import TenureAPI

extension Route {
    static var ofReturns: [Route] {
        [
            startReturn, proveReturnKey, validateReturnAnswers, validateReturnPassphrase, evaluateReturn, proveReturn,
            cancelReturnByDevice, showReturnLink, openReturn, showReturnCancellation, cancelReturn,
        ]
    }

    static let startReturn = Route(.startReturn) { exchange in
        try await exchange.started(.returning, exchange.read(LoginRequest.self))
    }

    static let cancelReturnByDevice = Route(.cancelReturnByDevice) { exchange in
        let request = try DecisionRequest(json: exchange.document())
        return try await exchange.decision(
            CancelReturnByDevice(
                flow: exchange.captures["flow"], signed: request.signed,
                app: exchange.app()))
    }

    /// `GET /return/{companyName}/{returnId}`. It changes nothing, because mail programs and filters open links too.
    static let showReturnLink = Route(.showReturnLink) { try await link($0, .open) }
    /// `POST /return/{companyName}/{returnId}`, by the button of the page.
    static let openReturn = Route(.openReturn) { try await link($0, .open) }
    /// `GET /return/{companyName}/{returnId}/cancellation`. It changes nothing.
    static let showReturnCancellation = Route(.showReturnCancellation) { try await link($0, .cancel) }
    /// `POST /return/{companyName}/{returnId}/cancellation`, by the button of the page.
    static let cancelReturn = Route(.cancelReturn) { try await link($0, .cancel) }

    private static func link(_ exchange: RoutedRequest, _ action: ConfirmReturn.Action) async throws -> Reply {
        try await exchange.mailed { link, isDecision, words in
            let answer = try await exchange.run(
                ConfirmReturn(
                    action, company: exchange.company, id: exchange.captures["returnId"], expires: link.expires,
                    key: link.key, isDecision: isDecision, row: words))
            return switch answer {
            case .pending: .cancelReturn
            case .asking(let question): .openReturn(question, isWrong: words != nil)
            case .done: .done
            case .refused: .refused
            case .expired: .expired
            case .invalid: .invalid
            }
        }
    }
}
