import Canonical
import Foundation
import IdentityService
import Keys
import Ledger
import Postgres
import TestSupport
import Testing

/// Claims and cutoffs by the log, as an examination finds them and a restore makes them.
@Suite(.onServer)
struct `Claims by the log` {
    private func withLog<Result: Sendable>(
        _ world: TenureWorld, _ body: @Sendable (PostgresPool, PostgresPool, RowsOfLog) async throws -> Result
    ) async throws -> Result {
        try await world.database.withPool(as: .reader) { reader in
            try await world.database.withPool { application in
                let ring = try await KeyRing.load(from: application, masters: world.store)
                let keys = PersonKeys(pool: application, masters: world.store)
                return try await body(
                    application, reader, RowsOfLog(reader: reader, ring: ring, personKeys: keys))
            }
        }
    }

    private func findings(_ world: TenureWorld) async throws -> [RowExamination.Finding] {
        try await withLog(world) { application, reader, log in
            try await RowExamination(reader: reader, application: application, log: log).findings()
        }
    }

    private func run(_ world: TenureWorld, _ sql: String) async throws {
        try await world.superuser { connection in try await connection.executeScript(sql) }
    }

    /// Every kind of claim that needs no D-TA.
    private func people(_ world: TenureWorld) async throws -> (founder: Member, member: Member, company: String) {
        let client = try world.client, company = "by-the-log.example"
        let founder = try await client.found(company)
        let member = try await client.join(Person("second", at: company))
        let leaver = try await client.join(Person("third", at: company))
        _ = try await world.erase(leaver.person)
        return (founder, member, company)
    }

    @Test func `are complete: nothing is missing, foreign or without a code`() async throws {
        try await inTurn { world in
            _ = try await people(world)
            #expect(try await findings(world) == [])
        }
    }

    @Test func `are compared for all others where the stream of somebody is damaged`() async throws {
        try await inTurn { world in
            _ = try await people(world)
            try await run(
                world,
                """
                UPDATE tenure.event SET code = decode(repeat('01', 18), 'hex')
                    WHERE kind = 'employee' AND version = 1 AND (ledger_id, position) IN (
                        SELECT ledger_id, position FROM tenure.event
                        WHERE kind = 'employee' AND version = 1 AND position > 1 LIMIT 1);
                UPDATE tenure.claim SET owner = gen_random_uuid() WHERE kind = 'account';
                """)
            let found = try await findings(world)
            #expect(found.contains { $0.problem == .damaged && $0.table == "event" && $0.count == 1 }, "\(found)")
            #expect(found.contains { $0.problem == .missing && $0.table == "claim" }, "\(found)")
            #expect(!found.contains { $0.problem == .foreign }, "\(found)")
        }
    }

    @Test(arguments: ["DELETE FROM tenure.person_key", "UPDATE tenure.person_key SET wrapped = sha256('x')"])
    func `are compared for all others where the key of somebody is gone or spoilt`(change: String) async throws {
        try await inTurn { world in
            _ = try await people(world)
            try await run(
                world,
                "\(change) WHERE key_id = (SELECT owner FROM tenure.claim WHERE kind = 'address' LIMIT 1)")
            let found = try await findings(world)
            #expect(found.map(\.problem) == [.damaged] && found[0].count == 1, "\(found)")
        }
    }

    @Test func `are made anew after a restore, and sessions end`() async throws {
        try await inTurn { world in
            let (founder, member, company) = try await people(world)
            let client = try world.client
            try await run(
                world,
                """
                DELETE FROM tenure.claim WHERE kind IN ('employee', 'address', 'device') AND owner NOT IN (
                    SELECT stream_id FROM tenure.event WHERE type = 'EmployeeErased');
                UPDATE tenure.claim SET owner = gen_random_uuid() WHERE kind = 'account';
                INSERT INTO tenure.claim (ledger_id, kind, key, owner)
                    SELECT ledger_id, 'employee', sha256('x'), gen_random_uuid() FROM tenure.claim WHERE kind = 'member' LIMIT 1;
                """)
            let problems = Set(try await findings(world).map(\.problem))
            #expect(problems.isSuperset(of: [.missing, .foreign, .wrongCode]), "\(problems)")
            let report = try await withLog(world) { application, _, log in
                try await RowRestoration(pool: application, log: log).rebuild()
            }
            #expect(report.deleted >= 2 && report.unproved == 1, "\(report)")
            #expect(try await findings(world) == [])
            try expectProblem(try await client.get("/v1/me", by: founder.session), "session.invalid")
            expectOutcome(try await client.logIn(member.person, member.device), "success")
            // The id of an erased person is still nobody else's.
            let again = try await client.register(Person("third", at: company), Device())
            #expect(again.code == "employee.already_registered", "\(again)")
        }
    }

    @Test func `are repeated without another effect`() async throws {
        try await inTurn { world in
            _ = try await people(world)
            for _ in 0..<2 {
                let report = try await withLog(world) { application, _, log in
                    try await RowRestoration(pool: application, log: log).rebuild()
                }
                #expect(report.unproved == 0)
            }
            #expect(try await findings(world) == [])
        }
    }
}

@Suite(.onServer)
struct `The command that finishes a restore` {
    @Test func `asks first, then ends all sessions, and says in JSON what it did`() async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.found("restored.example")
            let unconfirmed = try await world.tenure(["restore", "finish"])
            #expect(unconfirmed.status != 0, "\(unconfirmed)")
            #expect(try await client.get("/v1/me", by: founder.session).status == 200)
            let done = try await world.tenure(["restore", "finish", "--yes", "--json"])
            #expect(done.status == 0, "\(done)")
            let report = try StrictJSON.parse(Array(try #require(done.lines.first).utf8))
            #expect(report["unproved"] == .integer(0) && report["claims"] != .integer(0), "\(report)")
            try expectProblem(try await client.get("/v1/me", by: founder.session), "session.invalid")
            expectOutcome(try await client.logIn(founder.person, founder.device), "success")
        }
    }
}

/// What `tenure verify` finds in rows beside the log.
@Suite(.onServer)
struct `Rows that do not agree with the log` {
    private func violations(_ world: TenureWorld) async throws -> [Violation] {
        let request = VerifyRequest(key: try await world.logKey())
        return try await world.database.withPool(as: .reader, maximumConnections: 8) { pool in
            try await VerifyLog(pool: pool, request: request).run()
        }.violations
    }

    @Test func `are a session that was put back and a cutoff that is gone`() async throws {
        try await inTurn { world in
            let client = try world.client
            let company = "rows.example"
            let founder = try await client.found(company)
            let other = try await world.makeApp(name: "other")
            try await world.linkApp(other, to: company)
            let joined = try await client.join(Person("second", at: company))
            _ = try await client.by(other).logIn(joined.person, joined.device)
            #expect(try await violations(world) == [])
            let path = client.path(company, "/apps/\(other.appId.lowercased())")
            expectOutcome(try await client.signed(by: founder, "DELETE", path), "done")
            try await world.superuser { connection in
                try await connection.executeScript(
                    "CREATE TABLE public.kept AS SELECT * FROM tenure.session; DELETE FROM tenure.session_cutoff")
            }
            #expect(try await violations(world).map(\.kind) == [.row])
            _ = try await client.send(client.request("DELETE", "/v1/sessions/current", by: founder.session))
            try await world.superuser { connection in
                try await connection.executeScript(
                    "INSERT INTO tenure.session SELECT * FROM public.kept ON CONFLICT DO NOTHING")
            }
            #expect(try await violations(world).map(\.kind) == [.row, .row])
        }
    }

    @Test func `are attempt budgets that were lowered, at the next charge`() async throws {
        try await inTurn { world in
            let client = try world.client
            let member = try await client.found("lowered.example")
            func guess() async throws {
                let device = Device()
                let flow = try await Flow.logIn(member.person, device, client)
                _ = try await flow.prove(device)
                _ = try await flow.step("passphrase", ["passphrase": "a wrong passphrase"])
            }
            for _ in 0..<4 { try await guess() }
            #expect(try await violations(world) == [])
            try await DatabaseWriter(world: world).run("DELETE FROM tenure.budget")
            #expect(try await violations(world) == [])
            try await guess()
            let found = try await violations(world)
            #expect(found.map(\.kind) == [.row], "\(found)")
        }
    }
}
