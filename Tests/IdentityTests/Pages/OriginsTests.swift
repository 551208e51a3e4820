import Canonical
@testable import Identity
import Testing

@Suite struct `Origins of passkeys` {
    @Test func `the operator sets name and origins, once`() throws {
        let rules = try PasskeyRules(rpID: "example.com", origins: ["https://id.example.com", "https://example.com"])
        #expect(rules.origins.map(\.text) == ["https://example.com", "https://id.example.com"])
        var state = Origins.initial
        let events = try Origins.decide(state, Origins.Set(rules, decision: try Scene.operated()))
        for event in events { Origins.evolve(&state, Sample.recorded(event, position: 9)) }
        #expect(events.count == 1 && state.rules == rules)
        #expect(try Origins.decide(state, Origins.Set(rules, decision: try Scene.operated())).isEmpty)
        for caller in [Scene.securityAdmin, Scene.appCaller()] {
            #expect(throws: Origins.Rejection.notPermitted) {
                try Origins.decide(Origins.initial, Origins.Set(rules, decision: try Scene.decision(caller)))
            }
        }
    }

    @Test(arguments: [
        ("127.0.0.1", "https://127.0.0.1"), ("[::1]", "http://[::1]:8080"), ("Example.com", "https://example.com"),
        ("example.com", "https://badexample.com"), ("id.example.com", "https://example.com"),
        ("example.com", "http://example.com"), ("example.com", "https://example.com/"),
        ("example.com", "https://example.com:443"), ("", "https://example.com"),
        ("example.com:8443", "https://example.com:8443"), ("example.com/", "https://example.com"),
    ])
    func `names and origins that no browser accepts are refused`(name: String, origin: String) {
        #expect(throws: (any Error).self) { try PasskeyRules(rpID: name, origins: [origin]) }
    }

    @Test func `one to sixteen origins are accepted`() throws {
        func rules(_ count: Int) throws -> PasskeyRules {
            try PasskeyRules(rpID: "example.com", origins: (0..<count).map { "https://a\($0).example.com" })
        }
        #expect(try rules(16).origins.count == 16)
        for count in [0, 17] { #expect(throws: (any Error).self) { try rules(count) } }
    }

    @Test func `the rules of a public URL name its host`() {
        #expect(PasskeyRules(publicURL: "http://localhost:8080")?.rpID == "localhost")
        #expect(PasskeyRules(publicURL: "http://localhost:8080")?.fits(publicURL: "http://localhost:8081") == false)
        #expect(PasskeyRules(publicURL: "https://id.example.com")?.fits(publicURL: "https://id.example.com") == true)
        #expect(PasskeyRules(publicURL: "http://127.0.0.1:8080") == nil)
    }
}
