import Canonical
import Postgres
import TestSupport
import Testing

@testable import Keys

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct FirstStartTests {
    @Test func `eight concurrent starts over two pools create one set of keys`() async throws {
        try await KeysDatabase.withPools { database, application, _ in
            let masters = MasterKeys.random()
            try await database.withPool(as: .application) { second in
                let rings = try await withThrowingTaskGroup(of: KeyRing.self) { group in
                    for number in 0..<8 {
                        let pool = number % 2 == 0 ? application : second
                        group.addTask { try await KeyRing.load(from: pool, masters: masters) }
                    }
                    return try await group.reduce(into: [KeyRing]()) { $0.append($1) }
                }
                #expect(rings.count == 8)
                for purpose in KeyPurpose.allCases {
                    #expect(Set(rings.map { $0.secret(purpose).bytes }).count == 1, "\(purpose)")
                }
                let secrets = Set(KeyPurpose.allCases.compactMap { rings.first?.secret($0).bytes })
                #expect(secrets.count == KeyPurpose.allCases.count)
            }
            let counts = try await application.withConnection { connection in
                try await connection.pipeline([
                    "SELECT count(*) FROM tenure.purpose_key", "SELECT count(*) FROM tenure.bucket_key",
                    "SELECT count(DISTINCT wrapped) FROM tenure.bucket_key",
                ])
            }
            #expect(try counts.map { try $0[0].decode(Int64.self) } == [Int64(KeyPurpose.allCases.count), 256, 256])
        }
    }

    @Test func `a look before the first start makes no keys, over either role`() async throws {
        try await KeysDatabase.withPools { _, application, reader in
            let masters = MasterKeyStore(.random())
            #expect(try await KeyRing.stored(in: reader, masters: masters) == nil)
            #expect(try await KeyRing.stored(in: application, masters: masters) == nil)
            let rows = try await application.withConnection { connection in
                try await connection.query("SELECT count(*) FROM tenure.purpose_key")
            }
            #expect(try rows.first?.decode(Int64.self) == 0)
            let made = try await KeyRing.load(from: application, masters: masters)
            let found = try #require(try await KeyRing.stored(in: reader, masters: masters))
            for purpose in KeyPurpose.allCases { #expect(found.secret(purpose) == made.secret(purpose)) }
        }
    }

    @Test func `keys that another process commits during the start are found complete`() async throws {
        try await KeysDatabase.withPools { database, application, _ in
            let masters = MasterKeys.random()
            var ring = try await KeyRing.load(from: application, masters: masters)
            // Until the pool's connection has its plans, so that the first look does not wait where it makes the second one's.
            for _ in 0..<5 { ring = try await KeyRing.load(from: application, masters: masters) }
            var other = try await database.connect(as: .superuser)
            // As if there had been none so far: the other process has made them, and holds back the second table.
            try await other.executeScript(
                """
                CREATE TEMPORARY TABLE purposes AS TABLE tenure.purpose_key;
                CREATE TEMPORARY TABLE buckets AS TABLE tenure.bucket_key;
                DELETE FROM tenure.purpose_key;
                DELETE FROM tenure.bucket_key;
                """)
            try await other.executeScript(
                """
                BEGIN;
                LOCK TABLE tenure.bucket_key IN ACCESS EXCLUSIVE MODE;
                INSERT INTO tenure.purpose_key TABLE purposes;
                INSERT INTO tenure.bucket_key TABLE buckets;
                """)
            async let loaded = KeyRing.load(from: application, masters: masters)
            while try await other.query(
                """
                SELECT FROM pg_locks WHERE relation = 'tenure.bucket_key'::regclass AND NOT granted
                    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
                """
            ).isEmpty {
                try await Task.sleep(for: .milliseconds(10))
            }
            try await other.executeScript("COMMIT")
            let found = try await loaded
            for purpose in KeyPurpose.allCases { #expect(found.secret(purpose) == ring.secret(purpose)) }
        }
    }

    @Test func `first keys are not created beside keys that a restore commits`() async throws {
        try await KeysDatabase.withPools { database, application, _ in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            var other = try await database.connect(as: .superuser)
            try await other.executeScript(
                """
                CREATE TEMPORARY TABLE buckets AS TABLE tenure.bucket_key;
                DELETE FROM tenure.purpose_key;
                DELETE FROM tenure.bucket_key;
                """)
            // A restore that has one of the tables, and has not committed it when the service looks.
            try await other.executeScript("BEGIN; INSERT INTO tenure.bucket_key TABLE buckets;")
            async let loaded = KeyRing.load(from: application, masters: masters)
            while try await other.query(
                """
                SELECT FROM pg_locks
                WHERE locktype = 'transactionid' AND transactionid = pg_current_xact_id()::xid AND NOT granted
                """
            ).isEmpty {
                try await Task.sleep(for: .milliseconds(10))
            }
            try await other.executeScript("COMMIT")
            do {
                _ = try await loaded
                Issue.record("new keys stand beside old ones")
            } catch let error as KeysError {
                #expect(error.code == .purposeKeyMissing)
            }
            let made = try await other.query("SELECT FROM tenure.purpose_key")
            #expect(made.isEmpty)
        }
    }

    /// A backup was restored without its tables of keys: new ones would open nothing.
    @Test(arguments: ["event", "person_key"])
    func `first keys are never created beside existing data`(table: String) async throws {
        try await KeysDatabase.withPools { database, application, _ in
            var owner = try await database.connect(as: .superuser)
            let system = "00000000-0000-8000-8000-000000000000", directory = "00000000-0000-8000-8000-0000000001fe"
            try await owner.executeScript(
                table == "event"
                    ? """
                    INSERT INTO tenure.event (
                        ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
                    VALUES ('\(system)', 1, '\(system)', '\(system)', 'thing', 1, 'ThingHappened', now(), '{}',
                        repeat('x', 18)::bytea)
                    """
                    : "INSERT INTO tenure.person_key VALUES ('\(directory)', '\(system)', 0, 1, repeat('x', 32)::bytea)"
            )
            let error = await #expect(throws: KeysError.self) {
                try await KeyRing.load(from: application, masters: .random())
            }
            #expect(error?.code == .keyTablesEmpty && error?.remedy != nil)
            let made = try await owner.query("SELECT FROM tenure.purpose_key")
            #expect(made.isEmpty)
            try await owner.executeScript("DELETE FROM tenure.\(table)")
            _ = try await KeyRing.load(from: application, masters: .random())
        }
    }

    @Test func `the check value identifies the keys and refuses others`() throws {
        let ring = KeyRing.random(), other = KeyRing.random()
        #expect(ring.keyCheck == ring.keyCheck && ring.keyCheck.count == 32 && ring.keyCheck != other.keyCheck)
        try ring.check(ring.keyCheck)
        let error = #expect(throws: KeysError.self) { try other.check(ring.keyCheck) }
        #expect(error?.code == .wrongKeys)
    }

    @Test func `a wrong master key is a clear error and changes nothing`() async throws {
        try await KeysDatabase.withPools { _, application, _ in
            let masters = MasterKeys.random()
            let ring = try await KeyRing.load(from: application, masters: masters)
            let wrong = await #expect(throws: KeysError.self) {
                try await KeyRing.load(from: application, masters: .random())
            }
            #expect(wrong?.code == .wrongMasterKey)
            #expect(wrong?.remedy != nil)
            let other = try MasterKeys(current: 2, keys: [2: SecretKey()])
            let unknown = await #expect(throws: KeysError.self) {
                try await KeyRing.load(from: application, masters: other)
            }
            #expect(unknown?.code == .masterVersionUnknown)
            let again = try await KeyRing.load(from: application, masters: masters)
            for purpose in KeyPurpose.allCases { #expect(again.secret(purpose) == ring.secret(purpose)) }
        }
    }

    @Test(arguments: [
        ("DELETE FROM tenure.purpose_key WHERE purpose = 'lookup'", KeysError.Code.purposeKeyMissing),
        ("DELETE FROM tenure.purpose_key", .purposeKeyMissing),
        ("DELETE FROM tenure.bucket_key WHERE bucket = 77", .bucketKeyMissing),
        ("DELETE FROM tenure.bucket_key", .bucketKeyMissing),
        // Two rows that change places are still two rows that open under nothing.
        (
            "UPDATE tenure.bucket_key a SET wrapped = b.wrapped FROM tenure.bucket_key b WHERE a.bucket = 1 AND b.bucket = 2",
            .wrongMasterKey
        ),
        (
            "UPDATE tenure.purpose_key a SET wrapped = b.wrapped FROM tenure.purpose_key b WHERE a.purpose = 'lookup' AND b.purpose = 'decoy'",
            .wrongMasterKey
        ),
        ("UPDATE tenure.bucket_key SET epoch = 2 WHERE bucket = 9", .wrongMasterKey),
    ])
    func `partly missing or moved keys are never created again`(damage: String, code: KeysError.Code) async throws {
        try await KeysDatabase.withPools { database, application, _ in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            var owner = try await database.connect(as: .superuser)
            try await owner.executeScript(damage)
            let error = await #expect(throws: KeysError.self) {
                try await KeyRing.load(from: application, masters: masters)
            }
            #expect(error?.code == code)
        }
    }

    @Test func `purposes that were added later get keys at the next start, once`() async throws {
        #expect(KeyPurpose.added == [.mpin, .mail, .tokens, .rows])
        try await KeysDatabase.withPools { database, application, _ in
            let masters = MasterKeys.random()
            let first = try await KeyRing.load(from: application, masters: masters)
            var owner = try await database.connect(as: .superuser)
            try await owner.executeScript(
                "DELETE FROM tenure.purpose_key WHERE purpose IN ('mpin', 'mail', 'tokens', 'rows')")
            let rings = try await withThrowingTaskGroup(of: KeyRing.self) { group in
                for _ in 0..<8 { group.addTask { try await KeyRing.load(from: application, masters: masters) } }
                return try await group.reduce(into: [KeyRing]()) { $0.append($1) }
            }
            let again = try await KeyRing.load(from: application, masters: masters)
            for purpose in KeyPurpose.allCases {
                let isNew = KeyPurpose.added.contains(purpose)
                #expect((again.secret(purpose) != first.secret(purpose)) == isNew, "\(purpose)")
                #expect(rings.allSatisfy { $0.secret(purpose) == again.secret(purpose) }, "\(purpose)")
            }
            let rows = try await owner.query("SELECT FROM tenure.purpose_key")
            #expect(rows.count == KeyPurpose.allCases.count)
        }
    }

    @Test(arguments: KeyPurpose.allCases.filter { !KeyPurpose.added.contains($0) })
    func `no purpose is added beside another one that is missing`(purpose: KeyPurpose) async throws {
        try await KeysDatabase.withPools { database, application, _ in
            let masters = MasterKeys.random()
            _ = try await KeyRing.load(from: application, masters: masters)
            var owner = try await database.connect(as: .superuser)
            let missing = [purpose.rawValue, "mpin", "mail", "tokens", "rows"]
            _ = try await owner.execute("DELETE FROM tenure.purpose_key WHERE purpose = ANY (\(missing))")
            let error = await #expect(throws: KeysError.self) {
                try await KeyRing.load(from: application, masters: masters)
            }
            #expect(error?.code == .purposeKeyMissing)
            let rows = try await owner.query("SELECT FROM tenure.purpose_key")
            #expect(rows.count == KeyPurpose.allCases.count - missing.count)
        }
    }

    @Test func `a rotation rewraps everything, and the old version can go`() async throws {
        try await KeysDatabase.withPools { _, application, _ in
            let old = MasterKeys.random()
            let ring = try await KeyRing.load(from: application, masters: old)
            let both = try old.addingVersion()
            let ringOfBoth = try await KeyRing.load(from: application, masters: both)
            #expect(ringOfBoth.secret(.lookup) == ring.secret(.lookup))
            let count = KeyPurpose.allCases.count + Bucket.all.count
            #expect(try await MasterKeyRotation(masters: both).run(on: application) == count)
            #expect(try await MasterKeyRotation(masters: both).run(on: application) == 0)
            #expect(try await MasterKeyRotation.versionsInUse(on: application) == [2])
            let new = try both.removing(version: 1)
            let rotated = try await KeyRing.load(from: application, masters: new)
            for purpose in KeyPurpose.allCases { #expect(rotated.secret(purpose) == ring.secret(purpose)) }
            let error = await #expect(throws: KeysError.self) {
                try await KeyRing.load(from: application, masters: old)
            }
            #expect(error?.code == .masterVersionUnknown)
        }
    }
}
