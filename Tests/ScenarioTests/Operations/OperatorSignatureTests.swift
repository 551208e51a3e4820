import Canonical
import Credentials
import Foundation
import IdentityService
import Keys
import Ledger
import Testing
import TestSupport

/// What the operator decides is signed with the operator key, and the statement says what the event says.
@Suite(.onServer)
struct `A decision of the operator` {
    @Test func `is always signed`() async throws {
        try await inTurn { world in
            let client = try world.client
            let company = "signed-operator.example"
            let founder = try await client.found(company)
            let colleague = try await client.join(Person("colleague", at: company))
            let leaver = try await client.join(Person("leaver", at: company))
            let app = try await world.makeApp(name: "another")
            try await world.linkApp(app, to: company)
            let id = try #require(UUID(uuidString: app.appId))
            try await world.instance.commands.addResource(appId: id, resource: "https://api.example.com/")
            try await world.instance.commands.removeResource(appId: id, resource: "https://api.example.com/")
            try await world.instance.commands.changeClient(
                appId: id, ClientEntry(redirects: ["https://app.example.com/"], tenants: [company]))
            try await world.confirmDomain(of: company)
            try await world.erase(leaver.person)
            try await world.succeedSecurityAdmin(of: company, by: colleague.person.id, on: colleague.device)
            withExtendedLifetime(founder) {}

            let ledger = try await world.ledger(company)
            let events = try await world.database.withPool(as: .reader) { pool in
                let reader = LedgerReader(pool: pool, codes: .unchecked, storesTiles: false)
                return try await reader.ledger(ledger, limit: 1_000).events
                    + reader.ledger(.system, limit: 1_000).events
            }
            let founded = events.filter { $0.type == "SystemFounded" }
            let beginning = try #require(founded.first)
            let decided = events.filter { $0.data["by"]?["kind"] == .string("operator") }
            let expected: Set = [
                "AppRegistered", "AppSecretIssued", "AppResourceAdded", "AppResourceRemoved", "AppClientChanged",
                "AppLinked",
                "DomainConfirmed", "EmployeeCancelled", "EmployeeErased", "SecurityAdminSucceeded",
            ]
            #expect(Set(decided.map(\.type)) == expected)
            for event in decided { try expectSigned(event, beginning) }
        }
    }

    /// Expects everything that the event says in the statement, and the operator's signature under it.
    private func expectSigned(_ event: RecordedEvent, _ beginning: RecordedEvent) throws {
        let by = try #require(event.data["by"])
        let bytes = try #require(by["statement"]?.text.flatMap(Base64URL.decode), "\(event.type) is not signed")
        let statement = try OperatorStatement(parsing: bytes, expecting: .operatorDecision)
        let signature = try Signature(raw: try #require(by["signature"]?.text.flatMap(Base64URL.decode)))
        let key = try TestOperator.key().publicKey
        try key.verify(signature, over: bytes)
        #expect(by["key"] == .bytes(key.bytes) && statement.context.signer.bytes == key.bytes)
        #expect(statement.context.authority == beginning.leaf && statement.context.tenant == event.ledger.uuid)
        #expect(statement.context.ledgerSize >= 1)
        #expect(statement.action == event.type && statement.schema == event.schema)
        #expect(statement.subject == event.stream.id)
        guard case .object(var members) = event.data else {
            Issue.record("no object")
            return
        }
        members["by"] = nil
        #expect(statement.data == .object(members), "\(event.type)")
    }

    @Test func `at the command line creates an app, changes its secrets and links it`() async throws {
        try await inTurn { world in
            let company = "typed-operator.example"
            _ = try await world.client.found(company)
            let made = try await tenure(["app", "create", "typed", "--role", "ACCESS", "--json"], world)
            #expect(made.status == 0, "\(made)")
            let issued = try StrictJSON.parse(Array(try #require(made.lines.first).utf8))
            let app = try #require(issued["appId"]?.text), secret = try #require(issued["secretId"]?.text)
            #expect(try await tenure(["app", "link", app, company], world).status == 0)
            #expect(try await tenure(["app", "rotate-secret", app, secret], world).status == 0)
            #expect(try await tenure(["company", "confirm-domain", company], world).status == 0)
            let unsigned = try await tenure(["app", "link", app, company, "--remove"], world, operatorKey: "")
            #expect(unsigned.status == 64, "\(unsigned)")
            #expect(try await tenure(["app", "link", app, company, "--remove"], world).status == 0)
        }
    }

    @Test func `is not made if the secret that it issues could not be written`() async throws {
        try await inTurn { world in
            let made = try await tenure(["app", "create", "kept", "--role", "ACCESS", "--json"], world)
            let issued = try StrictJSON.parse(Array(try #require(made.lines.first).utf8))
            let app = try #require(issued["appId"]?.text), secret = try #require(issued["secretId"]?.text)
            let before = try await tenure(["app", "list", "--json"], world).lines
            for arguments in [
                ["create", "lost", "--role", "ACCESS", "--json"], ["create", "lost", "--role", "ACCESS"],
                ["rotate-secret", app, secret, "--json"], ["rotate-secret", app, secret, "--keep"],
                ["add-role", app, "--role", "CREATION"],
            ] {
                let refused = try await tenure(
                    ["app"] + arguments, world, keepsErrors: true, output: "/dev/full")
                #expect(refused.status == 1, "\(refused)")
                #expect(refused.lines.joined().contains("no secret was issued"), "\(refused)")
            }
            #expect(try await tenure(["app", "list", "--json"], world).lines == before)
            // A name that is taken spares the caller a secret that opens nothing.
            let taken = try await tenure(["app", "create", "kept", "--role", "ACCESS", "--json"], world)
            #expect(taken.status == 64 && taken.lines.isEmpty, "\(taken)")
        }
    }

    @Test func `at the command line adds, lists and removes resources of an app`() async throws {
        try await inTurn { world in
            let made = try await tenure(["app", "create", "resources", "--role", "ACCESS"], world, keepsErrors: true)
            #expect(made.status == 0, "\(made)")
            let app = try #require(
                made.lines.first { $0.hasPrefix("appId") }?.split(separator: " ").last.map(String.init))
            #expect(made.lines.contains("  tenure app link \(app) COMPANY"), "the next command is shown")
            let quiet = try await tenure(
                ["app", "create", "quiet", "--role", "ACCESS", "--json"], world, keepsErrors: true)
            #expect(!quiet.lines.joined().contains("tenure app link"))

            let (first, second) = ("https://api.example.com/", "urn:example:harbour")
            for uri in [second, first, first] {
                #expect(try await tenure(["app", "add-resource", app, uri], world).status == 0)
            }
            #expect(try await resources(of: app, world) == [.string(first), .string(second)])
            let table = try await tenure(["app", "list"], world)
            #expect(table.lines.contains { $0.hasSuffix("  \(first)") && $0.contains("ACCESS") }, "\(table)")
            #expect(table.lines.contains { $0.hasSuffix(" \(second)") }, "\(table)")

            #expect(try await tenure(["app", "remove-resource", app, first], world).status == 0)
            #expect(try await resources(of: app, world) == [.string(second)])
            for (arguments, status, words) in [
                (["remove-resource", app, first], 64, "the app has no such resource"),
                (["add-resource", app, "api.example.com"], 64, "the URI has no scheme"),
                (["add-resource", app, "https://api.example.com/#part"], 64, "the URI has a fragment"),
                (["add-resource", UUID().uuidString, first], 6, "app.unknown"),
            ] as [([String], Int32, String)] {
                let refused = try await tenure(["app"] + arguments, world, keepsErrors: true)
                #expect(refused.status == status && refused.lines.joined().contains(words), "\(refused)")
            }
            #expect(try await tenure(["verify"], world).status == 0)
        }
    }

    @Test func `at the command line registers a client and replaces what was registered`() async throws {
        try await inTurn { world in
            let company = "client-operator.example"
            _ = try await world.client.found(company)
            let made = try await tenure(["app", "create", "client", "--role", "ACCESS", "--json"], world)
            let issued = try StrictJSON.parse(Array(try #require(made.lines.first).utf8))
            let app = try #require(issued["appId"]?.text), redirect = "https://app.example.com/callback"
            #expect(try await listed(app, world)["client"] == nil)
            let first = ["app", "client", app, "--redirect", redirect, "--tenant", company, "--consent", "once"]
            #expect(try await tenure(first, world).status == 0)
            let client = try #require(try await listed(app, world)["client"])
            #expect(client["redirects"]?.items == [.string(redirect)] && client["consent"] == "once")
            #expect(client["tenants"]?.items.count == 1 && client["anyTenant"] == false && client["idToken"] == "RS256")
            let again = try await tenure(first, world, keepsErrors: true)
            #expect(again.status == 0 && again.lines.joined().contains("Nothing changed"), "\(again)")

            let second = ["app", "client", app, "--redirect", redirect, "--any-tenant", "--public"]
            #expect(try await tenure(second, world).status == 0)
            let replaced = try #require(try await listed(app, world)["client"])
            #expect(replaced["tenants"] == nil && replaced["public"] == true && replaced["consent"] == "none")
            for (arguments, status, words) in [
                ([app, "--redirect", "http://app.example.com/"], 64, "http is accepted for 127.0.0.1"),
                ([app, "--redirect", redirect + "#"], 64, "the URI has a fragment"),
                ([app, "--redirect", redirect, "--origin", "https://app.example.com/"], 64, "an origin is a scheme"),
                ([app, "--redirect", redirect, "--id-token", "none"], 64, "RS256 or ES256 is expected"),
                ([app, "--redirect", redirect, "--tenant", "unknown.example"], 6, "company.unknown"),
                ([app, "--redirect", redirect, "--tenant", company, "--any-tenant"], 64, "takes no --tenant"),
                ([app], 64, "--redirect"),
                ([UUID().uuidString, "--redirect", redirect], 6, "app.unknown"),
            ] as [([String], Int32, String)] {
                let refused = try await tenure(["app", "client"] + arguments, world, keepsErrors: true)
                #expect(refused.status == status && refused.lines.joined().contains(words), "\(refused)")
            }
            #expect(try await tenure(["verify"], world).status == 0)
        }
    }

    @Test func `at the command line creates a client with its links in one command, or leaves nothing`() async throws {
        try await inTurn { world in
            let (company, redirect) = ("created-client.example", "https://app.example.com/callback")
            _ = try await world.client.found(company)
            let create = ["app", "client", "--create", "Created", "--redirect", redirect]
            let before = try await tenure(["app", "list", "--json"], world).lines
            let ledger = try await world.ledger(company), size = try await self.size(of: ledger, world)
            for (arguments, status, words) in [
                (["--tenant", company, "--tenant", "unknown.example"], 6, "company.unknown"),
                (["--tenant", company, "--redirect", redirect + "#"], 64, "the URI has a fragment"),
                (["--tenant", company, "--pages"], 6, "not enabled"),
                (["--pages"], 64, "--pages needs --tenant"), ([UUID().uuidString], 64, "--create"),
            ] as [([String], Int32, String)] {
                let refused = try await tenure(create + arguments, world, keepsErrors: true)
                #expect(refused.status == status && refused.lines.joined().contains(words), "\(refused)")
            }
            let lost = try await tenure(
                create + ["--tenant", company, "--json"], world, keepsErrors: true, output: "/dev/full")
            #expect(lost.status == 1 && lost.lines.joined().contains("no secret was issued"), "\(lost)")
            #expect(try await tenure(["app", "list", "--json"], world).lines == before)
            #expect(try await self.size(of: ledger, world) == size)

            _ = try await world.instance.commands.enablePages()
            let made = try await tenure(create + ["--tenant", company, "--pages", "--json"], world)
            #expect(made.status == 0, "\(made)")
            let issued = try StrictJSON.parse(Array(try #require(made.lines.first).utf8))
            let app = try #require(issued["appId"]?.text)
            #expect(issued["appSecret"]?.text != nil)
            #expect(try await listed(app, world)["client"]?["redirects"]?.items == [.string(redirect)])
            #expect(try await self.size(of: ledger, world) == size + 2, "a link of the client and one of the pages")
            let again = try await tenure(["app", "link", app, company], world, keepsErrors: true)
            #expect(again.lines == ["Nothing changed: linked, with the roles ACCESS."], "\(again)")
            // A name that is taken leaves nothing either.
            #expect(try await tenure(create + ["--tenant", company], world).status == 64)
            #expect(try await self.size(of: ledger, world) == size + 2)
            #expect(try await tenure(["verify"], world).status == 0)
        }
    }

    @Test func `at the command line ends an app, whose name another app may have then`() async throws {
        try await inTurn { world in
            let company = "ended-app.example"
            let owner = try await world.client.found(company)
            let app = try await world.makeApp(name: "Half made")
            try await world.linkApp(app, to: company)
            let client = try world.client.by(app)
            expectOutcome(try await client.logIn(owner.person, owner.device), "success")
            // Nobody is asked without a terminal, but told what would happen.
            let main = try #require(UUID(uuidString: world.app.appId))
            for (isOnly, count) in [(true, 1), (false, 0)] {
                if isOnly {
                    #expect(try await world.instance.commands.unlinkApp(main, from: company))
                } else {
                    try await world.linkApp(world.app, to: company)
                }
                // The projection follows within a moment.
                try await world.until {
                    let asked = try await tenure(["app", "end", app.appId], world, keepsErrors: true)
                    try #require(asked.status == 64, "\(asked)")
                    return asked.lines.count { $0.contains(company) } == count
                }
            }
            #expect(try await tenure(["app", "end", app.appId, "--yes"], world, operatorKey: "").status == 64)
            let ended = try await tenure(["app", "end", app.appId, "--yes"], world, keepsErrors: true)
            #expect(ended.status == 0 && ended.lines == ["Ended. Its name is free."], "\(ended)")
            #expect(try await !tenure(["app", "list", "--json"], world).lines.joined().contains(app.appId))
            #expect(try await client.get("/v1/companies/\(company)", by: .app(app)).code == "app.unknown")
            for arguments in [["end", app.appId, "--yes"], ["link", app.appId, company]] {
                #expect(try await tenure(["app"] + arguments, world).status == 6, "\(arguments)")
            }
            // The company may remove what is left of it.
            #expect(try await tenure(["app", "link", app.appId, company, "--remove"], world).status == 0)
            #expect(try await tenure(["app", "create", "Half made", "--role", "ACCESS", "--json"], world).status == 0)
            #expect(try await tenure(["verify"], world).status == 0)
            let pages = try await world.instance.commands.enablePages().view.appId
            let refused = try await tenure(["app", "end", pages.uuidString, "--yes"], world, keepsErrors: true)
            #expect(refused.status == 64 && refused.lines.joined().contains("tenure pages disable"), "\(refused)")
        }
    }

    /// The number of events in a ledger.
    private func size(of ledger: LedgerID, _ world: TenureWorld) async throws -> Int64 {
        try await world.database.withPool(as: .reader) { pool in
            try await LedgerReader(pool: pool, codes: .unchecked, storesTiles: false).ledger(ledger, limit: 1).size
        }
    }

    /// The resources of an app as `tenure app list --json` says them.
    private func resources(of app: String, _ world: TenureWorld) async throws -> [JSONValue] {
        try #require(try await listed(app, world)["resources"]).items
    }

    /// An app as `tenure app list --json` says it.
    private func listed(_ app: String, _ world: TenureWorld) async throws -> JSONValue {
        let listed = try await tenure(["app", "list", "--json"], world)
        let apps = try listed.lines.filter { !$0.isEmpty }.map { try StrictJSON.parse(Array($0.utf8)) }
        return try #require(apps.first { $0["appId"]?.text == app })
    }

    private func tenure(
        _ arguments: [String], _ world: TenureWorld, operatorKey: String? = nil, keepsErrors: Bool = false,
        output: String? = nil
    ) async throws -> (status: Int32, lines: [String]) {
        try await ChildProcess(
            "tenure", arguments, outputFile: output,
            environment: [
                "TENURE_DATABASE_URL": world.database.url(as: .application),
                "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
                "TENURE_MASTER_KEY_FILE": world.keyFile.path,
                "TENURE_OPERATOR_KEY_FILE": operatorKey ?? world.operatorKeyFile, "SWIFT_BACKTRACE": "enable=no",
            ], keepsErrors: keepsErrors
        ).finish()
    }
}

/// What a command of the operator says of names that nobody has.
@Suite(.onServer, .sharedWorld)
struct `An operator who mistypes a name` {
    @Test(arguments: [
        (company: "words.example", "There is no such employee (employee.unknown)"),
        (company: "no-words.example", "There is no such company (company.unknown)"),
    ])
    func `gets a message and the exit code for not found`(
        company: String, words: String
    ) async throws {
        let world = try sharedWorld()
        if company == "words.example" { _ = try await world.client.found(company) }
        let (status, lines) = try await ChildProcess(
            "tenure", ["company", "succeed", company, "nobody"],
            environment: [
                "TENURE_DATABASE_URL": world.database.url(as: .application),
                "TENURE_MASTER_KEY_FILE": world.keyFile.path, "SWIFT_BACKTRACE": "enable=no",
            ], keepsErrors: true
        ).finish()
        #expect(status == 6)
        #expect(lines.contains { $0.contains(words) }, "\(lines)")
    }
}
