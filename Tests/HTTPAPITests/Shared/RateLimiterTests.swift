import Canonical
import HTTPLimits
import HTTPTypes
import IdentityService
import TenureAPI
import Testing
@testable import HTTPAPI

extension RateLimiter {
    fileprivate func wait(for address: String, now: ContinuousClock.Instant) -> Int? {
        draw(.address, for: address, now: now).wait
    }
}

@Suite struct RateLimiterTests {
    private let start = ContinuousClock.now

    @Test func `a full burst passes, then one request per interval`() async {
        let limiter = RateLimiter(RateLimit(perSecond: 0.5, burst: 3), now: start)
        for _ in 0..<3 { #expect(await limiter.wait(for: "10.0.0.1", now: start) == nil) }
        #expect(await limiter.wait(for: "10.0.0.1", now: start) == 2)
        #expect(await limiter.wait(for: "10.0.0.1", now: start + .seconds(1)) == 1)
        #expect(await limiter.wait(for: "10.0.0.1", now: start + .seconds(2)) == nil)
        #expect(await limiter.wait(for: "10.0.0.1", now: start + .seconds(2)) == 2)
        #expect(await limiter.wait(for: "10.0.0.2", now: start + .seconds(2)) == nil)
    }

    @Test func `a clock that stalls or goes back adds no tokens`() async {
        let limiter = RateLimiter(RateLimit(perSecond: 1, burst: 1), now: start)
        #expect(await limiter.wait(for: "a", now: start + .seconds(9)) == nil)
        #expect(await limiter.wait(for: "a", now: start) != nil)
        #expect(await limiter.wait(for: "a", now: start + .seconds(9)) != nil)
    }

    @Test func `the limiter bounds its memory and evicts idle addresses`() async {
        let limiter = RateLimiter(RateLimit(perSecond: 1, burst: 1, addresses: 8), now: start)
        for index in 0..<100 { _ = await limiter.wait(for: "10.0.0.\(index)", now: start) }
        #expect(await limiter.addresses == 8)
        #expect(await limiter.wait(for: "10.0.1.1", now: start) != nil, "newcomers share one bucket")
        #expect(await limiter.wait(for: "10.0.1.2", now: start + .seconds(5)) == nil)
        #expect(await limiter.addresses == 1)
    }

    @Test(arguments: [
        ("10.1.2.3", "10.1.2.3"), ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2"), ("2001:db8::1", "2001:db8:0:0"),
        ("::1", "0:0:0:0"), ("fe80::1%eth0", "fe80:0:0:0"), ("::ffff:10.0.0.1", "10.0.0.1"), ("", ""),
    ]) func `IPv6 addresses of one /64 network share a bucket`(address: String, network: String) {
        #expect(ClientNetwork.of(address) == network)
    }

    @Test func `a draw reports the remaining tokens and the reset time`() async {
        let limiter = RateLimiter(RateLimit(perSecond: 2, burst: 20), now: start)
        let first = await limiter.draw(.app, for: "a", cost: 10, now: start)
        #expect(first.wait == nil && first.remaining == 10 && first.secondsUntilFull == 5)
        let second = await limiter.draw(.app, for: "a", cost: 10, now: start)
        #expect(second.wait == nil && second.remaining == 0 && second.secondsUntilFull == 10)
        let third = await limiter.draw(.app, for: "a", cost: 10, now: start + .seconds(1))
        #expect(third.wait == 4 && third.remaining == 2 && third.secondsUntilFull == 9)
    }

    @Test(arguments: [
        ("", 1), ("wait=0", 1), ("wait=1", 2), ("wait=5", 2), ("after=3&wait=6", 3), ("wait=20", 5), ("w%61it=20", 5),
        ("wait=21", 1), ("wait=-1", 1), ("wait=x", 1), ("wait=20&wait=0", 1),
    ]) func `a long poll costs by the time that it may wait`(query: String, cost: Int) {
        #expect(Endpoint.listAuthorizations.cost(of: query[...]) == cost)
        #expect(Endpoint.listEmployees.cost(of: query[...]) == 1)
        #expect(Endpoint.authorizeKey.cost(of: query[...]) == 2)
    }

    @Test func `a call that hashes costs more than a read`() {
        #expect(Endpoint.readCompany.cost == 1)
        #expect(Endpoint.listCompanies.cost == 4, "a ledger is read for each company")
        #expect(Endpoint.startLogin.cost == 2)
        #expect(Endpoint.introspectToken.cost == 1, "a read in the form of a POST")
        #expect(Endpoint.authorize.cost == 2 && Endpoint.logOut.cost == 2, "they store a request")
        #expect(Endpoint.revokeToken.cost == 2 && Endpoint.issueResourceToken.cost == 2)
        #expect(Endpoint.validateLoginPassphrase.cost == 4)
        #expect(Endpoint.validateLoginAnswers.cost == 10 && Endpoint.setCredentials.cost == 10)
        for page in [Endpoint.showKey, .showAnswers, .showPassphrase, .showCredentials, .showPick] {
            #expect(page.cost == 1, "the page that asks computes nothing")
        }
        #expect(Endpoint.giveAnswers.cost == 10 && Endpoint.chooseCredentials.cost == 10)
        #expect(Endpoint.givePassphrase.cost == 4 && Endpoint.proveBrowserKey.cost == 2)
    }

    @Test func `responses carry the limits that applied`() async throws {
        var configuration = HTTPConfiguration(port: 0)
        configuration.rateLimit = RateLimit(perSecond: 0.001, burst: 20)
        configuration.appRateLimit = RateLimit(perSecond: 0.002, burst: 30)
        configuration.companyRateLimit = RateLimit(perSecond: 0.01, burst: 1)
        try await API.with(configuration: configuration) { api in
            let read = try await api.send("GET", "/v1/companies/A")
            #expect(read.status == 200)
            let policies = #""address";q=20;w=20000, "app";q=30;w=15000, "company";q=1;w=100"#
            #expect(read.header("RateLimit-Policy") == policies)
            let limits = try #require(read.header("RateLimit"))
            #expect(limits.hasPrefix(#""address";r=19;t="#) && limits.contains(#""app";r=29;t="#), "\(limits)")
            #expect(limits.contains(#""company";r=0;t="#), "\(limits)")
            let refused = try await api.send("GET", "/v1/companies/A")
            #expect(try refused.problem.code == "request.rate_limited")
            #expect(refused.header("RateLimit-Policy") == policies)
            // Another company has a limit of its own, and a stranger learns of the address alone.
            #expect(try await api.send("GET", "/v1/companies/B").status == 200)
            let stranger = try await api.send("GET", "/v1/companies/A", authorization: nil)
            #expect(stranger.header("RateLimit-Policy") == #""address";q=20;w=20000"#)
            let health = try await api.send("GET", "/healthz")
            #expect(health.header("RateLimit-Policy") == nil && health.header("RateLimit") == nil)
        }
    }

    @Test func `excess requests get a retry time, and health checks are never limited`() async throws {
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

    @Test(arguments: [
        ("GET", "/nothing"), ("POST", "/healthz"), ("DELETE", "/v1/logins"), ("GET", "/v1/companies/A/B"),
        ("PUT", "/docs"),
    ]) func `unknown routes and wrong methods draw on the limit of the address`(
        method: String, path: String
    ) async throws {
        var configuration = HTTPConfiguration(port: 0)
        configuration.rateLimit = RateLimit(perSecond: 0.001, burst: 3)
        try await API.with(configuration: configuration) { api in
            for left in [2, 1, 0] {
                let answer = try await api.send(method, path, authorization: nil)
                #expect(answer.status == 404 || answer.status == 405)
                #expect(answer.header("RateLimit")?.hasPrefix("\"address\";r=\(left);t=") == true)
            }
            #expect(try await api.send(method, path, authorization: nil).problem.code == "request.rate_limited")
        }
    }

    @Test func `a body that cannot be read draws too, and its connection still closes`() async throws {
        var configuration = HTTPConfiguration(port: 0)
        configuration.rateLimit = RateLimit(perSecond: 0.001, burst: 1)
        try await API.with(configuration: configuration) { api in
            let body = String(repeating: "a", count: 70_000)
            for code in ["request.too_large", "request.rate_limited"] {
                let answer = try await api.send("POST", "/v1/logins", body: body)
                #expect(try answer.problem.code == code)
                #expect(answer.header("Connection") == "close")
            }
        }
    }

    @Test func `every spelling of a name draws on the limit of its tenant`() async throws {
        var configuration = HTTPConfiguration(port: 0)
        configuration.companyRateLimit = RateLimit(perSecond: 0.001, burst: 4)
        try await API.with(configuration: configuration) { api in
            // Straße AG in full width, with a decomposed accent, in capitals, and with white space of another kind.
            for path in ["stra%C3%9Fe%20ag", "STRASSE%20AG", "%EF%BC%B3trasse%20AG", "strasse%C2%A0ag"] {
                #expect(try await api.send("GET", "/v1/companies/" + path).status == 200, "\(path)")
            }
            let fifth = try await api.send("GET", "/v1/companies/Strasse%20AG")
            #expect(try fifth.problem.code == "request.rate_limited")
            #expect(try await api.send("GET", "/v1/companies/Other").status == 200)
        }
    }

    @Test func `each app has its own limit, which other callers do not use up`() async throws {
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

@Suite struct ClientAddressTests {
    private func headers(_ values: [String]) throws -> RequestHeaders {
        var fields = HTTPFields()
        for value in values {
            fields.append(HTTPField(name: try #require(HTTPField.Name("X-Forwarded-For")), value: value))
        }
        return RequestHeaders(fields: fields)
    }

    @Test(arguments: [
        ([], "10.0.0.1"), (["203.0.113.9"], "203.0.113.9"), (["6.6.6.6, 203.0.113.9"], "203.0.113.9"),
        (["203.0.113.9, 10.0.0.2"], "203.0.113.9"), (["6.6.6.6", "203.0.113.9,10.0.0.2"], "203.0.113.9"),
        (["a"], "10.0.0.1"), (["203.0.113.9, a"], "10.0.0.1"), (["2001:DB8:0::1"], "2001:db8::1"),
        (["203.0.113.9:80"], "203.0.113.9"), (["203.0.113.9:"], "10.0.0.1"), (["203.0.113.9:x"], "10.0.0.1"),
        (["203.0.113.9:123456"], "10.0.0.1"), (["[2001:db8::9]:80"], "2001:db8::9"),
        (["[2001:db8::9]"], "2001:db8::9"),
        (["[2001:db8::9"], "10.0.0.1"), (["[203.0.113.9]"], "10.0.0.1"), (["[2001:db8::9]80"], "10.0.0.1"),
        (["::ffff:203.0.113.9"], "203.0.113.9"), (["203.0.113.9, 10.0.0.2:5000"], "203.0.113.9"),
        (["fe80::1%eth0"], "10.0.0.1"), ([""], "10.0.0.1"),
        ([String(repeating: "9", count: 10_000)], "10.0.0.1"), (["10.0.0.2, 10.0.0.1"], "10.0.0.2"),
        ([" \t203.0.113.9 \t"], "203.0.113.9"), (["\"\\\", 203.0.113.9"], "203.0.113.9"),
        (["a\"b, 203.0.113.9, 10.0.0.2"], "203.0.113.9"), (["\"6.6.6.6, 203.0.113.9"], "203.0.113.9"),
        (["\", 6.6.6.6, \"", "203.0.113.9"], "203.0.113.9"),
    ]) func `behind a trusted proxy the last untrusted address counts`(values: [String], address: String) throws {
        let client = ClientAddress(trustedProxies: try TrustedNetworks(["10.0.0.1", "10.0.0.2"]))
        #expect(client.of(peer: "10.0.0.1", headers: try headers(values)) == address)
    }

    @Test(arguments: [
        (["for=203.0.113.9"], [], "203.0.113.9"),
        (["for=6.6.6.6, FOR=\"203.0.113.9:80\";proto=http"], [], "203.0.113.9"),
        (["for=\"[2001:db8::9]:443\", for=10.0.0.2"], [], "2001:db8::9"), (["for=unknown"], [], "10.0.0.1"),
        (["for=203.0.113.9", "proto=http"], [], "10.0.0.1"), (["203.0.113.9"], [], "10.0.0.1"),
        (["x, for=203.0.113.9"], [], "203.0.113.9"), (["for=\", for=203.0.113.9"], [], "203.0.113.9"),
        (["for=\"6.6.6.6, for=\"203.0.113.9:80\";proto=http"], [], "203.0.113.9"),
        (["\"\\\", for=\"203.0.113.9:80\""], [], "203.0.113.9"),
        (["for=6.6.6.6;for=7.7.7.7, for=203.0.113.9, for=10.0.0.2"], [], "203.0.113.9"),
        (["for=\"", "for=203.0.113.9"], [], "203.0.113.9"),
        (["for=6.6.6.6"], ["203.0.113.9"], "203.0.113.9"), (["for=6.6.6.6"], ["a"], "10.0.0.1"),
    ]) func `without X-Forwarded-For the addresses of Forwarded count`(
        forwarded: [String], others: [String], address: String
    ) throws {
        let client = ClientAddress(trustedProxies: try TrustedNetworks(["10.0.0.1", "10.0.0.2"]))
        var fields = try headers(others).fields
        for value in forwarded {
            fields.append(HTTPField(name: try #require(HTTPField.Name("Forwarded")), value: value))
        }
        #expect(client.of(peer: "10.0.0.1", headers: RequestHeaders(fields: fields)) == address)
        #expect(client.of(peer: "203.0.113.7", headers: RequestHeaders(fields: fields)) == "203.0.113.7")
    }

    @Test(arguments: ["10.1.2.3", "::ffff:10.1.2.3", "2001:db8:1::2"])
    func `a proxy is trusted by its network, also on a listener for IPv6`(peer: String) throws {
        let client = ClientAddress(trustedProxies: try TrustedNetworks(["10.0.0.0/8", "2001:db8::/32"]))
        #expect(client.of(peer: peer, headers: try headers(["203.0.113.9, 10.200.0.1"])) == "203.0.113.9")
        #expect(client.of(peer: "::ffff:11.0.0.1", headers: try headers(["203.0.113.9"])) == "11.0.0.1")
    }

    @Test func `X-Forwarded-For of an untrusted peer is ignored`() throws {
        let client = ClientAddress(trustedProxies: try TrustedNetworks(["10.0.0.1"]))
        #expect(client.of(peer: "203.0.113.7", headers: try headers(["1.2.3.4"])) == "203.0.113.7")
        #expect(client.of(peer: nil, headers: try headers(["1.2.3.4"])) == nil)
    }

    @Test func `a request through a local proxy does not count as local`() throws {
        #expect(ClientAddress.isLoopback(peer: "127.0.0.1", headers: try headers([])))
        #expect(ClientAddress.isLoopback(peer: "::1", headers: try headers([])))
        #expect(!ClientAddress.isLoopback(peer: "127.0.0.1", headers: try headers(["1.2.3.4"])))
        #expect(!ClientAddress.isLoopback(peer: "10.0.0.1", headers: try headers([])))
        #expect(!ClientAddress.isLoopback(peer: nil, headers: try headers([])))
    }
}
