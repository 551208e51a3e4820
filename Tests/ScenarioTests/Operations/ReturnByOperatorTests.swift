import Canonical
import Foundation
import Keys
import Testing
import TestSupport

/// The operator brings a security admin back who lost every device.
@Suite(.onServer)
struct `A security admin who lost the only device` {
    @Test func `is brought back by the operator with one statement that names the new key`() async throws {
        try await inTurn { world in
            let client = try world.client, company = "lost-founder.example"
            let founder = try await client.found(company)
            let device = Device()
            expectOutcome(try await client.logIn(founder.person, device), "authorizationPending")
            let done = try await succeed(company, founder.person.id, ["--key", device.fingerprint], world)
            #expect(done.status == 0, "\(done)")
            // The new device is in force and carries the role; the lost one logs in, but signs nothing as admin.
            try expectProblem(try await client.get("/v1/sessions", by: founder.session), "session.invalid")
            let back = try Member(founder.person, device, try await client.logIn(founder.person, device))
            let colleague = try await client.join(Person("colleague", at: company))
            try await client.appoint(colleague, by: back)
            let old = try Member(
                founder.person, founder.device, try await client.logIn(founder.person, founder.device))
            try expectProblem(
                try await client.signed(by: old, "PATCH", client.path(company, "/policy"), ["blindOnly": true]),
                "authorization.not_permitted")
            let events = try await client.events(company)
            let named = try #require(events.first { $0["type"]?.text == "SecurityAdminSucceeded" })
            let authorized = try #require(events.last { $0["data"]?["by"]?["kind"]?.text == "operator" })
            #expect(authorized["type"]?.text == "EmployeeKeyAuthorized")
            #expect(authorized["data"]?["by"] == named["data"]?["by"], "one signed statement")
            #expect(try await verify(world) == 0)
        }
    }

    @Test func `is told when a succession would change nothing`() async throws {
        try await inTurn { world in
            let client = try world.client, company = "present-founder.example"
            let founder = try await client.found(company)
            let before = try await client.events(company).count
            for keys in [[], ["--key", founder.device.fingerprint]] {
                let refused = try await succeed(company, founder.person.id, keys, world)
                #expect(refused.status == 1, "\(refused)")
                #expect(refused.lines.joined().contains("changes nothing"), "\(refused)")
            }
            let unknown = try await succeed(company, founder.person.id, ["--key", Device().fingerprint], world)
            #expect(unknown.status == 6, "\(unknown)")
            #expect(try await client.events(company).count == before)
        }
    }

    private func succeed(
        _ company: String, _ employee: String, _ keys: [String], _ world: TenureWorld
    ) async throws -> (status: Int32, lines: [String]) {
        try await tenure(["company", "succeed", company, employee] + keys, world)
    }

    private func verify(_ world: TenureWorld) async throws -> Int32 { try await tenure(["verify"], world).status }

    private func tenure(
        _ arguments: [String], _ world: TenureWorld
    ) async throws -> (status: Int32, lines: [String]) {
        try await ChildProcess(
            "tenure", arguments,
            environment: [
                "TENURE_DATABASE_URL": world.database.url(as: .application),
                "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
                "TENURE_MASTER_KEY_FILE": world.keyFile.path,
                "TENURE_OPERATOR_KEY_FILE": world.operatorKeyFile, "SWIFT_BACKTRACE": "enable=no",
            ], keepsErrors: true
        ).finish()
    }
}
