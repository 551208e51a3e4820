import Foundation
import Postgres
import Testing
import TestSupport
@testable import Keys

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct BucketRekeyingTests {
    /// A random id of a bucket.
    private func id(in bucket: UInt8) -> UUID {
        while true {
            let id = UUID()
            if Bucket(of: id).number == bucket { return id }
        }
    }

    @Test func `a re-keying destroys the key, and everything else in its bucket still opens`() async throws {
        try await KeysDatabase.withPools { database, application, reader in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            let keys = PersonKeys(pool: application, masters: masters, cachedKeys: 0)
            let seeds = OPRFSeeds(pool: application, masters: masters)
            let ledgers = (0..<5).map { _ in UUID() }
            var persons: [(ledger: UUID, key: PersonKey)] = []
            var credentials: [(ledger: UUID, id: UUID, seeds: CredentialSeeds)] = []
            for ledger in ledgers {
                let (key, insertion) = try await keys.create(id: id(in: 7), ledger: ledger)
                let (elsewhere, insertionElsewhere) = try await keys.create(id: id(in: 8), ledger: ledger)
                let credential = id(in: 7)
                let (pair, seedInsertion) = try await seeds.create(
                    credentialId: credential, ledger: ledger, withPassphrase: true)
                try await application.run([insertion, insertionElsewhere, seedInsertion], ledgers: [ledger])
                persons += [(ledger, key), (ledger, elsewhere)]
                credentials.append((ledger, credential, pair))
            }
            var owner = try await database.connect(as: .superuser)
            let before = try await wrapped(&owner)

            let rekeying = BucketRekeying(reader: reader, masters: masters)
            let victim = persons[0]
            let destroyed = try await application.withTransaction { connection in
                try await rekeying.destroyPerson(victim.key.id, ledger: victim.ledger, on: &connection)
            }
            #expect(
                destroyed
                    == DestroyedKey(bucket: Bucket(number: 7), epoch: 2, masterVersion: 1, count: 1, rewrapped: 14))

            #expect(try await keys.load([victim.key.id], ledger: victim.ledger).isEmpty)
            for (ledger, key) in persons.dropFirst() {
                #expect(try await keys.load([key.id], ledger: ledger) == [key.id: key])
            }
            for (ledger, credential, pair) in credentials {
                #expect(try await seeds.load(credentialId: credential, ledger: ledger) == pair)
            }
            // Nothing of the bucket is as it was, and nothing else was touched: 4 persons, 10 seeds, the bucket's key.
            let after = try await wrapped(&owner)
            #expect(before.subtracting(after).count == 16)
            #expect(after.subtracting(before).count == 15)

            let credential = credentials[0]
            let ended = try await application.withTransaction { connection in
                try await rekeying.destroySeeds(
                    credentialId: credential.id, ledger: credential.ledger, on: &connection)
            }
            #expect(ended.count == 2)
            #expect(ended.epoch == 3)
            #expect(try await seeds.load(credentialId: credential.id, ledger: credential.ledger) == nil)
            _ = try await KeyRing.load(from: application, masters: masters)
        }
    }

    @Test func `destroying no key changes nothing, and re-keying alone is possible`() async throws {
        try await KeysDatabase.withPools { database, application, reader in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            var owner = try await database.connect(as: .superuser)
            let before = try await wrapped(&owner)
            let rekeying = BucketRekeying(reader: reader, masters: masters)
            let nothing = try await application.withTransaction { connection in
                try await rekeying.destroyPerson(UUID(), ledger: UUID(), on: &connection)
            }
            #expect(nothing.count == 0)
            #expect(nothing.epoch == 1)
            #expect(try await wrapped(&owner) == before)
            let rekeyed = try await application.withTransaction { connection in
                try await rekeying.rekey(Bucket(number: 3), on: &connection)
            }
            #expect(rekeyed.epoch == 2)
            #expect(try await wrapped(&owner).subtracting(before).count == 1)
        }
    }

    @Test func `a key made before a re-keying cannot be stored after it`() async throws {
        try await KeysDatabase.withPools { _, application, reader in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            let keys = PersonKeys(pool: application, masters: masters)
            let seeds = OPRFSeeds(pool: application, masters: masters)
            let ledger = UUID()
            let (person, credential) = (id(in: 7), id(in: 7))
            let (_, insertion) = try await keys.create(id: person, ledger: ledger)
            let (_, seedInsertion) = try await seeds.create(
                credentialId: credential, ledger: ledger, withPassphrase: false)
            _ = try await application.withTransaction { connection in
                try await BucketRekeying(reader: reader, masters: masters).rekey(Bucket(number: 7), on: &connection)
            }
            for statement in [insertion, seedInsertion] {
                let error = await #expect(throws: PostgresError.self) {
                    try await application.run([statement], ledgers: [ledger])
                }
                #expect(error?.sqlState == .notNullViolation)
            }
            let (key, again) = try await keys.create(id: person, ledger: ledger)
            try await application.run([again], ledgers: [ledger])
            #expect(try await keys.load([person], ledger: ledger) == [person: key])
        }
    }

    @Test func `registrations during re-keyings leave only keys that open`() async throws {
        try await KeysDatabase.withPools { _, application, reader in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            let keys = PersonKeys(pool: application, masters: masters, cachedKeys: 0)
            let rekeying = BucketRekeying(reader: reader, masters: masters)
            let stored = try await withThrowingTaskGroup(of: [UUID: PersonKey].self) { group in
                for _ in 0..<3 {
                    group.addTask { [self] in
                        var stored: [UUID: PersonKey] = [:]
                        for _ in 0..<25 {
                            // One ledger each, so that a re-keying meets ledgers it has never heard of.
                            let ledger = UUID()
                            let (key, insertion) = try await keys.create(id: id(in: 7), ledger: ledger)
                            do {
                                try await application.run([insertion], ledgers: [ledger])
                                stored[ledger] = key
                            } catch let error as PostgresError where error.sqlState == .notNullViolation {}
                        }
                        return stored
                    }
                }
                group.addTask {
                    for _ in 0..<25 {
                        _ = try await application.withTransaction { connection in
                            try await rekeying.rekey(Bucket(number: 7), on: &connection)
                        }
                    }
                    return [:]
                }
                return try await group.reduce(into: [:]) { $0.merge($1) { _, new in new } }
            }
            #expect(!stored.isEmpty)
            for (ledger, key) in stored {
                #expect(try await keys.load([key.id], ledger: ledger) == [key.id: key])
            }
        }
    }

    /// All wrapped bytes there are.
    private func wrapped(_ owner: inout PostgresConnection) async throws -> Set<[UInt8]> {
        let rows = try await owner.query(
            """
            SELECT wrapped FROM tenure.bucket_key UNION SELECT wrapped FROM tenure.purpose_key
            UNION SELECT wrapped FROM tenure.person_key UNION SELECT wrapped FROM tenure.oprf_seed
            """)
        return Set(try rows.map { try $0.decode([UInt8].self) })
    }
}

@Suite struct BucketTests {
    @Test func `the bucket of an id is the first byte of its hash`() throws {
        #expect(Bucket(of: try Sample.person).number == 1)
        #expect(Bucket(of: try Sample.ledger).number == 25)
    }

    @Test func `there are 256 buckets and ids spread over them`() {
        #expect(Bucket.all.map(\.number) == Array(0...255))
        let counts = (0..<25_600).reduce(into: [Int](repeating: 0, count: 256)) { counts, _ in
            counts[Int(Bucket(of: UUID()).number)] += 1
        }
        // 100 expected each, with a deviation of 10: eight deviations never happen by chance.
        #expect(counts.allSatisfy { (20...180).contains($0) })
    }
}
