import Canonical
import TenureAPI
import Testing

@testable import HTTPAPI

@Suite struct RateLimiterTests {
    private let start = ContinuousClock.now

    @Test func `a burst passes and then one per interval`() async {
        let limiter = RateLimiter(RateLimit(perSecond: 0.5, burst: 3), now: start)
        for _ in 0..<3 { #expect(await limiter.wait(for: "10.0.0.1", now: start) == nil) }
        #expect(await limiter.wait(for: "10.0.0.1", now: start) == 2)
        #expect(await limiter.wait(for: "10.0.0.1", now: start + .seconds(1)) == 1)
        #expect(await limiter.wait(for: "10.0.0.1", now: start + .seconds(2)) == nil)
        #expect(await limiter.wait(for: "10.0.0.1", now: start + .seconds(2)) == 2)
        #expect(await limiter.wait(for: "10.0.0.2", now: start + .seconds(2)) == nil)
    }

    @Test func `a clock that stands still or goes back gives nothing away`() async {
        let limiter = RateLimiter(RateLimit(perSecond: 1, burst: 1), now: start)
        #expect(await limiter.wait(for: "a", now: start + .seconds(9)) == nil)
        #expect(await limiter.wait(for: "a", now: start) != nil)
        #expect(await limiter.wait(for: "a", now: start + .seconds(9)) != nil)
    }

    @Test func `memory is bounded and idle addresses make room`() async {
        let limiter = RateLimiter(RateLimit(perSecond: 1, burst: 1, addresses: 8), now: start)
        for index in 0..<100 { _ = await limiter.wait(for: "10.0.0.\(index)", now: start) }
        #expect(await limiter.addresses == 8)
        #expect(await limiter.wait(for: "10.0.1.1", now: start) != nil, "newcomers share one bucket")
        #expect(await limiter.wait(for: "10.0.1.2", now: start + .seconds(5)) == nil)
        #expect(await limiter.addresses == 1)
    }

    @Test(arguments: [
        ("10.1.2.3", "10.1.2.3"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2"), ("2001:db8::1", "2001:db8:0:0"),
        ("::1", "0:0:0:0"), ("fe80::1%eth0", "fe80:0:0:0"), ("::ffff:10.0.0.1", "::ffff:10.0.0.1"), ("", ""),
    ]) func `an address is a household`(address: String, network: String) {
        #expect(RateLimiter.network(of: address) == network)
    }

    @Test func `too many requests are refused with a time to wait, health never`() async throws {
        var configuration = HTTPConfiguration(port: 0)
        configuration.rateLimit = RateLimit(perSecond: 0.001, burst: 2)
        try await API.with(configuration: configuration) { api in
            for _ in 0..<2 { #expect(try await api.send("GET", "/v1/companies/A").status == 200) }
            let refused = try await api.send("GET", "/v1/companies/A")
            #expect(try refused.problem.code == "request.rate_limited")
            // A slow machine may have waited some of the thousand seconds already.
            let seconds = try #require(refused.header("Retry-After").flatMap { Int($0) })
            #expect((900...1000).contains(seconds))
            #expect(try await api.send("GET", "/healthz").status == 200)
        }
    }

    @Test func `an app is bounded by itself, and neither by strangers nor together with others`() async throws {
        var configuration = HTTPConfiguration(port: 0)
        configuration.appRateLimit = RateLimit(perSecond: 0.001, burst: 2)
        try await API.with(configuration: configuration) { api in
            // A wrong secret names the app and counts for nothing.
            for _ in 0..<5 {
                let wrong = "Basic " + Base64.encode(Array("app:wrong".utf8))
                let stranger = try await api.send("GET", "/v1/companies/A", authorization: wrong)
                #expect(try stranger.problem.code == "app.secret_invalid")
            }
            for _ in 0..<2 { #expect(try await api.send("GET", "/v1/companies/A").status == 200) }
            #expect(try await api.send("GET", "/v1/companies/A").problem.code == "request.rate_limited")
            let employee = try await api.send("GET", "/v1/sessions", authorization: API.bearer)
            #expect(employee.status == 200)
        }
    }
}
