import ArgumentParser
@testable import IdentityService
import Postgres
import Testing
import TestSupport
@testable import tenure

/// What an operator reads when a database cannot be brought to this version.
@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct DatabaseMigrationTests {
    /// Changes the table of migrations, and returns what `tenure migrate` then says.
    private func refusal(after change: String) async throws -> CommandFailure? {
        try await TestDatabase.with { database in
            var connection = try await database.connect(as: .superuser)
            try await connection.executeScript(change)
            do {
                _ = try await DatabaseMigration.run(
                    database.configuration(as: .superuser), logger: TestServer.logger())
                return nil
            } catch {
                return CommandFailure(describing: error)
            }
        }
    }

    @Test func `a current database is accepted`() async throws {
        #expect(try await refusal(after: "SELECT 1") == nil)
    }

    @Test(arguments: [
        "UPDATE tenure_migration SET name = 'm004_service' WHERE name = 'm004_append_types'",
        "UPDATE tenure_migration SET checksum = sha256('another text') WHERE name = 'm004_append_types'",
        """
        UPDATE tenure_migration SET checksum = sha256(checksum);
        INSERT INTO tenure_migration VALUES ('m004_service', sha256(''))
        """,
    ])
    func `a database with another history is refused with the way to start again`(change: String) async throws {
        let failure = try #require(try await refusal(after: change))
        #expect(failure.exitCode == .failure)
        #expect(failure.message.contains("historyMismatch"))
        #expect(failure.remedy?.contains("make reset") == true)
    }

    @Test func `a database of a newer version asks for that version`() async throws {
        let change = "INSERT INTO tenure_migration VALUES ('m999_later', sha256(''))"
        let failure = try #require(try await refusal(after: change))
        #expect(failure.message.contains("unknownMigration") && failure.message.contains("m999_later"))
        #expect(failure.remedy?.hasPrefix("Use the newer version.") == true)
    }
}

/// What `tenure doctor` says about objects that belong to the wrong role.
@Suite struct OwnershipFindingTests {
    @Test func `a schema that belongs to its owner is good`() {
        #expect(Examination.findings(SchemaOwnership(foreign: [])).map(\.verdict) == [.good])
    }

    @Test(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
    func `a table and a function of other roles are named with a remedy`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(as: .reader, maximumConnections: 1) { pool in
                let before = try await SchemaOwnership.read(pool)
                #expect(before.foreign == [])
                var superuser = try await database.connect(as: .superuser)
                try await superuser.executeScript(
                    """
                    ALTER TABLE tenure.claim OWNER TO tenure_reader;
                    ALTER FUNCTION tenure.require(boolean) OWNER TO tenure_app
                    """)
                let found = Examination.findings(try await SchemaOwnership.read(pool))
                #expect(
                    found.map(\.detail) == [
                        "tenure.claim belongs to tenure_reader", "tenure.require(boolean) belongs to tenure_app",
                    ])
                #expect(found.map(\.verdict) == [.bad, .bad])
                let remedies = found.compactMap(\.remedy)
                #expect(remedies.count == 2 && remedies[0].contains("ALTER TABLE tenure.claim"))
                #expect(remedies.count == 2 && remedies[1].contains("tenure migrate as a superuser"))
            }
        }
    }
}

/// What `tenure doctor` says about functions that this version did not make.
@Suite struct SchemaTextsTests {
    @Test(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
    func `a replaced function, a foreign one, a trigger and a rule are named`() async throws {
        try await TestDatabase.with { database in
            try await database.withPool(as: .reader, maximumConnections: 1) { pool in
                let before = Examination.findings(try await SchemaTexts.read(pool))
                #expect(before.map(\.verdict) == [.good], "\(before)")
                var superuser = try await database.connect(as: .superuser)
                try await superuser.executeScript(
                    """
                    CREATE OR REPLACE FUNCTION tenure.require(_condition boolean) RETURNS boolean LANGUAGE plpgsql
                    AS $body$ BEGIN RETURN true; END $body$;
                    CREATE FUNCTION tenure.other() RETURNS trigger LANGUAGE plpgsql AS $body$ BEGIN RETURN NEW; END $body$;
                    CREATE TRIGGER watch BEFORE INSERT ON tenure.event FOR EACH ROW EXECUTE FUNCTION tenure.other();
                    CREATE RULE lose AS ON DELETE TO tenure.claim DO INSTEAD NOTHING;
                    CREATE POLICY hide ON tenure.event AS RESTRICTIVE TO tenure_app USING (type <> 'EmployeeCancelled');
                    CREATE POLICY claim_more ON tenure.claim TO tenure_app USING (true);
                    ALTER POLICY session_of_ledgers ON tenure.session USING (true);
                    ALTER POLICY ledger_for_reader ON tenure.ledger TO tenure_app;
                    ALTER TABLE tenure.event DROP CONSTRAINT event_stream_key, DROP CONSTRAINT event_time;
                    CREATE INDEX event_short ON tenure.event (stream_id) WHERE type <> 'EmployeeCancelled';
                    ALTER TABLE tenure.flow SET UNLOGGED;
                    ALTER TABLE tenure.session NO FORCE ROW LEVEL SECURITY;
                    ALTER FUNCTION tenure.make_heads(uuid[]) SECURITY DEFINER;
                    ALTER FUNCTION tenure.lock_heads(uuid[]) SET search_path = evil, pg_catalog
                    """)
                let found = Examination.findings(try await SchemaTexts.read(pool))
                #expect(
                    found.map(\.detail) == [
                        "constraint event_stream_key is missing", "constraint event_time is missing",
                        "index tenure.event_short is not this version's",
                        "policy claim_more of tenure.claim is not this version's",
                        "policy hide of tenure.event is not this version's",
                        "policy ledger_for_reader of tenure.ledger is not this version's",
                        "policy session_of_ledgers of tenure.session is not this version's",
                        "rule lose of tenure.claim is not this version's",
                        "table tenure.flow is not this version's", "table tenure.session is not this version's",
                        "tenure.lock_heads(uuid[]) is not this version's",
                        "tenure.make_heads(uuid[]) is not this version's",
                        "tenure.other() is not this version's", "tenure.require(boolean) is not this version's",
                        "trigger watch of tenure.event is not this version's",
                    ])
                #expect(found.allSatisfy { $0.verdict == .bad && $0.remedy != nil })
            }
        }
    }
}

@Suite struct DurabilityFindingTests {
    private func findings(fsync: Bool = true, commit: String = "on", pages: Bool = true) -> [Finding] {
        Examination.findings(Durability(fsync: fsync, synchronousCommit: commit, fullPageWrites: pages))
    }

    @Test(arguments: ["on", "local", "remote_write", "remote_apply"])
    func `a database with durable commits is good`(commit: String) {
        let found = findings(commit: commit)
        #expect(found.map(\.verdict) == [.good])
        #expect(found.allSatisfy { $0.detail.contains(commit) })
    }

    @Test func `a server without durable commits is bad, because it loses acknowledged events`() {
        let found = findings(fsync: false)
        #expect(found.map(\.subject) == ["fsync"])
        #expect(found.allSatisfy { $0.verdict == .bad && $0.remedy != nil })
        #expect(found.allSatisfy { $0.detail.contains("acknowledged events") })
    }

    @Test func `a weak default that the service overrides is a note`() {
        #expect(findings(commit: "off").map(\.subject) == ["synchronous_commit"])
        #expect(findings(commit: "off").map(\.verdict) == [.note])
    }

    @Test func `full_page_writes off is a note, because the file system may compensate`() {
        #expect(findings(pages: false).map(\.subject) == ["full_page_writes"])
        #expect(findings(pages: false).map(\.verdict) == [.note])
    }
}
