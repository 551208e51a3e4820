import TenureAPI

extension Route {
    /// `GET /metrics`, from this machine or with the token.
    static func metrics(_ configuration: HTTPConfiguration, _ metrics: RequestMetrics) -> Route {
        let token = configuration.metricsToken.map { Array($0.utf8) }
        let more = configuration.moreMetrics
        return Route(.metrics) { exchange in
            var permitted = ClientAddress.isLoopback(peer: exchange.peer, headers: exchange.headers)
            if let token, case .bearer(let presented) = PresentedCredentials(exchange.headers) {
                permitted = permitted || ConstantTime.equal(token, Array(presented.utf8))
            }
            guard permitted else { throw Refusal(.authorizationNotPermitted) }
            let text = await metrics.text() + (await more?() ?? "")
            return .text(text, "text/plain; version=0.0.4; charset=utf-8")
        }
    }
}
