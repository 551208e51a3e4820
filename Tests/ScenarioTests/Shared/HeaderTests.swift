import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `Headers` {
    @Test func `carry the caller's request id, which the log has too`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let founder = Person("f", at: "ids.example")
        let device = Device()
        let flow = try await Flow.register(founder, device, client)
        let asked = try await flow.prove(device)
        let request = try flow.completion(founder, asked).with("X-Request-Id", "my-own.id_42")
        let reply = try await client.send(request)
        #expect(reply.headers["x-request-id"] == "my-own.id_42")
        let events = try await client.events("ids.example")
        #expect(!events.isEmpty && events.allSatisfy { $0["requestId"]?.text == "my-own.id_42" })
        #expect(events.allSatisfy { $0["app"]?.text == world.app.appId })
        #expect(world.logs.contains { $0.contains("my-own.id_42") })
    }

    @Test(arguments: ["", "a b", "ümlaut", "<script>", String(repeating: "a", count: 65)])
    func `replace a malformed request id`(id: String) async throws {
        let client = try sharedWorld().client
        let reply = try await client.send(HTTPRequest("GET", "/healthz").with("X-Request-Id", id))
        let given = try #require(reply.headers["x-request-id"])
        #expect(given != id && (1...64).contains(given.utf8.count))
    }

    @Test func `let nobody but the reader keep a response, and forbid sniffing`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("headers.example")
        let kept = [
            try await client.get("/v1/sessions", by: founder.session),
            try await client.get(client.path("headers.example")),
        ]
        let replies = [try await client.get("/healthz"), try await client.get("/nothing")] + kept
        for (index, reply) in replies.enumerated() {
            #expect(reply.headers["cache-control"] == (index < 2 ? "no-store" : "private, no-cache"))
            #expect(reply.headers["x-content-type-options"] == "nosniff")
        }
        let tag = try #require(kept[1].headers["etag"])
        let request = client.request("GET", client.path("headers.example")).with("If-None-Match", tag)
        let again = try await client.send(request)
        #expect(again.status == 304 && again.body.isEmpty && again.headers["etag"] == tag)
        let joined = try await client.register(Person("second", at: "headers.example"), Device())
        let position = try #require(joined["position"]?.number)
        let changed = try await client.send(request.with("Tenure-Wait-For", String(position)))
        #expect(changed.status == 200, "the company has one employee more")
    }

    @Test func `never build an address from the caller's input`() async throws {
        let client = try sharedWorld().client
        let company = "links.example"
        _ = try await client.found(company)
        _ = try await client.register(Person("second", at: company), Device())
        let request = client.request("GET", client.path(company, "/events?limit=1"))
            .with("X-Forwarded-Host", "evil.example").with("Forwarded", "host=evil.example")
        let reply = try await client.send(request)
        #expect(reply.headers["link"]?.contains("evil.example") == false)
        #expect(!String(decoding: reply.body, as: UTF8.self).contains("evil.example"))
    }

    @Test func `make reads wait for a written position`() async throws {
        let client = try sharedWorld().client
        let company = "waits.example"
        _ = try await client.found(company)
        for number in 0..<10 {
            let person = Person("employee \(number)", at: company)
            let position = try #require(try await client.register(person, Device())["position"]?.number)
            #expect(try await client.get(client.path(person), at: position).status == 200)
        }
        for wrong in ["-1", "x", "1.5", "99999999999999999999"] {
            let request = client.request("GET", client.path(company)).with("Tenure-Wait-For", wrong)
            try expectProblem(try await client.send(request), "request.invalid")
        }
    }

    @Test(arguments: ["limit=0", "limit=201", "limit=x", "after=-1", "after=x", "limit=1&limit=2", "surprise=1"])
    func `and parameters that are malformed are refused`(query: String) async throws {
        let client = try sharedWorld().client
        let company = "queries-\(segment(query)).example"
        _ = try await client.found(company)
        try expectProblem(
            try await client.get(client.path(company, "/employees?\(query)")), "request.invalid")
    }

    @Test func `report that the service is alive and ready`() async throws {
        let world = try sharedWorld(), client = try world.client
        #expect(try await client.send(HTTPRequest("GET", "/healthz")).status == 200)
        // The tests beside this one may hold the service back for a while.
        try await world.until { try await client.send(HTTPRequest("GET", "/readyz")).status == 200 }
    }
}

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
    func `is the only accepted JSON`(text: String) async throws {
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
            try await client.send(client.request("POST", "/v1/logins").with(body: large)), "request.too_large")
        var request = client.request("POST", "/v1/logins").with(body: "")
        request.body = Array(#"{"companyName":"\#u{1}"}"#.utf8.map { $0 == 1 ? 0xFF : $0 })
        try expectProblem(try await client.send(request), "request.invalid")
    }

    @Test func `needs a JSON content type`() async throws {
        let client = try sharedWorld().client
        _ = try await client.found("types.example")
        let body = Person("e", at: "types.example").login(Device()).canonicalBytes()
        for type in [nil, "text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"] {
            var request = client.request("POST", "/v1/logins")
            request.body = body
            if let type { request = request.with("Content-Type", type) }
            try expectProblem(try await client.send(request), "request.media_type")
        }
        var request = client.request("POST", "/v1/logins").with("Content-Type", "application/json; charset=UTF-8")
        request.body = body
        #expect(try await client.send(request).status == 201)
    }

    @Test func `is required in every step, and a violation does not end the flow`() async throws {
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
