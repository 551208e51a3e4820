import Canonical
import Foundation
import Keys
import Testing
import TestSupport

/// What an app may do changes only where somebody names the roles.
@Suite(.onServer)
struct `The roles of an existing link` {
    @Test func `stay at the command line unless the operator names others`() async throws {
        try await inTurn { world in
            let company = "kept-roles.example"
            _ = try await world.client.found(company)
            let app = try await world.makeApp(name: "personnel")
            let link = ["app", "link", app.appId, company]
            #expect(try await world.tenure(link + ["--role", "ACCESS", "--role", "ADMINISTRATION"]).status == 0)
            let again = try await world.tenure(link)
            #expect(again.status == 0, "\(again)")
            #expect(try await roles(of: app, in: company, world) == ["access", "administration"])
            #expect(again.lines.joined().contains("ACCESS ADMINISTRATION"), "\(again)")

            // A new link has the three, as the page of authority says.
            #expect(try await world.tenure(link + ["--remove"]).status == 0)
            #expect(try await world.tenure(link).status == 0)
            #expect(try await roles(of: app, in: company, world) == ["access", "authorization", "creation"])
            #expect(try await world.tenure(link + ["--role", "CREATION"]).status == 0)
            #expect(try await roles(of: app, in: company, world) == ["creation"])
            let mixed = try await world.tenure(link + ["--remove", "--role", "ACCESS"])
            #expect(mixed.status == 64, "\(mixed)")
        }
    }

    @Test func `stay when the security admin links the app again without naming any`() async throws {
        try await inTurn { world in
            let attack = try await Attack("kept-by-put.example", try world.client)
            let app = try await world.makeApp(name: "personnel")
            let path = attack.client.path(attack.company, "/apps/\(app.appId)")
            // A new link has the three.
            try await attack.decided(try await attack.decide("PUT", path, by: attack.founder))
            #expect(
                try await roles(of: app, in: attack.company, world) == ["access", "authorization", "creation"])
            for named in [["ACCESS"], ["ACCESS", "ADMINISTRATION"]] {
                try await attack.decided(attack.link(app, roles: named))
                let before = try await attack.decisions()
                let reply = try await attack.decide("PUT", path, by: attack.founder)
                #expect(reply.outcome == "done" && reply["position"] == nil, "\(reply)")
                #expect(try await attack.decisions() == before)
                #expect(try await roles(of: app, in: attack.company, world) == named.map { $0.lowercased() })
            }
        }
    }

    @Test func `are those that the security admin signed, or the statement is stale`() async throws {
        try await inTurn { world in
            let attack = try await Attack("signed-roles.example", try world.client)
            let app = try await world.makeApp(name: "personnel")
            let path = attack.client.path(attack.company, "/apps/\(app.appId)")
            let asked = try await attack.client.send(
                attack.client.request("PUT", path, [:], by: attack.founder.session))
            #expect(asked.outcome == "signatureRequired", "\(asked)")
            // Meanwhile the operator links it with another role, so the signed three would be neither kept nor new.
            #expect(
                try await world.tenure(["app", "link", app.appId, attack.company, "--role", "ACCESS"]).status == 0)
            let statement = try #require(asked["statement"])
            let signature = try attack.founder.device.sign(base64: statement.text)
            let signed: JSONValue = ["statement": statement, "signature": .string(signature)]
            let reply = try await attack.client.send(
                attack.client.request("PUT", path, signed, by: attack.founder.session))
            try expectProblem(reply, "request.stale")
            #expect(try await roles(of: app, in: attack.company, world) == ["access"])
        }
    }

    /// The roles of the newest link as the log has them.
    private func roles(of app: TestApp, in company: String, _ world: TenureWorld) async throws -> [String] {
        let events = try await world.client.events(company, "type=AppLinked")
        let last = try #require(events.last { $0["data"]?["appId"]?.text == app.appId })
        return try #require(last["data"]?["roles"]).items.compactMap(\.text)
    }
}

@Suite(.onServer)
struct `An app that gets another role` {
    @Test func `gets a further secret, signed by the operator, and the old one stays as it was`() async throws {
        try await inTurn { world in
            let company = "more-roles.example"
            let client = try world.client
            let founder = try await client.found(company)
            let made = try await world.tenure(
                ["app", "create", "grows", "--role", "ACCESS", "--json"])
            let first = try issued(made.lines)
            #expect(try await world.tenure(["app", "link", first.appId, company]).status == 0)
            let old = client.by(first)
            let person = Person("second", at: company), device = Device()
            _ = try await client.register(person, device)
            try expectProblem(try await old.authorize(device, of: person), "app.role_missing")

            let added = try await world.tenure(["app", "add-role", first.appId, "--role", "AUTHORIZATION", "--json"])
            #expect(added.status == 0, "\(added)")
            let second = try issued(added.lines)
            #expect(second.appId == first.appId && second.salt == first.salt && second.secret != first.secret)
            let new = client.by(second)
            expectOutcome(try await new.authorize(device, of: person), "done")
            #expect(try await new.get(new.path(company)).status == 200)
            try expectProblem(try await old.authorize(device, of: person), "app.role_missing")
            expectOutcome(try await old.logIn(founder.person, founder.device), "success")
            #expect(try await world.tenure(["verify"]).status == 0)
        }
    }

    @Test func `gets none that it has, none without the operator key, and none of a secret that ended`() async throws {
        try await inTurn { world in
            let made = try await world.tenure(["app", "create", "grows", "--role", "ACCESS", "--json"])
            let app = try issued(made.lines).appId
            let first = try #require(try StrictJSON.parse(Array(made.lines[0].utf8))["secretId"]?.text)
            let events = try await world.count("AppSecretIssued")
            func refused(_ arguments: [String], _ status: Int32, _ words: String, key: String? = nil) async throws {
                let run = try await world.tenure(["app", "add-role"] + arguments, operatorKey: key)
                #expect(run.status == status && run.lines.joined(separator: " ").contains(words), "\(run)")
            }
            try await refused([app, "--role", "ACCESS"], 1, "has the roles already")
            try await refused([app, "--role", "CREATION"], 64, "operator key", key: "")
            try await refused([app], 64, "--role")
            try await refused([UUID().uuidString, "--role", "CREATION"], 6, "no such app")
            try await refused([app, "--role", "CREATION", "--secret", UUID().uuidString], 6, "no such secret in force")
            #expect(try await world.count("AppSecretIssued") == events)

            // With two secrets in force the operator says whose roles are extended.
            #expect(try await world.tenure(["app", "add-role", app, "--role", "CREATION"]).status == 0)
            try await refused([app, "--role", "ADMINISTRATION"], 64, "--secret")
            let named = ["app", "add-role", app, "--role", "ADMINISTRATION", "--secret", first]
            #expect(try await world.tenure(named).status == 0)
            #expect(try await world.tenure(["app", "revoke-secret", app, first]).status == 0)
            try await refused([app, "--role", "CREATION", "--secret", first], 6, "no such secret in force")
            let listed = try await world.tenure(["app", "list", "--json"])
            let apps = try listed.lines.map { try StrictJSON.parse(Array($0.utf8)) }
            let secrets = try #require(apps.first { $0["appId"]?.text == app }?["secrets"]).items
            #expect(
                Set(secrets.map { Set(($0["roles"]?.items ?? []).compactMap(\.text)) })
                    == [["ACCESS", "CREATION"], ["ACCESS", "ADMINISTRATION"]])
            #expect(try await world.tenure(["verify"]).status == 0)
        }
    }

    private func issued(_ lines: [String]) throws -> TestApp {
        let object = try StrictJSON.parse(Array(try #require(lines.first).utf8))
        return TestApp(
            appId: try #require(object["appId"]?.text), secret: try #require(object["appSecret"]?.text),
            salt: try #require(object["appSalt"]?.text))
    }
}

extension TenureWorld {
    /// Runs `tenure` on the world's database, with errors among the lines unless it writes JSON.
    func tenure(
        _ arguments: [String], operatorKey: String? = nil
    ) async throws -> (status: Int32, lines: [String]) {
        try await ChildProcess(
            "tenure", arguments,
            environment: [
                "TENURE_DATABASE_URL": database.url(as: .application),
                "TENURE_READER_DATABASE_URL": database.url(as: .reader), "TENURE_MASTER_KEY_FILE": keyFile.path,
                "TENURE_OPERATOR_KEY_FILE": operatorKey ?? operatorKeyFile, "SWIFT_BACKTRACE": "enable=no",
            ], keepsErrors: !arguments.contains("--json")
        ).finish()
    }
}
