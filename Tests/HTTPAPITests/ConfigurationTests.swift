import Logging
import Testing

@testable import HTTPAPI

@Suite struct ConfigurationTests {
    private func code(_ configuration: HTTPConfiguration) -> HTTPConfigurationError.Code? {
        do {
            try configuration.validate()
            return nil
        } catch { return error.code }
    }

    @Test(arguments: ["0.0.0.0", "::", "192.0.2.1", "id.example"])
    func `clear text beyond loopback has to be allowed`(host: String) {
        #expect(code(HTTPConfiguration(host: host)) == .clearTextBeyondLoopback)
        #expect(code(HTTPConfiguration(host: host, allowsClearText: true)) == nil)
        let certificate = HTTPConfiguration.Certificate(chainFile: "a", keyFile: "b")
        #expect(code(HTTPConfiguration(host: host, certificate: certificate)) == nil)
    }

    @Test(arguments: ["127.0.0.1", "127.1.2.3", "::1", "localhost"]) func `loopback is free`(host: String) {
        #expect(code(HTTPConfiguration(host: host)) == nil)
    }

    @Test(arguments: [
        "id.example", "ftp://id.example", "https://", "https:///x", "https://id.example/", "https://a b",
        "https://id.example?x", "https://id.example#x", "https://u@id.example", "https://ä.example", "",
    ]) func `the public address is an origin with a path at most`(url: String) {
        #expect(code(HTTPConfiguration(publicURL: url)) == .publicURLInvalid)
    }

    @Test(arguments: ["http://127.0.0.1:8080", "https://id.example", "https://id.example/base"])
    func `a good public address is taken`(url: String) { #expect(code(HTTPConfiguration(publicURL: url)) == nil) }

    @Test func `bounds are positive`() {
        #expect(code(HTTPConfiguration(limits: HTTPLimits(bodyBytes: 0))) == .limitInvalid)
        #expect(code(HTTPConfiguration(limits: HTTPLimits(bodyTimeout: .zero))) == .limitInvalid)
        #expect(code(HTTPConfiguration(rateLimit: RateLimit(perSecond: 0, burst: 1))) == .limitInvalid)
        #expect(code(HTTPConfiguration(appRateLimit: RateLimit(perSecond: 1, burst: 0))) == .limitInvalid)
        #expect(code(HTTPConfiguration(port: -1)) == .limitInvalid)
    }

    @Test func `a certificate that cannot be read is named before anything is served`() {
        let certificate = HTTPConfiguration.Certificate(chainFile: "/nowhere/a.pem", keyFile: "/nowhere/b.pem")
        #expect(throws: HTTPConfigurationError(code: .certificateUnreadable)) {
            _ = try makeApplication(
                service: FakeService(), configuration: HTTPConfiguration(certificate: certificate),
                logger: Logger(label: "test"))
        }
    }
}
