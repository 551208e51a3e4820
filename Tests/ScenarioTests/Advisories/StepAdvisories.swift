import Canonical
import Foundation
import Testing

/// Advisories about steps that were skipped, taken in another order, or passed because something failed.
@Suite(.onServer, .sharedWorld)
struct `Advisories about steps` {
    private static let steps = ["key", "credentials", "answers", "passphrase", "evaluations", "proof"]

    @Test func `CVE-2024-47070: a malformed header skips no step`() async throws {
        let client = try sharedWorld().client
        let values = ["a", "", ",,,", "fe80::1%eth0", String(repeating: "1.1.1.1, ", count: 800), "unix:"]
        for (number, value) in values.enumerated() {
            // Somebody else each time, because an app has a share of anybody's attempts only.
            let owner = try await client.found("headers-\(number).example")
            let device = Device()
            let flow = try await Flow.logIn(owner.person, device, client)
            expectOutcome(try await flow.prove(device), "validatePassphrase")
            let wrong = flow.request("passphrase", ["passphrase": "wrong phrase"]).with("X-Forwarded-For", value)
            let reply = try await client.send(wrong)
            #expect(reply.status >= 400 && reply.status < 500, "\(reply)")
            try expectProblem(try await flow.step("passphrase", ["passphrase": "wrong phrase"]), "passphrase.incorrect")
        }
    }

    @Test func `CVE-2026-49448: an empty body, an empty object, null or another content type completes no step`()
        async throws
    {
        let client = try sharedWorld().client
        let owner = try await client.found("empty.example", by: Person.withQuestions("f", at: "empty.example"))
        for step in Self.steps {
            let flow = try await Flow.logIn(owner.person, owner.device, client)
            if step != "key" { expectOutcome(try await flow.prove(owner.device), "validateAnswers") }
            for body in ["", "{}", "null", "[]", #"{"answers":null}"#, #"{"answers":[]}"#, #"{"keyProof":""}"#] {
                var request = flow.request(step, [:])
                request.body = Array(body.utf8)
                let reply = try await client.send(request)
                #expect(reply.status >= 400 && reply.status < 500 && reply.outcome == nil, "\(step) \(body): \(reply)")
                request.headers.removeAll { $0.name == "Content-Type" }
                let plain = try await client.send(request.with("Content-Type", "text/plain"))
                #expect(plain.status >= 400 && plain.status < 500 && plain.outcome == nil, "\(step): \(plain)")
            }
        }
        #expect(try await client.events("empty.example", "type=AnswersValidated").isEmpty)
    }

    @Test func `CVE-2026-18963: new credentials are accepted only after the step that offers them`() async throws {
        let client = try sharedWorld().client
        let company = "order.example"
        let owner = try await client.found(company, by: Person.withQuestions("f", at: company))
        let thief = Person("thief", at: company, email: owner.person.email)
        let device = Device()
        // In a login, in a registration before the device's proof, and in one that met a known person's address.
        let login = try await Flow.logIn(owner.person, device, client)
        let early = try await Flow.register(thief, device, client)
        let known = try await Flow.register(thief, device, client)
        expectOutcome(try await login.prove(device), "validateAnswers")
        expectOutcome(try await known.prove(device), "validateAnswers")
        for flow in [login, early, known] {
            for kind in ["registrations", "logins"] {
                let reply = try await client.post("/v1/\(kind)/\(flow.handle)/credentials", thief.credentials)
                #expect(reply.status >= 400, "\(reply)")
                #expect(
                    ["flow.wrong_step", "route.unknown", "flow.expired"].contains(reply.code), "\(reply)")
            }
        }
        expectOutcome(try await client.logIn(owner.person, owner.device), "success")
    }

    @Test func `CVE-2026-7507: a new flow inherits nothing, and another caller's flow is refused`()
        async throws
    {
        let client = try sharedWorld().client
        let owner = try await client.found("restart.example")
        let device = Device()
        let first = try await Flow.logIn(owner.person, owner.device, client)
        expectOutcome(try await first.prove(owner.device), "validatePassphrase")
        let second = try await Flow.logIn(owner.person, device, client)
        #expect(first.handle != second.handle && first.challenge != second.challenge)
        // The proof of the first is no proof in the second, and the second has not got the first one's progress.
        try expectProblem(try await second.step("key", try first.proof(owner.device)), "employee.key_invalid")
        let phrase: JSONValue = ["passphrase": .string(try #require(owner.person.passphrase))]
        try expectProblem(try await second.step("passphrase", phrase), "flow.wrong_step")
        // Ids of one with the secret of the other.
        let spliced = Base64URL.encode(
            try bytes(base64url: first.handle).prefix(16) + (try bytes(base64url: second.handle)).dropFirst(16))
        try expectProblem(try await client.post("/v1/logins/\(spliced)/passphrase", phrase), "flow.expired")
        expectOutcome(try await first.step("passphrase", phrase), "success")
    }

    @Test func `CVE-2026-119128, CVE-2026-105207: a name alone sets no credentials and presents no key`()
        async throws
    {
        let client = try sharedWorld().client
        let company = "first-credential.example"
        let founder = try await client.found(company)
        let person = Person("half", at: company)
        let own = Device()
        let flow = try await Flow.register(person, own, client)
        expectOutcome(try await flow.prove(own), "setCredentials")
        // Another who knows the name starts beside, and takes a flow's id with any secret.
        let id = try bytes(base64url: flow.handle).prefix(16)
        let guessed = Base64URL.encode(Array(id) + [UInt8](repeating: 0, count: 32))
        let others = Person("half", at: company)
        try expectProblem(
            try await client.post("/v1/registrations/\(guessed)/credentials", others.credentials), "flow.expired")
        // The key of a device whose owner knows the name, and not the secrets, never waits for anybody.
        let stranger = Device()
        let login = try await Flow.logIn(founder.person, stranger, client)
        expectOutcome(try await login.prove(stranger), "validatePassphrase")
        _ = try await login.step("passphrase", ["passphrase": "wrong phrase"])
        try await client.settle(company)
        let waiting = try await client.get(client.path(company, "/authorizations"), by: founder.session)
        #expect(waiting["items"]?.items.isEmpty == true, "\(waiting)")
        expectOutcome(try await flow.step("credentials", person.credentials), "authorizationPending")
    }

    @Test func `CVE-2026-15612: an absent signature counts as wrong`() async throws {
        let client = try sharedWorld().client
        let owner = try await client.foundBlind("absent.example")
        let flow = try await BlindFlow.start(.logins, owner.person, owner.device, client)
        let opening = try flow.opening(passphrase: try #require(owner.person.passphrase))
        let userKey = try #require(try await flow.open(opening))
        let proof = try flow.proof(by: userKey)
        for body in [[:], ["userSignature": ""], ["signature": try #require(proof["userSignature"])]] as [JSONValue] {
            let reply = try await flow.flow.step("proof", body)
            #expect(reply.status >= 400 && reply.outcome == nil, "\(reply)")
        }
        // A statement without a nonce, an expiry or a root is none.
        let company = "absent.example"
        let asked = try await client.send(
            client.request("PATCH", client.path(company, "/policy"), ["approval": "admin"], by: owner.session))
        let text = String(decoding: try bytes(base64: asked["statement"]?.text), as: UTF8.self)
        for member in ["nonce", "expires", "ledgerRoot", "ledgerSize", "authority", "tenant"] {
            let without = text.replacing(try Regex("\"\(member)\":(\"[^\"]*\"|[0-9]+),?"), with: "")
            #expect(without != text)
            let signed: JSONValue = [
                "approval": "admin", "statement": .string(Base64.encode(Array(without.utf8))),
                "signature": .string(try owner.device.sign(Array(without.utf8))),
            ]
            let reply = try await client.send(
                client.request("PATCH", client.path(company, "/policy"), signed, by: owner.session))
            #expect(reply.status >= 400 && reply.outcome != "done", "\(member): \(reply)")
        }
        #expect(try await client.events(company, "type=TenantPolicyChanged", by: owner.session).isEmpty)
    }
}
