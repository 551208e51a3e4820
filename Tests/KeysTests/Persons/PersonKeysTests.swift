import Canonical
import Foundation
import Postgres
import TestSupport
import Testing

@testable import Keys

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct PersonKeysTests {
    @Test func `created keys are loaded by both roles and by ledger, absent ones are absent`() async throws {
        try await KeysDatabase.withPools { _, application, reader in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            let keys = PersonKeys(pool: application, masters: masters)
            let (ledger, other) = (UUID(), UUID())
            var created: [UUID: PersonKey] = [:]
            var insertions: [SQL] = []
            for _ in 0..<40 {
                let (key, insertion) = try await keys.create(id: UUID(), ledger: ledger)
                created[key.id] = key
                insertions.append(insertion)
            }
            #expect(try await keys.load(Array(created.keys), ledger: ledger).isEmpty)
            try await application.run(insertions, ledgers: [ledger])
            let ids = created.keys + [UUID(), UUID()]
            #expect(try await keys.load(ids, ledger: ledger) == created)
            #expect(try await keys.load(ids, ledger: ledger) == created)
            #expect(try await keys.load(ids, ledger: other).isEmpty)
            #expect(try await PersonKeys(pool: reader, masters: masters).load(ids, ledger: ledger) == created)
            let wrong = PersonKeys(pool: reader, masters: .random())
            let error = await #expect(throws: KeysError.self) { try await wrong.load(ids, ledger: ledger) }
            #expect(error?.code == .wrongMasterKey)
        }
    }

    @Test func `a key is rolled back with its transaction`() async throws {
        try await KeysDatabase.withPools { _, application, _ in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            let keys = PersonKeys(pool: application, masters: masters)
            let (id, ledger) = (UUID(), UUID())
            let (_, insertion) = try await keys.create(id: id, ledger: ledger)
            let error = await #expect(throws: PostgresError.self) {
                try await application.run([insertion, insertion], ledgers: [ledger])
            }
            #expect(error?.sqlState == .uniqueViolation)
            #expect(try await keys.load([id], ledger: ledger).isEmpty)
            // Without the ledger being named, row-level security refuses the row.
            let refused = await #expect(throws: PostgresError.self) {
                try await application.run([insertion], ledgers: [UUID()])
            }
            #expect(refused?.sqlState == .insufficientPrivilege)
        }
    }

    @Test func `a key destroyed elsewhere leaves the cache in time, and at once on notice`() async throws {
        try await KeysDatabase.withPools { _, application, _ in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            let brief = PersonKeys(pool: application, masters: masters, cacheLifetime: .milliseconds(300))
            let long = PersonKeys(pool: application, masters: masters, cacheLifetime: .seconds(3_600))
            let (id, ledger) = (UUID(), UUID())
            let (key, insertion) = try await brief.create(id: id, ledger: ledger)
            try await application.run([insertion], ledgers: [ledger])
            #expect(try await brief.load([id], ledger: ledger) == [id: key])
            #expect(try await long.load([id], ledger: ledger) == [id: key])
            try await application.run(["DELETE FROM tenure.person_key WHERE key_id = \(id)"], ledgers: [ledger])
            #expect(try await long.load([id], ledger: ledger) == [id: key])
            long.forget(id, ledger: ledger)
            #expect(try await long.load([id], ledger: ledger).isEmpty)
            try await Task.sleep(for: .milliseconds(400))
            #expect(try await brief.load([id], ledger: ledger).isEmpty)
        }
    }

    @Test(.enabled(if: !TestServer.isDistributed, "it updates the ledger of a row, which Citus refuses"))
    func `a wrapped key moved to another row is refused`() async throws {
        try await KeysDatabase.withPools { database, application, _ in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            let keys = PersonKeys(pool: application, masters: masters, cachedKeys: 0)
            let (id, ledger, other) = (UUID(), UUID(), UUID())
            let (_, insertion) = try await keys.create(id: id, ledger: ledger)
            try await application.run([insertion], ledgers: [ledger])
            var owner = try await database.connect(as: .superuser)
            try await owner.execute("UPDATE tenure.person_key SET ledger_id = \(other)")
            let moved = await #expect(throws: KeysError.self) { try await keys.load([id], ledger: other) }
            #expect(moved?.code == .wrappingInvalid)
            try await owner.execute("UPDATE tenure.person_key SET ledger_id = \(ledger), epoch = 2")
            let stale = await #expect(throws: KeysError.self) { try await keys.load([id], ledger: ledger) }
            #expect(stale?.code == .wrappingInvalid)
        }
    }

    @Test func `seeds are stored, loaded and deleted`() async throws {
        try await KeysDatabase.withPools { _, application, _ in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            let seeds = OPRFSeeds(pool: application, masters: masters)
            let (ledger, first, second) = (UUID(), UUID(), UUID())
            let (both, insertion) = try await seeds.create(credentialId: first, ledger: ledger, withPassphrase: true)
            let one = CredentialSeeds.random(withPassphrase: false)
            let insertionOfOne = try await seeds.insertion(of: one, credentialId: second, ledger: ledger)
            try await application.run([insertion, insertionOfOne], ledgers: [ledger])
            #expect(both.answers != both.passphrase)
            #expect(try await seeds.load(credentialId: first, ledger: ledger) == both)
            #expect(try await seeds.load(credentialId: second, ledger: ledger) == one)
            #expect(try await seeds.load(credentialId: first, ledger: UUID()) == nil)
            try await application.run([seeds.deletion(credentialId: first, ledger: ledger)], ledgers: [ledger])
            #expect(try await seeds.load(credentialId: first, ledger: ledger) == nil)
            #expect(try await seeds.load(credentialId: second, ledger: ledger) == one)
        }
    }

    @Test func `a dump of the database contains no key in plaintext`() async throws {
        try await KeysDatabase.withPools { database, application, _ in
            let masters = MasterKeys.random()
            let ring = try await KeyRing.load(from: application, masters: masters)
            let (id, ledger) = (UUID(), UUID())
            let keys = PersonKeys(pool: application, masters: masters)
            let (key, insertion) = try await keys.create(id: id, ledger: ledger)
            let (seeds, seedInsertion) = try await OPRFSeeds(pool: application, masters: masters)
                .create(credentialId: UUID(), ledger: ledger, withPassphrase: true)
            try await application.run([insertion, seedInsertion], ledgers: [ledger])
            var secrets = KeyPurpose.allCases.map { ring.secret($0) } + [key.key, seeds.answers]
            secrets += [try #require(seeds.passphrase), try masters.key(version: 1)]
            for bucket in Bucket.all {
                secrets.append(
                    try await application.withConnection { connection in
                        try await BucketKeys(masters: MasterKeyStore(masters)).key(of: bucket, on: &connection).key.key
                    })
            }
            var owner = try await database.connect(as: .superuser)
            var dump = ""
            for table in ["purpose_key", "bucket_key", "person_key", "oprf_seed"] {
                let rows = try await owner.query("SELECT t::text FROM tenure.\(identifier: table) AS t")
                #expect(!rows.isEmpty)
                for row in rows { dump += try row.decode(String.self) + "\n" }
            }
            // The dump shows bytes in hexadecimal; that it shows the person's id proves that it is looked at rightly.
            #expect(dump.contains(id.lowercased))
            // The person's key, two seeds and the master key beside those of the installation.
            #expect(secrets.count == KeyPurpose.allCases.count + Bucket.all.count + 4)
            for secret in secrets { #expect(!dump.contains(Hex.encode(secret.bytes))) }
        }
    }
}
