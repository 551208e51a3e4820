import Canonical
import Foundation
import Testing

/// Advisories about names and addresses that were read in two ways, and about headers that were believed.
@Suite(.onServer, .sharedWorld)
struct `Advisories about text` {
    @Test(arguments: [("á", "a"), ("ı", "i"), ("ø", "o"), ("\u{0430}", "a"), ("ł", "l")])
    func `CVE-2024-27295: a look-alike address is another address`(one: String, other: String) async throws {
        let client = try sharedWorld().client
        let word = Person.word()
        let company = "alike-\(word).example"
        let owner = try await client.found(
            company, by: Person.withQuestions("f", at: company, email: "\(word)\(other)@alike.example"))
        let person = Person.withQuestions("g", at: company, email: "\(word)\(one)@alike.example")
        let device = Device()
        let flow = try await Flow.register(person, device, client)
        // Somebody new: not the owner's challenge.
        let asked = try await flow.prove(device)
        expectOutcome(asked, "setCredentials")
        expectOutcome(try await client.logIn(owner.person, owner.device), "success")
    }

    @Test func `CVE-2026-73420: a character that folds to @ is checked after folding`() async throws {
        let client = try sharedWorld().client
        let company = "at-signs.example"
        let owner = try await client.found(company, by: Person("f", at: company, email: "f@at-signs.example"))
        for email in ["f@at-signs.example\u{FF20}evil.example", "f\u{FF20}x@evil.example", "a\u{FE6B}b@evil.example"] {
            let reply = try await client.post(
                "/v1/registrations", Person("n", at: company, email: email).registration(Device()))
            try expectProblem(reply, "email.invalid")
        }
        // One sign alone, in either form, is one address: the owner's.
        let device = Device()
        let flow = try await Flow.register(
            Person("n", at: company, email: "F\u{FF20}at-signs.example"), device, client)
        expectOutcome(try await flow.prove(device), "validatePassphrase")
        expectOutcome(try await client.logIn(owner.person, owner.device), "success")
    }

    @Test func `CVE-2023-7028: an address that is not a single text is refused`() async throws {
        let client = try sharedWorld().client
        let good = Person("n", at: "arrays.example", email: "n@arrays.example").registration(Device())
        let text = String(decoding: good.canonicalBytes(), as: UTF8.self)
        for email in [
            #"["n@arrays.example","e@evil.example"]"#, #"{"0":"n@arrays.example"}"#, "null", "1",
            #""n@arrays.example,e@evil.example""#, #""n@arrays.example\r\nBcc: e@evil.example""#,
            #""n@arrays.example","email":"e@evil.example""#, #""n@arrays.example\u0000e@evil.example""#,
        ] {
            let body = text.replacing(#""n@arrays.example""#, with: email)
            #expect(body != text)
            let reply = try await client.send(client.request("POST", "/v1/registrations").with(body: body))
            #expect(reply.status == 400 && reply.outcome == nil, "\(email): \(reply)")
        }
    }

    @Test func `CVE-2023-49097, CVE-2025-64101: no response repeats the caller's host name`() async throws {
        let client = try sharedWorld().client
        let founder = try await client.found("hosts.example")
        for (method, path) in [
            ("GET", "/docs"), ("GET", "/openapi.yaml"), ("GET", client.path("hosts.example", "/employees?limit=1")),
            ("GET", client.path("hosts.example", "/events?limit=1")), ("GET", "/nowhere"), ("POST", "/v1/logins"),
        ] {
            let request = client.request(method, path, by: founder.session)
                .with("X-Forwarded-Host", "evil.invalid").with("Forwarded", "host=evil.invalid")
                .with("X-Forwarded-Proto", "gopher").with("Origin", "https://evil.invalid")
            let text = String(decoding: request.bytes, as: UTF8.self)
                .replacing("Host: 127.0.0.1", with: "Host: evil.invalid")
            let reply = try HTTPReply(try await TCPConnection.exchange(Array(text.utf8), port: client.port))
            #expect(!String(decoding: reply.body, as: UTF8.self).contains("evil.invalid"), "\(path)")
            #expect(!reply.headers.values.contains { $0.contains("evil.invalid") }, "\(path): \(reply.headers)")
        }
    }

    @Test func `CVE-2026-23511: known and unknown names are answered alike`() async throws {
        let client = try sharedWorld().client
        let company = "Echoes.example"
        let owner = try await client.found(company, by: Person("Ada of the Echoes", at: company))
        func answer(_ id: String) async throws -> [HTTPReply] {
            var person = owner.person
            person.id = id
            let device = Device()
            let start = client.request("POST", "/v1/logins", person.login(device)).with("X-Request-Id", "same")
            let started = try await client.send(start)
            let flow = Flow(
                client: client, kind: .logins, handle: try #require(started["flow"]?.text),
                challenge: try #require(started.challenge))
            return [started, try await flow.prove(device)]
        }
        for (known, unknown) in zip(try await answer("ADA OF THE ECHOES"), try await answer("EVA OF THE ECHOES")) {
            #expect(known.status == unknown.status)
            let names = { (reply: HTTPReply) in try? reply.json.members.keys.filter { $0 != "questions" }.sorted() }
            #expect(!String(decoding: known.body, as: UTF8.self).contains("of the Echoes"))
            if known.outcome == unknown.outcome { #expect(names(known) == names(unknown)) }
        }
    }
}
