import Credentials
import Foundation
import IdentityService
import Keys
import Postgres
import TestSupport
import Testing

/// What becomes of the seed of credentials that were changed, in copies of the database too.
@Suite(.onServer)
struct `The seed that a change destroys` {
    private struct Seed: Sendable {
        let credential: UUID
        let ledger: UUID
        let epoch: Int32
        let wrapped: [UInt8]
        var bucket: Int16 { Int16(Bucket(of: credential).number) }

        init(of member: Member, _ world: TenureWorld) async throws {
            let flow = try await BlindFlow.start(.logins, member.person, member.device, try world.client)
            let credential = try flow.context.credentialId
            self.credential = credential
            let rows = try await world.superuser { connection in
                try await connection.query(
                    """
                    SELECT ledger_id, epoch, wrapped FROM tenure.oprf_seed
                    WHERE credential_id = \(credential) AND purpose = 'answers'
                    """)
            }
            (ledger, epoch, wrapped) = try #require(rows.first).decode(UUID.self, Int32.self, [UInt8].self)
        }
    }

    private func epoch(of seed: Seed, _ world: TenureWorld) async throws -> Int32 {
        let rows = try await world.superuser { connection in
            try await connection.query("SELECT epoch FROM tenure.bucket_key WHERE bucket = \(seed.bucket)")
        }
        return try #require(rows.first).decode(Int32.self)
    }

    private func change(_ member: Member, _ world: TenureWorld) async throws -> Member {
        var new = member.person
        new.passphrase = "the passphrase of afterwards \(Person.word())"
        let reply = try await world.client.change(member.person, to: new, member.device)
        expectOutcome(reply, "success")
        return try Member(new, member.device, reply)
    }

    /// A thief has the rows from before, the live database and the master key file of today.
    @Test func `opens under no current key, and in a backup only with the old master key`()
        async throws
    {
        try await inTurn { world in
            let founder = try await world.client.found("seed.example")
            let old = try await Seed(of: founder, world)
            let backup = try await world.backup()
            let changed = try await change(founder, world)
            #expect(try await world.seeds(of: old.credential) == 0)
            #expect(try await epoch(of: old, world) == old.epoch + 1)

            try await world.database.withPool { pool in
                let seeds = OPRFSeeds(pool: pool, masters: try world.keyFile.load())
                for epoch in [old.epoch, old.epoch + 1] {
                    try await world.superuser { connection in
                        _ = try await connection.execute(
                            """
                            INSERT INTO tenure.oprf_seed (ledger_id, credential_id, purpose, epoch, wrapped)
                            VALUES (\(old.ledger), \(old.credential), 'answers', \(epoch), \(old.wrapped))
                            ON CONFLICT (ledger_id, credential_id, purpose) DO UPDATE SET epoch = EXCLUDED.epoch
                            """)
                    }
                    let error = await #expect(throws: KeysError.self) {
                        _ = try await seeds.load(credentialId: old.credential, ledger: old.ledger)
                    }
                    #expect(error?.code == .wrappingInvalid)
                }
            }
            try await world.superuser { connection in
                _ = try await connection.execute(
                    "DELETE FROM tenure.oprf_seed WHERE credential_id = \(old.credential)")
            }

            let keyTables = backup.filter { ["tenure.oprf_seed", "tenure.bucket_key"].contains($0.name) }
            #expect(keyTables.count == 2)
            // What the documentation says of every destroyed key, and why versions are retired.
            #expect(try await opens(old, keyTables, world))
            try await world.rotateAndRetire()
            #expect(try await opens(old, keyTables, world) == false)
            expectOutcome(try await world.client.logIn(changed.person, changed.device), "success")
        }
    }

    /// Whether a seed opens in a copy of the tables of keys, with the master key file as it is.
    private func opens(_ seed: Seed, _ tables: [BackedUpTable], _ world: TenureWorld) async throws -> Bool {
        let masters = try world.keyFile.load()
        return try await world.restored(tables) { copy in
            try await copy.withPool { pool in
                do {
                    return try await OPRFSeeds(pool: pool, masters: masters)
                        .load(credentialId: seed.credential, ledger: seed.ledger) != nil
                } catch let error as KeysError {
                    #expect(error.code == .masterVersionUnknown)
                    return false
                }
            }
        }
    }

    /// A transaction that fails leaves what a process leaves that died between the change and the re-keying.
    @Test(.onOneServer) func `of a failed re-keying is reported to the operator, and the next process retries`()
        async throws
    {
        try await inTurn { world in
            let founder = try await world.client.found("not-rekeyed.example")
            let old = try await Seed(of: founder, world)
            try await world.superuser { connection in
                try await connection.executeScript(
                    """
                    CREATE FUNCTION public.stop() RETURNS trigger LANGUAGE plpgsql AS
                        $$ BEGIN RAISE EXCEPTION 'stopped'; END $$;
                    CREATE TRIGGER stop BEFORE UPDATE ON tenure.bucket_key
                        FOR EACH STATEMENT EXECUTE FUNCTION public.stop();
                    """)
            }
            let changed = try await change(founder, world)
            #expect(world.logs.contains { $0.contains("the bucket of a replaced credential was not re-keyed") })
            #expect(try await epoch(of: old, world) == old.epoch)
            #expect(try await pending(world) == 1)
            #expect(await world.instance.metrics().contains("\ntenure_pending_rekeyings 1\n"))
            expectOutcome(try await world.client.logIn(changed.person, changed.device), "success")

            try await world.superuser { connection in
                try await connection.executeScript("DROP FUNCTION public.stop CASCADE")
            }
            try await world.withSecondInstance { _ in
                for _ in 0..<1_200 where try await pending(world) > 0 { try await Task.sleep(for: .milliseconds(50)) }
            }
            #expect(try await pending(world) == 0)
            #expect(try await epoch(of: old, world) == old.epoch + 1, "once")
            // What shares the bucket opens still, and another change finds nothing left behind.
            _ = try await change(changed, world)
            #expect(try await pending(world) == 0)
        }
    }

    private func pending(_ world: TenureWorld) async throws -> Int {
        try await world.database.withPool(as: .reader) { try await RekeyingDelay.count(on: $0) }
    }
}
