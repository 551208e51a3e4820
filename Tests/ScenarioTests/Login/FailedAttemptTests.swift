import Canonical
import Foundation
import IdentityService
import Keys
import TestSupport
import Testing

/// Why somebody cannot log in, as the company and the operator find it.
@Suite(.onServer, .sharedWorld)
struct `A failed attempt at a person` {
    private static let query = "type=AttemptCharged&employee=bo"

    /// Enters a wrong passphrase.
    private func fail(_ person: Person, _ device: Device, _ client: Client) async throws {
        let flow = try await Flow.logIn(person, device, client)
        _ = try await flow.prove(device)
        let reply = try await flow.step("passphrase", ["passphrase": "not the passphrase"])
        try expectProblem(reply, "passphrase.incorrect", goesOn: true)
    }

    /// A security admin, and an employee at whom two attempts from new devices failed, and one from the known device.
    private func scene(_ company: String) async throws -> (founder: Member, bo: Member) {
        let client = try sharedWorld().client
        let founder = try await client.found(company)
        let bo = try await client.join(Person("bo", at: company))
        for device in [Device(), Device(), bo.device] { try await fail(bo.person, device, client) }
        return (founder, bo)
    }

    private func replay(_ arguments: String...) async throws -> (status: Int32, lines: [JSONValue]) {
        let world = try sharedWorld()
        let ended = try await ChildProcess(
            "tenure", ["replay", "--json"] + arguments,
            environment: [
                "SWIFT_BACKTRACE": "enable=no", "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
                "TENURE_MASTER_KEY_FILE": world.keyFile.path,
            ]
        ).finish()
        return (ended.status, try ended.lines.map { try StrictJSON.parse(Array($0.utf8)) })
    }

    @Test func `is shown to an app with AUTHORIZATION and to an admin: device, count and app, and no secret`()
        async throws
    {
        let client = try sharedWorld().client
        let (founder, bo) = try await scene("attempts.example")
        // A success gives its own attempt back, so it is not among them.
        expectOutcome(try await client.logIn(bo.person, Device()), "authorizationPending")
        for caller in [nil, founder.session] {
            let attempts = try await client.events("attempts.example", Self.query, by: caller)
            #expect(attempts.map { $0["data"]?["device"]?.text } == ["unknown", "unknown", "known"], "\(attempts)")
            #expect(attempts.map { $0["data"]?["spent"]?.number } == [1, 2, 1])
            let page = try await client.get(client.path("attempts.example", "/events?" + Self.query), by: caller)
            #expect(page["since"] == nil, "\(page)")
            #expect(attempts.map { $0["data"]?["fingerprint"]?.text } == [nil, nil, bo.device.fingerprint])
            for attempt in attempts {
                #expect(attempt["app"]?.text == client.app.appId)
                #expect(attempt["position"]?.number == 0)
                guard case .object(let data)? = attempt["data"] else { continue }
                let names = Set(data.keys).subtracting(["fingerprint"])
                #expect(names == ["employeeId", "device", "spent", "limit"], "\(attempt)")
            }
        }
    }

    @Test func `is not shown to an app without AUTHORIZATION, an employee or another company's admin`() async throws {
        let world = try sharedWorld(), client = try world.client, company = "attempts-hidden.example"
        let (_, bo) = try await scene(company)
        let stranger = try await client.found("attempts-stranger.example")
        let path = client.path(company, "/events?" + Self.query)
        for role in ["ACCESS", "CREATION"] {
            let app = client.with(secret: try await world.issueSecret(for: world.app, roles: [role]))
            try expectProblem(try await app.get(path), "app.role_missing")
        }
        try expectProblem(try await client.get(path, by: bo.session), "authorization.not_permitted")
        try expectProblem(try await client.get(path, by: stranger.session), "company.unknown")
    }

    @Test func `is shown only to the company at whose employee it was, although one person has both accounts`()
        async throws
    {
        let client = try sharedWorld().client
        let (_, bo) = try await scene("attempts-one.example")
        let admin = try await client.found("attempts-two.example")
        // The same person with the same device: an attempt from it could be at either account.
        let second = bo.person.also("bo", at: "attempts-two.example")
        expectOutcome(try await client.register(second, bo.device), "authorizationPending")
        expectOutcome(try await client.authorize(bo.device, of: second), "done")
        try await fail(second, Device(), client)
        let seen = try await client.events("attempts-two.example", Self.query, by: admin.session)
        #expect(seen.map { $0["data"]?["device"]?.text } == ["unknown"], "\(seen)")
        // Its own share, and not the budget that both companies' attempts are charged to.
        #expect(seen.map { $0["data"]?["spent"]?.number } == [1])
        let first = try await client.events("attempts-one.example", Self.query)
        #expect(first.map { $0["data"]?["device"]?.text } == ["unknown", "unknown"], "\(first)")
    }

    @Test func `at a name that does not exist is shown nowhere`() async throws {
        let client = try sharedWorld().client, company = "attempts-nobody.example"
        let (founder, _) = try await scene(company)
        for _ in 0..<3 {
            let flow = try await Flow.logIn(Person("nobody", at: company), Device(), client)
            _ = try? await flow.step("passphrase", ["passphrase": "not the passphrase"])
        }
        for type in ["AttemptCharged", "CredentialsLocked", "AttemptsCleared"] {
            let path = client.path(company, "/events?type=\(type)&employee=nobody")
            for caller in [nil, founder.session] {
                try expectProblem(try await client.get(path, by: caller), "employee.unknown")
            }
        }
        #expect(try await client.events(company, Self.query).count == 3)
        #expect(try await client.events(company, "type=AttemptCharged") == [])
        #expect(try await replay("--company", company, "--employee", "nobody").status == 6)
    }

    @Test func `is replayed with the events of the employee`() async throws {
        let company = "attempts-replay.example"
        let (_, bo) = try await scene(company)
        let all = try await replay("--company", company, "--employee", "bo")
        #expect(all.status == 0)
        let charged = all.lines.filter { $0["type"]?.text == "AttemptCharged" }
        let cleared = Set(all.lines.filter { $0["type"]?.text == "AttemptsCleared" }.map { $0["stream"]?.text })
        let failed = charged.filter { !cleared.contains($0["stream"]?.text) }
        #expect(failed.map { $0["data"]?["device"]?.text } == ["unknown", "unknown", "known"], "\(all.lines)")
        #expect(all.lines.contains { $0["type"]?.text == "EmployeeRegistered" })
        let typed = try await replay("--company", company, "--employee", "bo", "--type", "AttemptCharged")
        #expect(typed.lines.count == charged.count)
        #expect(typed.lines.contains { $0["data"]?["fingerprint"]?.text == bo.device.fingerprint })
        // The founder has attempts of their own only, and positions are those of the company's ledger.
        let other = try await replay("--company", company, "--employee", "founder", "--type", "AttemptCharged")
        #expect(other.lines.isEmpty, "\(other.lines)")
        let positions = try await replay("--company", company, "--employee", "bo", "--from-position", "1")
        #expect(!positions.lines.contains { $0["type"]?.text == "AttemptCharged" })
    }
}

@Suite(.onServer)
struct `A lock of a person's credentials` {
    @Test func `is shown with its end to the company whose attempt led to it`() async throws {
        var options = WorldOptions()
        options.settings.budgets.unknownLimit = 2
        try await inTurn(options) { world in
            let client = try world.client, company = "attempts-lock.example"
            let founder = try await client.found(company)
            for expected in ["passphrase.incorrect", "passphrase.incorrect", "credentials.locked"] {
                let device = Device(), flow = try await Flow.logIn(founder.person, device, client)
                _ = try await flow.prove(device)
                let reply = try await flow.step("passphrase", ["passphrase": "not the passphrase"])
                #expect(reply.code == expected, "\(reply)")
            }
            let locks = try await client.events(company, "type=CredentialsLocked&employee=founder", by: founder.session)
            #expect(locks.count == 1 && locks.first?["data"]?["device"]?.text == "unknown", "\(locks)")
            #expect(locks.first?["data"]?["until"]?.text != nil)
            let attempts = try await client.events(company, "type=AttemptCharged&employee=founder")
            #expect(attempts.map { $0["data"]?["spent"]?.number } == [1, 2])
        }
    }
}
