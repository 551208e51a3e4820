import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Strict JSON` {
    /// Text that must not be taken for a login, whatever a lenient reader would make of it.
    static let refused: [String] = [
        "", "null", "[]", "1", #""text""#, "{", #"{"companyName":"a","companyName":"a"}"#,
        #"{"companyName":"a","company\u004Eame":"b"}"#, #"{"companyName":"\u0000"}"#, #"{"companyName":"\ud800"}"#,
        #"{"companyName":1e0}"#, #"{"companyName":"a",}"#, #"{'companyName':'a'}"#, #"{"companyName":"a"} x"#,
        "\u{FEFF}{}", #"{"companyName":NaN}"#, #"{"companyName":9007199254740993}"#,
        String(repeating: "[", count: 40) + String(repeating: "]", count: 40),
        #"{"companyName":"# + String(repeating: "[", count: 40) + String(repeating: "]", count: 40) + "}",
        #"{"companyName":null}"#,
    ]

    @Test(arguments: refused)
    func `is the only JSON that is understood`(text: String) async throws {
        let client = try sharedWorld().client
        for path in ["/v1/logins", "/v1/registrations"] {
            let reply = try await client.send(client.request("POST", path).with(body: text))
            try expectProblem(reply, "request.invalid")
            #expect(reply["errors"]?.items.isEmpty == false)
        }
    }

    @Test func `holds at most 64 KiB of valid UTF-8`() async throws {
        let client = try sharedWorld().client
        let large = #"{"companyName":""# + String(repeating: "a", count: 65_600) + #""}"#
        try expectProblem(
            try await client.send(client.request("POST", "/v1/logins").with(body: large)), "request.invalid")
        var request = client.request("POST", "/v1/logins").with(body: "")
        request.body = Array(#"{"companyName":"\#u{1}"}"#.utf8.map { $0 == 1 ? 0xFF : $0 })
        try expectProblem(try await client.send(request), "request.invalid")
    }

    @Test func `says that it is JSON`() async throws {
        let client = try sharedWorld().client
        _ = try await client.found("types.example")
        let body = Person("e", at: "types.example").login(Device()).canonicalBytes()
        for type in [nil, "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"] {
            var request = client.request("POST", "/v1/logins")
            request.body = body
            if let type { request = request.with("Content-Type", type) }
            try expectProblem(try await client.send(request), "request.invalid")
        }
        var request = client.request("POST", "/v1/logins").with("Content-Type", "application/json; charset=UTF-8")
        request.body = body
        #expect(try await client.send(request).status == 201)
    }

    @Test func `is refused in every step, and the flow goes on`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("strict.example")
        let flow = try await Flow.logIn(founder.person, founder.device, client)
        let asked = try await flow.prove(founder.device)
        for text in [#"{"passphrase":"a","passphrase":"b"}"#, #"{"passphrase":"a","hint":1}"#, #"{"passphrase":1}"#] {
            let reply = try await client.send(flow.request("passphrase", [:]).with(body: text))
            try expectProblem(reply, "request.invalid")
        }
        expectOutcome(try await flow.complete(founder.person, asked), "success")
    }
}
