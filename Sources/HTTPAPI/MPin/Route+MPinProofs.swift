import Canonical
import IdentityService
import TenureAPI

extension Route {
    static let startMPinProof = Route(.startMPinProof) { exchange in
        let request = try exchange.read(MPinPass1Request.self)
        let offer = try await exchange.run(
            StartMPinProof(
                company: exchange.company, mpinID: request.mpinId, commitment: request.commitment, app: exchange.app()))
        return .json(MPinPassResponse.challenge(y: Hex.encode(offer.challenge), handle: offer.handle))
    }

    static let proveMPin = Route(.proveMPin) { exchange in
        let request = try exchange.read(MPinPass2Request.self)
        let token = try await exchange.run(
            ProveMPin(
                company: exchange.company, mpinID: request.mpinId, response: request.response, handle: request.handle,
                app: exchange.app()))
        return .json(MPinPassResponse.token(authOTT: token))
    }

    static let redeemMPinProof = Route(.redeemMPinProof) { exchange in
        let request = try exchange.read(MPinTokenRequest.self)
        return try await exchange.reply(
            to: RedeemMPinProof(company: exchange.company, token: request.authOTT, app: exchange.app())
        ) { .json($0) }
    }

    static let logInByMPin = Route(.logInByMPin) { exchange in
        let request = try exchange.read(MPinLoginRequest.self)
        return try await exchange.outcome(
            LogInByMPin(token: request.authOTT, flow: exchange.captures["flow"], app: exchange.app()))
    }
}
