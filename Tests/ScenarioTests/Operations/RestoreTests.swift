import Canonical
import Foundation
import IdentityService
import Keys
import Postgres
import TestSupport
import Testing

@Suite(.onServer)
struct `A backup from before an erasure` {
    @Test func `restores no erased person once the erase list is reapplied and its key version destroyed`()
        async throws
    {
        try await inTurn { world in
            let client = try world.client
            _ = try await client.found("backup.example")
            let leaver = try await client.join(Person("leaver-id", at: "backup.example"))
            let stayer = try await client.join(Person("stayer-id", at: "backup.example"))
            let later = Person("later-id", at: "backup.example")
            try await client.settle("backup.example")
            let backup = try await world.backup()
            _ = try await client.join(later)
            try await world.erasing { erasure in
                _ = try await erasure.run(try await erasure.plan(email: leaver.person.email))
                _ = try await erasure.run(try await erasure.plan(email: later.email))
            }

            // Restored as it is, the backup would bring the person back: that is what the list is for.
            let list = try world.eraseList.read()
            let masters = try world.keyFile.load()
            try await world.restored(backup) { copy in
                try await onService(copy, MasterKeyStore(masters), world) { service, instance in
                    let before = try await service.get(service.path(leaver.person))
                    #expect(before["companyEmployeeId"]?.text == "leaver-id", "\(before)")
                    let erased = try await copy.withPool(as: .reader) { reader in
                        let erasure = instance.commands.erasure(
                            reader: reader, masters: MasterKeyStore(masters), list: nil)
                        return try await erasure.reapply(list)
                    }
                    // Who came after the backup is not in it, and nobody to erase.
                    #expect(erased.map(\.kind) == [.user, .employee])
                    try await service.settle("backup.example")
                    let after = try await service.get(service.path(leaver.person))
                    #expect(after.status == 200 && after["companyEmployeeId"] == nil && after["email"] == nil)
                    let other = try await service.get(service.path(stayer.person))
                    #expect(other["companyEmployeeId"]?.text == "stayer-id")
                    expectOutcome(try await service.logIn(stayer.person, stayer.device), "success")
                    let login = try await service.logIn(leaver.person, leaver.device)
                    #expect(login.outcome != "success", "\(login)")
                }
            }

            try await world.rotateAndRetire()
            let kept = try world.keyFile.load()
            #expect(kept.heldVersions == [2])
            try await world.restored(backup) { copy in
                try await copy.withPool { pool in
                    let error = await #expect(throws: KeysError.self) {
                        try await KeyRing.load(from: pool, masters: kept)
                    }
                    #expect(error?.code == .masterVersionUnknown)
                }
                try await expectNothingOpens(copy, [leaver.person.email, leaver.person.id], live: world, kept)
            }
            // The service itself went on all the while.
            expectOutcome(try await client.logIn(stayer.person, stayer.device), "success")
        }
    }

    @Test func `does not open its pending flows without the callers' secrets`() async throws {
        try await inTurn { world in
            let client = try world.client
            let person = Person("under-way", at: "way.example")
            let flow = try await Flow.register(person, Device(), client)
            let handle = try #require(Base64URL.decode(flow.handle))
            let id = try #require(UUID(bytes: Array(handle.prefix(16))))
            let row = try await world.superuser { connection in
                try await connection.query("SELECT sealed FROM tenure.flow WHERE flow_id = \(id)").first
            }
            let sealed = try #require(row).decode([UInt8].self)
            // The flows key of a backup is the one of today; a rotation wraps it again and does not replace it.
            let ring = try await world.database.withPool { pool in
                try await KeyRing.load(from: pool, masters: try world.keyFile.load())
            }
            #expect(throws: KeysError.self) { try ring.openFlow(sealed, id: id) }
            let opened = try ring.openFlow(sealed, id: id, secret: Array(handle.dropFirst(16)))
            #expect(String(decoding: opened, as: UTF8.self).contains("under-way"))
            // Who knows the id alone, from the log, cannot go on with the flow either.
            for other in [handle.prefix(16) + Array(repeating: 0, count: 16), handle.prefix(16)] {
                let stranger = Flow(
                    client: client, kind: .registrations, handle: Base64URL.encode(Array(other)),
                    challenge: flow.challenge)
                try expectProblem(try await stranger.prove(Device()), "flow.expired")
            }
        }
    }

    /// Tries every key of the live database on the keys of the erased in the backup: the bucket keys of today on the
    /// wrapped person keys of then. None opens, and no text is there in clear.
    private func expectNothingOpens(
        _ copy: TestDatabase, _ texts: [String], live world: TenureWorld, _ masters: MasterKeys
    ) async throws {
        var connection = try await copy.connect(as: .superuser)
        let erased = Set(try world.eraseList.read().map(\.id))
        let ids = Array(erased)
        let rows = try await connection.query(
            "SELECT ledger_id, key_id, bucket, epoch, wrapped FROM tenure.person_key WHERE key_id = ANY (\(ids))")
        #expect(rows.count == 2, "the backup has the keys of the user and of the employee")
        try await world.database.withPool { pool in
            // As if the thief had put the old rows into the live database.
            for row in rows {
                let (ledger, id, bucket, epoch, wrapped) = try row.decode(
                    UUID.self, UUID.self, Int16.self, Int32.self, [UInt8].self)
                try await world.superuser { connection in
                    for epoch in [epoch, epoch + 1] {
                        _ = try await connection.execute(
                            """
                            INSERT INTO tenure.person_key (ledger_id, key_id, bucket, epoch, wrapped)
                            VALUES (\(ledger), \(id), \(bucket), \(epoch), \(wrapped))
                            ON CONFLICT (ledger_id, key_id) DO UPDATE SET epoch = EXCLUDED.epoch
                            """)
                        let keys = PersonKeys(pool: pool, masters: masters, cachedKeys: 0)
                        await #expect(throws: KeysError.self) { try await keys.load([id], ledger: ledger) }
                    }
                    _ = try await connection.execute("DELETE FROM tenure.person_key WHERE key_id = \(id)")
                }
            }
        }
        let (dump, _) = try await TenureWorld.dump(&connection)
        for text in texts { #expect(!Forms("text", text).isFound(in: dump)) }
    }

    private func onService<Result: Sendable>(
        _ database: TestDatabase, _ store: MasterKeyStore, _ world: TenureWorld,
        _ body: (Client, RunningInstance) async throws -> Result
    ) async throws -> Result {
        try await RunningInstance.with(database, WorldOptions(), store, CollectedLog()) { instance in
            try await body(try Client(instance.baseURL, world.app), instance)
        }
    }
}
