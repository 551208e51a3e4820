import Canonical
import IdentityService
import Keys
import Postgres
import Testing
import TestSupport

/// `tenure mail`, as a process.
@Suite(.onServer)
struct `The commands about mails` {
    private func tenure(_ arguments: [String], _ world: TenureWorld) async throws -> (status: Int32, lines: [String]) {
        let environment = [
            "TENURE_DATABASE_URL": world.database.url(as: .application),
            "TENURE_READER_DATABASE_URL": world.database.url(as: .reader),
            "TENURE_MASTER_KEY_FILE": world.keyFile.path, "SWIFT_BACKTRACE": "enable=no",
        ]
        return try await ChildProcess("tenure", ["mail"] + arguments, environment: environment).finish()
    }

    @Test func `list what waits without an address, retry and drop it`() async throws {
        var options = WorldOptions()
        // Nothing takes the mails, so they wait.
        options.settings.mail = MailSettings(publicURL: "https://id.example", sender: "tenure@id.example")
        try await inTurn(options) { world in
            let client = try world.client, founder = try await client.found("waiting.example")
            #expect(try await tenure(["list"], world) == (0, []))
            for _ in 0..<2 {
                expectOutcome(try await client.post("/v1/me/email-verification", by: founder.session), "sent")
            }
            let listed = try await tenure(["list", "--json"], world)
            #expect(listed.status == 0 && listed.lines.count == 2)
            let mails = try listed.lines.map { try StrictJSON.parse(Array($0.utf8)) }
            #expect(mails.allSatisfy { $0["kind"]?.text == "verify" && $0["attempts"] == .integer(0) })
            #expect(!listed.lines.contains { $0.contains("@") })
            let id = try #require(mails.first?["mailId"]?.text)
            #expect(try await tenure(["list"], world).lines.contains { $0.contains(id) })

            #expect(try await tenure(["retry"], world).status == 64)
            #expect(try await tenure(["retry", id, "--all"], world).status == 64)
            #expect(try await tenure(["drop", "x"], world).status == 64)
            try await world.superuser { connection in
                _ = try await connection.execute(
                    "UPDATE tenure.mail_outbox SET next_try = next_try + interval '1 hour'")
            }
            #expect(try await tenure(["retry", "--all"], world).status == 0)
            let due: SQL = "SELECT count(*) FROM tenure.mail_outbox WHERE next_try <= now()"
            #expect(try await world.number(due) == 2)

            #expect(try await tenure(["drop", id], world).status == 0)
            #expect(try await tenure(["drop", id], world).status == 6)
            #expect(try await tenure(["retry", id], world).status == 6)
            #expect(try await tenure(["list", "--json"], world).lines.count == 1)
            #expect(try await world.count("MailFailed") == 1)
        }
    }
}
