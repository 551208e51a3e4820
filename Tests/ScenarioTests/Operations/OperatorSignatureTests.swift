import Canonical
import Credentials
import Foundation
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
            try await world.confirmDomain(of: company)
            try await world.erase(leaver.person)
            try await world.succeedSecurityAdmin(of: company, by: colleague.person.id, on: colleague.device)
            withExtendedLifetime(founder) {}

            let ledger = try await world.ledger(company)
            let events = try await world.database.withPool(as: .reader) { pool in
                let reader = LedgerReader(pool: pool, storesTiles: false)
                return try await reader.ledger(ledger, limit: 1_000).events
                    + reader.ledger(.system, limit: 1_000).events
            }
            let beginning = try #require(events.first { $0.type == "SystemFounded" })
            let decided = events.filter { $0.data["by"]?["kind"] == .string("operator") }
            let expected: Set = [
                "AppRegistered", "AppSecretIssued", "AppLinked", "DomainConfirmed", "EmployeeCancelled",
                "EmployeeErased", "SecurityAdminSucceeded",
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

    private func tenure(
        _ arguments: [String], _ world: TenureWorld, operatorKey: String? = nil
    ) async throws -> (status: Int32, lines: [String]) {
        try await ChildProcess(
            "tenure", arguments,
            environment: [
                "TENURE_DATABASE_URL": world.database.url(as: .application),
                "TENURE_MASTER_KEY_FILE": world.keyFile.path,
                "TENURE_OPERATOR_KEY_FILE": operatorKey ?? world.operatorKeyFile, "SWIFT_BACKTRACE": "enable=no",
            ]
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
