import Canonical
import Testing

@Suite(.onServer, .sharedWorld)
struct `The policy of a company` {
    @Test func `has defaults and changes only with an admin's signature`() async throws {
        let client = try sharedWorld().client
        let company = "policy.example"
        let founder = try await client.found(company)
        let path = client.path(company, "/policy")
        let read = try await client.get(path, by: founder.session)
        #expect(read["keyAuthorization"]?.text == "application" && read["approval"]?.text == "automatic")
        #expect(read["blindOnly"]?.flag == false && read["questionsWithPassphrase"]?.flag == true)

        try expectProblem(try await client.get(path), "session.invalid")
        let byApp = try await client.send(client.request("PATCH", path, ["approval": "admin"]))
        try expectProblem(byApp, "session.invalid")
        let asked = try await client.send(client.request("PATCH", path, ["approval": "admin"], by: founder.session))
        expectOutcome(asked, "signatureRequired")
        #expect(try await client.get(path, by: founder.session)["approval"]?.text == "automatic")
        // What was signed is what changes, nothing else.
        var other: [String: JSONValue] = ["keyAuthorization": "automatic"]
        other["statement"] = asked["statement"]
        other["signature"] = .string(try founder.device.sign(base64: asked["statement"]?.text))
        let swapped = try await client.send(client.request("PATCH", path, .object(other), by: founder.session))
        #expect((400..<500).contains(swapped.status), "\(swapped)")
        try await client.change(policy: ["approval": "admin"], of: company, by: founder)
        let changed = try await client.get(path, by: founder.session)
        #expect(changed["approval"]?.text == "admin" && changed["keyAuthorization"]?.text == "application")
    }

    @Test func `is not changed by a used statement`() async throws {
        let client = try sharedWorld().client
        let company = "replayed.example"
        let founder = try await client.found(company)
        let path = client.path(company, "/policy")
        let asked = try await client.send(client.request("PATCH", path, ["approval": "admin"], by: founder.session))
        let body: JSONValue = [
            "approval": "admin", "statement": asked["statement"] ?? .null,
            "signature": .string(try founder.device.sign(base64: asked["statement"]?.text)),
        ]
        expectOutcome(try await client.send(client.request("PATCH", path, body, by: founder.session)), "done")
        try await client.change(policy: ["approval": "automatic"], of: company, by: founder)
        let replayed = try await client.send(client.request("PATCH", path, body, by: founder.session))
        #expect((400..<500).contains(replayed.status), "\(replayed)")
        #expect(try await client.get(path, by: founder.session)["approval"]?.text == "automatic")
    }

    @Test func `may forbid questions beside a passphrase`() async throws {
        let client = try sharedWorld().client
        let company = "forbids.example"
        let founder = try await client.found(company)
        try await client.change(policy: ["questionsWithPassphrase": false], of: company, by: founder)
        var person = Person("second", at: company)
        person.questionsWithPassphrase = true
        let device = Device()
        let flow = try await Flow.register(person, device, client)
        let asked = try await flow.prove(device)
        #expect(asked["rules"]?["questionsWithPassphraseAllowed"]?.flag == false)
        try expectProblem(try await flow.complete(person, asked), "request.invalid")
        // The flow goes on: without the questions beside it the passphrase is accepted, and no questions are asked.
        person.questionsWithPassphrase = nil
        expectOutcome(try await flow.complete(person, asked), "authorizationPending")
        let login = try await Flow.logIn(person, device, client)
        #expect(try await login.prove(device)["questions"] == nil)
        // A change is refused alike, where its request has the credentials.
        var renewed = founder.person
        renewed.passphrase = "a new passphrase"
        renewed.questionsWithPassphrase = true
        let change = try await Flow.change(founder.person, founder.device, client)
        let old = try await change.prove(founder.device)
        let refused = try await client.send(try change.change(from: founder.person, to: renewed, old))
        try expectProblem(refused, "request.invalid")
        #expect(try refused.json["errors"]?.items.first?["pointer"]?.text == "/credentials/questionsWithPassphrase")
    }

    @Test func `links apps and unlinks them by an admin's signature`() async throws {
        let world = try sharedWorld()
        let client = try world.client
        let company = "apps.example"
        let founder = try await client.found(company)
        let other = client.by(try await world.makeApp(name: "linked by an admin"))
        #expect(try await other.get(client.path(company)).status == 404)
        let path = client.path(company, "/apps/\(other.app.appId)")
        expectOutcome(try await client.signed(by: founder, "PUT", path), "done")
        let last = try await client.events(company).last?["position"]?.number
        #expect(try await other.get(client.path(company), at: last).status == 200)
        expectOutcome(try await other.logIn(founder.person, founder.device), "success")
        expectOutcome(try await client.signed(by: founder, "DELETE", path), "done")
        #expect(try await other.get(client.path(company)).status == 404)
        // The unlinked app is answered by a decoy, which may ask for either kind of credential.
        let login = try await other.logIn(founder.person, founder.device)
        #expect(["passphrase.incorrect", "answers.incorrect"].contains(login.code), "\(login)")
        let byApp = try await client.send(client.request("PUT", path))
        try expectProblem(byApp, "session.invalid")
    }
}
