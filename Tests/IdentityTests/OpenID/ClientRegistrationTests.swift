import Canonical
@testable import Identity
import Testing

@Suite struct `Registration of a client` {
    @Test(arguments: [
        "https://app.example.com/callback", "https://app.example.com", "https://app.example.com:8443/a?b=c",
        "http://127.0.0.1:8000/callback", "http://[::1]/", "http://localhost/oauth2callback",
        "com.example.app:/callback", "com.example.app://callback", "https://xn--bcher-kva.example/%C3%BC",
        "https://[2001:db8::1]:8443/", "https://[::ffff:192.0.2.1]/", "https://[1:2:3:4:5:6:7:8]/",
        "https://192.0.2.1/",
        "https://intranet/callback", "https://pr--7.app.example.com/", "https://App.example.com/",
    ])
    func `takes a URI as given`(_ text: String) throws {
        #expect(try ClientURI(text).text == text)
    }

    @Test(arguments: [
        "", "app.example.com/callback", "/callback", "//app.example.com/", "https:", "https:///callback",
        "https:/app.example.com", "https://app.example.com/#part", "https://app.example.com/callback#",
        "https://*.example.com/", "https://app.example.com/*", "http://app.example.com/", "http://127.0.0.2/",
        "http://localhost.example.com/", "http://127.0.0.1.example.com/", "http://127.0.0.1@example.com/",
        "https://user@app.example.com/", "https://app.example.com:0/", "https://app.example.com:65536/",
        "https://app.example.com:080/", "https://app.example.com:/", "javascript:alert(1)", "JavaScript:alert(1)",
        "data:text/html,x", "myapp:/callback", "com.example.app:", "HTTPS://app.example.com/", "vbscript:x",
        "https://app.example.com/a b", "https://app.example.com/\u{E9}", "https://app.example.com\\@evil.example/",
        "https://[::1/", "https://app.example.com/%2", "file:///etc/passwd", "https://[::1]x/",
        "https://[;script-src'unsafe-inline'data:]/cb", "https://[]/", "https://[::1%25eth0]/", "https://[1:2:3]/",
        "https://[1::2::3]/", "https://[1:2:3:4:5:6:7:8:9]/", "https://[12345::]/", "https://[1::2:3:4:5:6:7:8]/",
        "https://[::1.2.3.4:5]/", "https://[::256.1.1.1]/", "https://[192.0.2.1]/", "https://[v1.a]/",
        "https://app..example.com/", "https://app.example.com./", "https://-app.example.com/", "https://app-.example/",
        "https://a_b.example.com/", "https://app.example.0x7f/", "https://192.0.2/", "https://192.0.2.01/",
        "https://192.0.2.256/", "https://xn--zzzzzzzz99999.example/",
        "https://\(String(repeating: "a", count: 64)).example/",
    ])
    func `oidcc-ensure-registered-redirect-uri refuses a URI that leads elsewhere or nowhere`(_ text: String) {
        #expect(throws: ValueError.self) { try ClientURI(text) }
    }

    @Test func `refuses a URI of more than 255 bytes`() throws {
        let longest = "https://app.example.com/" + String(repeating: "a", count: 231)
        #expect(try ClientURI(longest).text.utf8.count == 255)
        #expect(throws: ValueError.self) { try ClientURI(longest + "a") }
    }

    @Test func `tells the origin of a URI for the policy of a page`() throws {
        #expect(try ClientURI("https://app.example.com:8443/a?b").webOrigin == "https://app.example.com:8443")
        #expect(try ClientURI("http://[::1]/a").webOrigin == "http://[::1]")
        #expect(try ClientURI("com.example.app:/callback").webOrigin == nil)
    }

    @Test(arguments: [
        "https://app.example.com/", "https://app.example.com?", "HTTPS://app.example.com", "https://App.example.com",
        "https://app.example.com:443", "http://127.0.0.1:80", "http://app.example.com", "null", "*", "", "https://",
        "https://*.example.com", "com.example.app://x", "https://user@app.example.com", "https://app.example.com ",
    ])
    func `refuses an origin that no browser sends`(_ text: String) {
        #expect(throws: ValueError.self) { try ClientOrigin(text) }
    }

    @Test func `takes an origin of https or of the own machine`() throws {
        for text in ["https://app.example.com", "https://app.example.com:8443", "http://localhost:3000"] {
            #expect(try ClientOrigin(text).text == text)
        }
    }

    @Test func `sorts its lists and counts once what is given twice`() throws {
        let (a, b) = (try ClientURI("https://a.example/"), try ClientURI("https://b.example/"))
        let client = try ClientRegistration(redirects: [b, a, b], tenants: [Sample.id(2), Sample.id(1), Sample.id(2)])
        #expect(client.redirects == [a, b] && client.tenants == [Sample.id(1), Sample.id(2)])
        #expect(client == (try ClientRegistration(redirects: [a, b], tenants: [Sample.id(1), Sample.id(2)])))
    }

    @Test func `refuses what cannot be meant, or fits no statement`() throws {
        let uri = try ClientURI("https://a.example/")
        let long = try (0..<16).map { try ClientURI("https://a.example/\($0)/" + String(repeating: "a", count: 200)) }
        func refused(_ field: String, _ make: () throws -> ClientRegistration) {
            #expect { try make() } throws: { ($0 as? ValueError)?.field == field }
        }
        refused("redirects") { try ClientRegistration(redirects: []) }
        refused("tenants") { try ClientRegistration(redirects: [uri], tenants: [Sample.id(1)], anyTenant: true) }
        refused("redirects") { try ClientRegistration(redirects: long) }
        refused("postLogout") {
            try ClientRegistration(
                redirects: [uri], postLogout: (0...16).map { try ClientURI("https://b.example/\($0)") })
        }
        refused("tenants") {
            try ClientRegistration(redirects: [uri], tenants: (0...16).map { Sample.id(UInt8($0)) })
        }
    }

    @Test func `takes no tenant by default, the listed ones, or any`() throws {
        let uri = try ClientURI("https://a.example/"), (own, other): (TenantID, TenantID) = (Sample.id(1), Sample.id(2))
        #expect(try !ClientRegistration(redirects: [uri]).takes(own))
        let listed = try ClientRegistration(redirects: [uri], tenants: [own])
        #expect(listed.takes(own) && !listed.takes(other))
        #expect(try ClientRegistration(redirects: [uri], anyTenant: true).takes(other))
    }

    @Test func `is the operator's decision about an app that exists, and replaces what was registered`() throws {
        var state = try `Users and apps`.app()
        let by = try Scene.operated(), uri = try ClientURI("https://a.example/")
        let first = try ClientRegistration(redirects: [uri], isPublic: true)
        let second = try ClientRegistration(redirects: [uri])
        #expect(state.client == nil)
        for client in [first, second] {
            let events = try App.decide(state, .changeClient(client, by))
            #expect(
                events == [.clientChanged(AppClientChanged(appID: Scene.app, client: client, by: by.authority))])
            for event in events { App.evolve(&state, Sample.recorded(event)) }
            #expect(state.client == client)
            #expect(try App.decide(state, .changeClient(client, by)).isEmpty)
        }
        for caller in [Scene.appCaller(), Scene.securityAdmin, Scene.personnelApp] {
            let other = try Scene.decision(caller)
            #expect(throws: App.Rejection.notPermitted) { try App.decide(state, .changeClient(first, other)) }
        }
        #expect(throws: App.Rejection.unknownApp) { try App.decide(App.initial, .changeClient(first, by)) }
    }

    @Test func `needs a challenge without a secret, by the operator's word, or once the client answered one`() throws {
        let uri = try ClientURI("https://a.example/"), by = try Scene.operated()
        #expect(try !ClientRegistration(redirects: [uri]).needsChallenge)
        #expect(try ClientRegistration(redirects: [uri], isPublic: true).needsChallenge)
        #expect(try ClientRegistration(redirects: [uri], challenge: .required).needsChallenge)

        var state = try `Users and apps`.app()
        func take(_ command: App.Command) throws -> Int {
            let events = try App.decide(state, command)
            for event in events { App.evolve(&state, Sample.recorded(event)) }
            return events.count
        }
        #expect(try take(.noteChallenge) == 0, "the app is no client")
        let client = try ClientRegistration(redirects: [uri])
        #expect(try take(.changeClient(client, by)) == 1)
        #expect(try take(.noteChallenge) == 1 && state.client?.needsChallenge == true)
        #expect(try take(.noteChallenge) == 0, "it is recorded once")
        #expect(try take(.changeClient(client, by)) == 1, "the same registration leaves the choice to the client again")
        #expect(state.client == client)
        #expect(try take(.noteChallenge) == 1 && take(.noteChallenge) == 0)
        #expect(throws: App.Rejection.unknownApp) { try App.decide(App.initial, .noteChallenge) }
    }

    @Test func `is read only as it is written`() throws {
        let version = GoldenFiles.Version(type: AppClientChanged.self, schema: 1)
        guard case .object(let members)? = try GoldenFiles.data(version).first else {
            throw EventError(.invalidValue, "no golden event")
        }
        let faults: [(String, JSONValue)] = [
            ("redirects", []), ("redirects", ["https://b.example/", "https://a.example/"]),
            ("redirects", ["https://a.example/", "https://a.example/"]), ("redirects", ["javascript:x"]),
            ("origins", ["https://a.example/"]), ("tenants", ["x"]), ("idToken", "none"), ("consent", "never"),
            ("pkce", "optional"),
        ]
        for (name, value) in faults {
            var changed = members
            changed[name] = value
            #expect(throws: JSONError.self, "\(name)") { try GoldenFiles.decode(version, .object(changed)) }
        }
    }
}
