import Canonical
import Foundation
import Ledger
import Postgres
import Testing
import TestSupport

/// Somebody who may run any SQL as the service's role, and has no key.
struct DatabaseWriter: Sendable {
    let world: TenureWorld

    /// Runs a statement over the rows of all ledgers.
    @discardableResult
    func run(_ statement: SQL) async throws -> [PostgresRow] {
        let ledgers = try await world.superuser { connection in
            try await connection.query(
                """
                SELECT array_agg(l.ledger_id) FROM (
                    SELECT ledger_id FROM tenure.ledger UNION SELECT ledger_id FROM tenure.claim) AS l
                """)
        }
        let all = try #require(try ledgers.first?.decode([UUID].self)).map(\.uuidString)
        let scope = "{\(all.joined(separator: ",").lowercased())}"
        var connection = try await world.database.connect(as: .application)
        defer { connection.close() }
        return try await connection.pipeline([
            "BEGIN", "SELECT tenure.enter_scope(\(scope), true)", statement, "COMMIT",
        ])[2]
    }

    /// How many rows of a table the service refused.
    func refused(_ table: String) async throws -> Int {
        let prefix = "tenure_unauthentic_rows_total{table=\"\(table)\"} "
        let line = await world.instance.metrics().split(separator: "\n").first { $0.hasPrefix(prefix) }
        return Int(line?.dropFirst(prefix.count) ?? "") ?? 0
    }
}

@Suite(.onServer)
struct `Whoever writes the database` {
    private func session(of member: Member) throws -> (tenant: UUID, id: UUID) {
        let bytes = try #require(Base64URL.decode(member.refreshToken))
        return (
            try #require(UUID(bytes: Array(bytes[0..<16]))), try #require(UUID(bytes: Array(bytes[16..<32])))
        )
    }

    private func refresh(_ member: Member, _ client: Client) async throws -> HTTPReply {
        try await client.post(
            "/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .app(client.app))
    }

    @Test func `makes nobody the security admin by an edit of a session`() async throws {
        try await inTurn { world in
            let client = try world.client, writer = DatabaseWriter(world: world)
            let founder = try await client.found("edited.example")
            let member = try await client.join(Person("second", at: "edited.example"))
            let (mine, theirs) = (try session(of: member), try session(of: founder))
            try await writer.run(
                """
                UPDATE tenure.session AS s SET employee_id = f.employee_id, fingerprint = f.fingerprint
                FROM tenure.session AS f WHERE s.ledger_id = \(mine.tenant) AND s.session_id = \(mine.id)
                    AND f.ledger_id = s.ledger_id AND f.session_id = \(theirs.id)
                """)
            try expectProblem(try await client.get("/v1/me", by: member.session), "session.invalid")
            try expectProblem(try await refresh(member, client), "session.invalid")
            #expect(try await client.get("/v1/me", by: founder.session).status == 200)
            #expect(try await writer.refused("session") >= 2)
            #expect(world.logs.contains { $0.contains("did not write") && $0.contains("table=session") })
        }
    }

    @Test(arguments: [
        "access_expires_at = access_expires_at + interval '1 day'", "ends_at = ends_at + interval '1 day'",
        "refresh_counter = refresh_counter + 1", "tenant_version = tenant_version + 100", "methods = 'pop pwd mfa x'",
        "used_at = now()",
        "app_id = gen_random_uuid()", "secret_id = gen_random_uuid()", "created_at = created_at + interval '1 second'",
        "refresh_expires_at = refresh_expires_at + interval '1 day'", "mac = ''", "mac = decode('00', 'hex')",
    ])
    func `changes no column of a session`(change: String) async throws {
        try await inTurn { world in
            let client = try world.client
            let member = try await client.found("column.example")
            try await DatabaseWriter(world: world).run("UPDATE tenure.session SET \(unsafeSQL: change)")
            try expectProblem(try await client.get("/v1/me", by: member.session), "session.invalid")
            try expectProblem(try await refresh(member, client), "session.invalid")
            expectOutcome(try await client.logIn(member.person, member.device), "success")
        }
    }

    @Test func `puts one session in the place of another in vain`() async throws {
        try await inTurn { world in
            let client = try world.client
            let founder = try await client.found("swapped.example")
            let member = try await client.join(Person("second", at: "swapped.example"))
            let (mine, theirs) = (try session(of: member), try session(of: founder))
            let columns: SQL = """
                employee_id, fingerprint, access_digest, access_expires_at, refresh_expires_at, created_at, ends_at, app_id,
                secret_id, tenant_version, refresh_counter, methods, used_at, mac
                """
            try await DatabaseWriter(world: world).run(
                """
                WITH gone AS (DELETE FROM tenure.session WHERE session_id = \(mine.id) RETURNING 1)
                INSERT INTO tenure.session (ledger_id, session_id, \(columns))
                SELECT s.ledger_id, \(UUID()), \(columns) FROM tenure.session AS s, gone WHERE s.session_id = \(theirs.id)
                UNION ALL
                SELECT s.ledger_id, \(UUID()), \(columns) FROM tenure.session AS s, gone WHERE s.session_id = \(theirs.id)
                """)
            try expectProblem(try await client.get("/v1/me", by: member.session), "session.invalid")
            let listed = try await client.get("/v1/sessions", by: founder.session)["items"]?.items ?? []
            #expect(listed.count == 1)
        }
    }

    @Test func `brings an ended session back for the life of an access token at most`() async throws {
        try await inTurn { world in
            let client = try world.client, writer = DatabaseWriter(world: world)
            let member = try await client.found("risen.example")
            let id = try session(of: member).id
            // tenure_app has no tables of its own: the attacker keeps the row elsewhere.
            try await world.superuser { connection in
                try await connection.executeScript(
                    """
                    CREATE TABLE public.kept AS SELECT * FROM tenure.session;
                    GRANT SELECT ON public.kept TO tenure_app;
                    """)
            }
            let closed = try await client.send(client.request("DELETE", "/v1/sessions/current", by: member.session))
            #expect(closed.status == 204)
            try await writer.run("INSERT INTO tenure.session SELECT * FROM public.kept WHERE session_id = \(id)")
            try expectProblem(try await refresh(member, client), "session.invalid")
            try expectProblem(try await client.get("/v1/me", by: member.session), "session.invalid")
            #expect(try await writer.refused("session") == 1)
        }
    }

    @Test(arguments: ["DELETE FROM tenure.session_cutoff", "UPDATE tenure.session_cutoff SET tenant_version = 0"])
    func `does not save the session of an unlinked app or a revoked secret`(attack: String) async throws {
        try await inTurn { world in
            let client = try world.client, writer = DatabaseWriter(world: world)
            let company = "cutoff.example"
            let founder = try await client.found(company)
            let other = try await world.makeApp(name: "other")
            try await world.linkApp(other, to: company)
            let joined = try await client.join(Person("second", at: company))
            let member = try Member(
                joined.person, joined.device, try await client.by(other).logIn(joined.person, joined.device))
            let path = client.path(company, "/apps/\(other.appId.lowercased())")
            expectOutcome(try await client.signed(by: founder, "DELETE", path), "done")
            try await writer.run("\(unsafeSQL: attack)")
            let reply = try await client.by(other).post(
                "/v1/sessions/refresh", ["refreshToken": .string(member.refreshToken)], by: .app(other))
            try expectProblem(reply, "session.invalid")
            let closed = try await client.events(company, "type=SessionClosed")
            #expect(closed.compactMap { $0["data"]?["reason"]?.text } == ["appUnlinked"])
        }
    }

    @Test(arguments: ["owner = gen_random_uuid()", "mac = NULL", "mac = decode('ff', 'hex')"])
    func `gives nobody's name to somebody else by an edit of a claim`(change: String) async throws {
        try await inTurn { world in
            let client = try world.client, writer = DatabaseWriter(world: world)
            let member = try await client.found("claims.example")
            // The role may not update a claim but for its code, so the row is written again.
            if change.hasPrefix("mac") {
                try await writer.run("UPDATE tenure.claim SET \(unsafeSQL: change) WHERE kind = 'employee'")
            } else {
                try await writer.run(
                    """
                    WITH gone AS (DELETE FROM tenure.claim WHERE kind = 'employee'
                        RETURNING ledger_id, kind, key, value, expires_at, mac)
                    INSERT INTO tenure.claim (ledger_id, kind, key, owner, value, expires_at, mac)
                    SELECT g.ledger_id, g.kind, g.key, gen_random_uuid(), g.value, g.expires_at, g.mac FROM gone AS g
                    """)
            }
            // The name is unknown then, and known names look the same.
            let reply = try await client.logIn(member.person, member.device)
            #expect(reply.outcome != "success", "\(reply)")
            #expect(try await writer.refused("claim") >= 1)
        }
    }
}
