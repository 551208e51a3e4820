import IdentityService
import TenureAPI
import Testing
@testable import HTTPAPI

@Suite struct RouteTableTests {
    private static let routes: [Route] = {
        var configuration = HTTPConfiguration()
        configuration.servesPages = true
        return Route.all(configuration, waiting: .none)
    }()

    /// Paths of every pattern, and paths that are nearly one.
    private static let paths: Set<String> = {
        let patterns = Set(routes.map(\.endpoint.template.text)).map { $0.split(separator: "/").map(String.init) }
        var paths: Set<String> = ["", "*", "/", "//", "http://x", "http://x/healthz", "healthz"]
        for pattern in patterns {
            for place in pattern.indices {
                // Another pattern may have a literal where this one has a capture.
                let others = Set(patterns.filter { $0.count > place }.map { $0[place] }.filter { !$0.hasPrefix("{") })
                for part in others + ["a%2Fb", "", pattern[place].uppercased()] {
                    var near = pattern.map { $0.hasPrefix("{") ? "y" : $0 }
                    near[place] = part
                    for end in [[], [""], ["z"]] { paths.insert("/" + (near + end).joined(separator: "/")) }
                }
            }
        }
        return paths
    }()

    @Test func `the table finds what a walk through all patterns finds`() throws {
        let table = RouteTable(Self.routes)
        var wrong: [String] = [], mixed: [String] = [], found = 0, overlapping = 0
        for path in Self.paths {
            let segments = RequestTarget(path).flatMap { PathTemplate.segments(of: $0.rawPath) }
            let walked = Self.routes.filter { route in
                segments.map { route.endpoint.template.match($0) != nil } ?? false
            }
            let looked = table.find(path)
            if looked.routes.map(\.endpoint) != walked.map(\.endpoint) { wrong.append(path) }
            if Set(walked.map(\.endpoint.family)).count > 1 { mixed.append(path) }
            if !walked.isEmpty { found += 1 }
            if Set(walked.map(\.endpoint.template)).count > 1 { overlapping += 1 }
            for method in ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"] {
                let expected = walked.first { $0.endpoint.method == (method == "HEAD" ? "GET" : method) }
                let match = try? looked.route(for: method)
                let raw = expected.flatMap { $0.endpoint.template.match(segments ?? []) }
                if match?.route.endpoint != expected?.endpoint || match?.raw != raw {
                    wrong.append("\(method) \(path)")
                }
            }
        }
        #expect(wrong == [] && mixed == [], "the first route of a path says how it refuses")
        #expect(Self.paths.count > 1_000 && found > 200 && overlapping >= 4)
    }

    @Test func `another pattern of the path serves a method that the first one lacks`() throws {
        let found = RouteTable(Self.routes).find("/recover/waiting")
        #expect(try found.route(for: "GET").route.endpoint == .showWayBackWait)
        let match = try found.route(for: "POST")
        #expect(match.route.endpoint == Endpoint.startWayBack.inFlow && match.raw == ["flow": "waiting"])
    }
}

/// Each family words what it refuses before the handler in its own way.
@Suite(.timeLimit(.minutes(5))) struct RefusalFamilyTests {
    private static let id = "0266f646-f51a-49e5-a57a-3ce9042bf1ad"

    /// Expects a refusal in the words of a family.
    private func expect(_ answer: API.Answer, _ status: Int, _ code: String, _ family: Endpoint.Family) throws {
        #expect(answer.status == status)
        switch family {
        case .api, .mpin, .oauth:
            let problem = try answer.problem
            #expect(problem.code == code && (problem.oauth != nil) == (family == .oauth))
        case .mailedLink, .page:
            #expect(answer.header("Content-Type") == "text/html; charset=utf-8")
            let text = String(decoding: answer.bytes, as: UTF8.self), id = try #require(answer.header("X-Request-Id"))
            #expect(text.hasPrefix("<!doctype html>") && text.contains(id))
        }
    }

    @Test(arguments: [
        ("/v1/logins", Endpoint.Family.api), ("/authorize", .api), ("/oauth/userinfo", .api),
        ("/oauth/revoke", .oauth), ("/oauth/token", .oauth), ("/mpin/acme/rps/pass1", .mpin),
        ("/verify-email/\(id)", .mailedLink), ("/mpin/acme/verification/\(id)", .mailedLink),
        ("/return/acme/\(id)/cancellation", .mailedLink), ("/login", .page), ("/login/address/x", .page),
        ("/arm", .page),
        ("/waiting/mail/\(id)/\(id)", .page),
    ]) func `a path refuses in the words of its family`(path: String, family: Endpoint.Family) async throws {
        var configuration = HTTPConfiguration(port: 0)
        configuration.servesPages = true
        configuration.rateLimit = RateLimit(perSecond: 0.001, burst: 3)
        try await API.with(configuration: configuration) { api in
            let unknown = try await api.send("POST", path + "/is/no/route/at/all", authorization: nil)
            try expect(unknown, 404, "route.unknown", .api)
            let method = try await api.send("DELETE", path, authorization: nil)
            try expect(method, 405, "route.method_not_allowed", family)
            #expect(method.header("Allow")?.contains("POST") == true)
            let body = String(repeating: "x", count: 70_000)
            try expect(
                await api.send("POST", path, authorization: nil, body: body), 413, "request.too_large", family)
            for method in ["POST", "DELETE"] {
                let limited = try await api.send(method, path, authorization: nil)
                try expect(limited, 429, "request.rate_limited", family)
            }
        }
    }

    @Test func `without the pages their files refuse by problem documents`() async throws {
        let answer = try await API.with { try await $0.send("DELETE", "/arm", authorization: nil) }
        try expect(answer, 405, "route.method_not_allowed", .api)
    }
}
