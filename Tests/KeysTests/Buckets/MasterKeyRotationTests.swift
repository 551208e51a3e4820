import Foundation
import Postgres
import TestSupport
import Testing

@testable import Keys

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct MasterKeyRotationTests {
    private func rotate(_ file: MasterKeyFile, on pool: PostgresPool) async throws -> Int {
        let (masters, _) = try await MasterKeyRotation.begin(file, on: pool)
        return try await MasterKeyRotation(masters: masters).run(on: pool)
    }

    private func refusal(_ body: () async throws -> Void) async throws -> KeysError? {
        do { try await body() } catch { return try #require(error as? KeysError) }
        return nil
    }

    @Test func `a rotation rewraps all keys, running processes go on, and the old version can go`()
        async throws
    {
        try await KeysDatabase.withPools { _, application, reader in
            let directory = try KeyDirectory()
            let file = directory.file
            let running = MasterKeyStore(try file.create(), file: file)
            _ = try await KeyRing.load(from: application, masters: running)
            let keys = PersonKeys(pool: application, masters: running, cachedKeys: 0)
            let seeds = OPRFSeeds(pool: application, masters: running)
            let (ledger, person, credential) = (UUID(), UUID(), UUID())
            let (key, insertion) = try await keys.create(id: person, ledger: ledger)
            let (pair, seedInsertion) = try await seeds.create(
                credentialId: credential, ledger: ledger, withPassphrase: true)
            try await application.run([insertion, seedInsertion], ledgers: [ledger])

            #expect(try await rotate(file, on: application) == 256 + KeyPurpose.allCases.count)
            let use = try await MasterKeyUse.count(on: reader)
            #expect(Array(use.versions.keys) == [2] && use.versions[2]?.buckets == 256)
            #expect(running.keys.heldVersions == [1])
            #expect(try await keys.load([person], ledger: ledger) == [person: key])
            #expect(try await seeds.load(credentialId: credential, ledger: ledger) == pair)
            #expect(running.keys.heldVersions == [1, 2])

            try await MasterKeyRotation.retire(1, file, on: application)
            #expect(try file.load().heldVersions == [2])
            _ = try await KeyRing.load(from: application, masters: try file.load())
            let current = try await refusal { try await MasterKeyRotation.retire(2, file, on: application) }
            #expect(current?.code == .masterVersionInUse)
            let unknown = try await refusal { try await MasterKeyRotation.retire(1, file, on: application) }
            #expect(unknown?.code == .masterVersionUnknown)
        }
    }

    @Test func `a stopped rotation resumes, and its old version is not destroyed before`() async throws {
        try await KeysDatabase.withPools { _, application, _ in
            let directory = try KeyDirectory()
            let file = directory.file
            _ = try await KeyRing.load(from: application, masters: try file.create())
            let (begun, isNew) = try await MasterKeyRotation.begin(file, on: application)
            #expect(isNew && begun.current == 2)
            let (again, isNewAgain) = try await MasterKeyRotation.begin(file, on: application)
            #expect(!isNewAgain && again == begun)
            // Some buckets are done, as after a kill.
            try await application.withTransaction { connection in
                let (key, _) = try await BucketKeys(masters: MasterKeyStore(begun))
                    .key(of: Bucket(number: 5), on: &connection, forUpdate: true)
                let row = try BucketKeyRow(wrapping: key, under: begun)
                try await connection.execute(
                    "UPDATE tenure.bucket_key SET master_version = 2, wrapped = \(row.wrapped) WHERE bucket = 5")
            }
            let early = try await refusal { try await MasterKeyRotation.retire(1, file, on: application) }
            #expect(early?.code == .masterVersionInUse)
            #expect(try await rotate(file, on: application) == 255 + KeyPurpose.allCases.count)
            try await MasterKeyRotation.retire(1, file, on: application)
        }
    }

    @Test func `another database's file and a database without keys change nothing`() async throws {
        try await KeysDatabase.withPools { _, application, _ in
            let directory = try KeyDirectory()
            let file = directory.file
            let keys = try file.create()
            let empty = try await refusal { _ = try await MasterKeyRotation.begin(file, on: application) }
            #expect(empty?.code == .bucketKeyMissing)
            #expect(try await MasterKeyUse.count(on: application).versions.isEmpty, "no keys were made either")
            _ = try await KeyRing.load(from: application, masters: MasterKeys.random())
            let foreign = try await refusal { _ = try await MasterKeyRotation.begin(file, on: application) }
            #expect(foreign?.code == .wrongMasterKey)
            let retired = try await refusal { try await MasterKeyRotation.retire(1, file, on: application) }
            #expect(retired?.code == .wrongMasterKey)
            #expect(try file.load() == keys)
        }
    }

    @Test func `a re-keying after a missed rotation does not return to the old version`()
        async throws
    {
        try await KeysDatabase.withPools { _, application, reader in
            let directory = try KeyDirectory()
            let file = directory.file
            let old = try file.create()
            _ = try await KeyRing.load(from: application, masters: old)
            let sleeper = BucketRekeying(reader: reader, masters: MasterKeyStore(old, file: file))
            _ = try await rotate(file, on: application)
            let rekeyed = try await application.withTransaction { connection in
                try await sleeper.rekey(Bucket(number: 9), on: &connection)
            }
            #expect(rekeyed.masterVersion == 2)
            #expect(Array(try await MasterKeyUse.count(on: reader).versions.keys) == [2])
            // One that cannot read the file is refused, instead of using what it has.
            let lost = BucketRekeying(reader: reader, masters: old)
            let refused = try await refusal {
                _ = try await application.withTransaction { connection in
                    try await lost.rekey(Bucket(number: 9), on: &connection)
                }
            }
            #expect(refused?.code == .masterVersionUnknown)
        }
    }

    @Test func `no call fails during rotations`() async throws {
        try await KeysDatabase.withPools { _, application, _ in
            let directory = try KeyDirectory()
            let file = directory.file
            let running = MasterKeyStore(try file.create(), file: file)
            _ = try await KeyRing.load(from: application, masters: running)
            let keys = PersonKeys(pool: application, masters: running, cachedKeys: 0)
            let ends = Lock(false)
            let made = try await withThrowingTaskGroup(of: Int.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        var count = 0
                        while !ends.withLock({ $0 }) || count < 20 {
                            let (ledger, person) = (UUID(), UUID())
                            let (key, insertion) = try await keys.create(id: person, ledger: ledger)
                            try await application.run([insertion], ledgers: [ledger])
                            #expect(try await keys.load([person], ledger: ledger) == [person: key])
                            count += 1
                        }
                        return count
                    }
                }
                for version in 1...3 {
                    _ = try await rotate(file, on: application)
                    try await MasterKeyRotation.retire(version, file, on: application)
                }
                ends.withLock { $0 = true }
                return try await group.reduce(0, +)
            }
            #expect(made >= 60)
            #expect(try file.load().heldVersions == [4])
        }
    }
}
