extension HTTPConfiguration {
    /// Whether the address to bind reaches only this machine.
    var bindsLoopback: Bool { host == "localhost" || host == "::1" || host.hasPrefix("127.") }

    /// Refuses what must not be served.
    func validate() throws(HTTPConfigurationError) {
        guard certificate != nil || bindsLoopback || allowsClearText else {
            throw HTTPConfigurationError(code: .clearTextBeyondLoopback)
        }
        if let publicURL {
            let rest = ["https://", "http://"].first(where: publicURL.hasPrefix).map { publicURL.dropFirst($0.count) }
            let plain = publicURL.utf8.allSatisfy {
                (0x21...0x7E).contains($0) && !Array("\"<>\\?#@".utf8).contains($0)
            }
            guard let rest, !rest.isEmpty, !rest.hasPrefix("/"), !rest.hasSuffix("/"), plain else {
                throw HTTPConfigurationError(code: .publicURLInvalid)
            }
        }
        let positive =
            limits.bodyBytes > 0 && limits.headerBytes > 0 && limits.headerFields > 0 && limits.connections > 0
            && limits.bodyTimeout > .zero && limits.idleTimeout > .zero
        let rate = [rateLimit, appRateLimit].allSatisfy { limit in
            limit.map { $0.perSecond > 0 && $0.burst > 0 && $0.addresses > 0 } ?? true
        }
        guard positive, rate, (0...65_535).contains(port) else { throw HTTPConfigurationError(code: .limitInvalid) }
    }
}
