import Canonical
import Crypto
package import Postgres

/// The purpose of an independent random key of the installation. Names are permanent.
package enum KeyPurpose: String, Sendable, CaseIterable {
    /// Digests by which names, addresses and ids are looked up. Never rotated, because claims in the log depend on it.
    case lookup
    /// The decoys served for unknown employees. Never rotated: decoys would then change where real answers do not.
    case decoy
    /// Digests of session tokens.
    case sessions
    /// Fingerprints of requests, and the encryption of stored responses.
    case idempotency
    /// The encryption of flow rows.
    case flows
    /// The Ed25519 key that signs checkpoints.
    case checkpoints
    /// What M-Pin registrations are continued and proved with, and the encryption of the server keys.
    case mpin
    /// The codes in links that are sent by mail.
    case mail
    /// The encryption of the keys that sign access tokens.
    case tokens
    /// The codes of rows that decide. Never rotated with the master key: it is only wrapped again.
    case rows
    /// The codes of events. A log is founded with it.
    case events

    /// The purposes that came after the first six. Nothing in a log depends on their keys, so a database without them
    /// gets new ones: links, registrations and sessions in progress end, and the log yields the claims again.
    static let added: [KeyPurpose] = [.mpin, .mail, .tokens, .rows]

    /// Describes how the key is wrapped under a master key.
    func wrap(master version: Int) -> KeyWrap { Self.wrap(rawValue, master: version) }

    /// The name of a key of events that was replaced as the one with this number, from 1.
    static func olderEvents(_ number: Int) -> String { "\(KeyPurpose.events.rawValue).\(number)" }

    /// Describes how the key with this name is wrapped, the key of a purpose or an older one of events.
    static func wrap(_ name: String, master version: Int) -> KeyWrap {
        KeyWrap(purpose: "purpose/" + name, id: [], owner: [], version: version)
    }

    /// Whether the name is that of a purpose, or of an older key of events.
    static func isKnown(_ name: String) -> Bool {
        KeyPurpose(rawValue: name) != nil || name.hasPrefix("\(KeyPurpose.events.rawValue).")
    }
}

/// The keys of the installation, one per ``KeyPurpose``. They are in plaintext in this process only.
///
/// ```swift
/// let masters = try MasterKeyStore(file: MasterKeyFile(path: path))
/// let ring = try await KeyRing.load(from: pool, masters: masters)
/// let digest = ring.lookupDigest(kind: "email", canonical)
/// ```
///
/// Each key is 32 random bytes, generated on the first start, stored wrapped under the master key, and unwrapped once
/// per start. The extensions compute values with them. Every message starts with its own tag, so that a value computed
/// for one purpose is useless for another.
package struct KeyRing: Sendable, Redacted {
    private let lookup: SecretKey
    private let decoy: SecretKey
    private let sessions: SecretKey
    private let idempotency: SecretKey
    private let flows: SecretKey
    private let checkpoints: SecretKey
    private let mpin: SecretKey
    private let mail: SecretKey
    private let tokens: SecretKey
    private let rows: SecretKey
    private let events: SecretKey
    var olderEvents: [SecretKey] = []
    /// The four bytes that name the rows key in each row.
    let rowKeyID: [UInt8]

    /// A ring of existing keys.
    ///
    /// - Throws: ``KeysError/Code/purposeKeyMissing`` unless there is a key for every purpose.
    package init(_ keys: [KeyPurpose: SecretKey]) throws(KeysError) {
        func key(_ purpose: KeyPurpose) throws(KeysError) -> SecretKey {
            if let key = keys[purpose] { return key }
            throw KeysError(code: .purposeKeyMissing, reason: "there is no key for \(purpose.rawValue)")
        }
        lookup = try key(.lookup)
        decoy = try key(.decoy)
        sessions = try key(.sessions)
        idempotency = try key(.idempotency)
        flows = try key(.flows)
        checkpoints = try key(.checkpoints)
        mpin = try key(.mpin)
        mail = try key(.mail)
        tokens = try key(.tokens)
        rows = try key(.rows)
        events = try key(.events)
        rowKeyID = RowCode.keyID(rows)
    }

    private init() {
        lookup = SecretKey()
        decoy = SecretKey()
        sessions = SecretKey()
        idempotency = SecretKey()
        flows = SecretKey()
        checkpoints = SecretKey()
        mpin = SecretKey()
        mail = SecretKey()
        tokens = SecretKey()
        rows = SecretKey()
        events = SecretKey()
        rowKeyID = RowCode.keyID(rows)
    }

    package static func random() -> KeyRing { KeyRing() }

    /// Computes HMAC-SHA-256 (RFC 2104) over the bytes under the key of a purpose: 32 bytes.
    func authenticationCode(_ bytes: [UInt8], _ purpose: KeyPurpose) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes, using: secret(purpose).symmetric))
    }

    /// Computes the same 32 bytes as a secret key.
    func derivedSecret(_ bytes: [UInt8], _ purpose: KeyPurpose) -> SecretKey {
        let code = HMAC<SHA256>.authenticationCode(for: bytes, using: secret(purpose).symmetric)
        return SecretKey(ofRightSize: SymmetricKey(data: code))
    }

    /// Derives 32 bytes with HKDF-SHA-256 (RFC 5869) from the key of a purpose.
    func derivedKey(_ purpose: KeyPurpose, salt: [UInt8], info: [UInt8]) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(inputKeyMaterial: secret(purpose).symmetric, salt: salt, info: info, outputByteCount: 32)
    }

    func secret(_ purpose: KeyPurpose) -> SecretKey {
        switch purpose {
        case .lookup: lookup
        case .decoy: decoy
        case .sessions: sessions
        case .idempotency: idempotency
        case .flows: flows
        case .checkpoints: checkpoints
        case .mpin: mpin
        case .mail: mail
        case .tokens: tokens
        case .rows: rows
        case .events: events
        }
    }
}

extension KeyRing {
    /// A check value of 32 bytes that only the keys of this log yield. The first event of the system ledger contains
    /// it.
    ///
    /// It is HMAC-SHA-256 under the lookup key over the length-prefixed `tenure/v1/key-check`. Permanent. It reveals
    /// nothing about the key, and nothing else is computed over that text.
    package var keyCheck: [UInt8] { authenticationCode(LengthPrefixed(tag: "tenure/v1/key-check").bytes, .lookup) }

    /// Verifies that these keys wrote the log.
    ///
    /// - Parameter recorded: The check value in the log.
    /// - Throws: ``KeysError/Code/wrongKeys``.
    package func check(_ recorded: [UInt8]) throws(KeysError) {
        guard recorded != keyCheck else { return }
        throw KeysError(
            code: .wrongKeys,
            reason:
                "the keys in purpose_key and bucket_key are not those that wrote this log: the check value differs",
            remedy: """
                restore tenure.purpose_key, tenure.bucket_key, tenure.person_key and tenure.oprf_seed from the backup that \
                the log came from, and the master key file of that time
                """)
    }
}

extension KeyRing {
    /// Loads the keys of the installation, and generates all of them on the first start.
    ///
    /// One transaction creates the purpose keys and the 256 bucket keys. Of several processes that start at once,
    /// exactly one stores its keys, and all of them load those. All bucket keys are unwrapped once, so that a wrong
    /// master key is found at the start. Nothing is ever replaced: missing keys are an error (but for those that older
    /// programs did not know), because a new lookup key, for example, would let every name be claimed again. Events
    /// without any keys are an error too: the keys were not restored.
    ///
    /// - Throws: ``KeysError/Code/wrongMasterKey``, ``KeysError/Code/masterVersionUnknown``,
    ///   ``KeysError/Code/purposeKeyMissing``, ``KeysError/Code/bucketKeyMissing``, ``KeysError/Code/keyTablesEmpty``,
    ///   and `PostgresError`.
    package static func load(from pool: PostgresPool, masters: MasterKeyStore) async throws -> KeyRing {
        try await pool.withTransaction { connection in
            if let ring = try await read(&connection, masters) { return ring }
            try await WrittenLog.refuse(&connection)
            _ = try await connection.query("SELECT \(SQL.waitingCommit)")
            try await insertRandom(&connection, masters.keys)
            // If another process inserted first, its keys are read. The insert above has waited for its commit.
            guard let ring = try await read(&connection, masters) else {
                throw KeysError(code: .purposeKeyMissing, reason: "the inserted keys cannot be found")
            }
            return ring
        }
    }

    /// Reads the keys of the installation and makes none.
    ///
    /// - Returns: `nil` before the start that makes them: there is no key yet, or none of a purpose that this version
    ///   added.
    /// - Throws: As ``load(from:masters:)``.
    package static func stored(in pool: PostgresPool, masters: MasterKeyStore) async throws -> KeyRing? {
        try await pool.withTransaction { connection in
            if let ring = try await read(&connection, masters, adds: false) { return ring }
            if try await rows(&connection).buckets.isEmpty { try await WrittenLog.refuse(&connection) }
            return nil
        }
    }

    /// Loads the keys of the installation with fixed master keys.
    ///
    /// - Throws: As ``load(from:masters:)``.
    package static func load(from pool: PostgresPool, masters: MasterKeys) async throws -> KeyRing {
        try await load(from: pool, masters: MasterKeyStore(masters))
    }

    /// Reads the ring. Returns `nil` if no key of any kind is stored.
    ///
    /// - Parameter adds: Whether to make the keys of added purposes; otherwise `nil` is returned if one is missing.
    private static func read(
        _ connection: inout PostgresConnection, _ store: MasterKeyStore, adds: Bool = true
    ) async throws -> KeyRing? {
        var (purposes, buckets) = try await rows(&connection)
        // Each statement has its own snapshot. If another process committed its keys in between, a second read sees
        // all.
        if purposes.isEmpty != buckets.isEmpty { (purposes, buckets) = try await rows(&connection) }
        guard !(purposes.isEmpty && buckets.isEmpty) else { return nil }
        // A purpose of a later version of the program is skipped.
        let stored = try purposes.map { try $0.decode(String.self, Int32.self, [UInt8].self) }
            .filter { KeyPurpose.isKnown($0.0) }
        let versions = Set(stored.filter { KeyPurpose(rawValue: $0.0) != nil }.map { Int($0.1) })
        let masters = try await store.keys(holding: versions.union(try BucketKeyRow.versions(buckets)))
        var keys: [KeyPurpose: SecretKey] = [:]
        var older: [SecretKey] = []
        for (name, version, wrapped) in stored {
            let purpose = KeyPurpose(rawValue: name), wrap = KeyPurpose.wrap(name, master: Int(version))
            do {
                let master = try masters.key(version: Int(version))
                guard let key = wrap.unwrap(wrapped, under: master) else {
                    throw KeysError.wrongMasterKey(version: Int(version))
                }
                if let purpose { keys[purpose] = key } else { older.append(key) }
            } catch {
                // Whoever writes the database may add such a row. An older key that does not open makes no code right.
                guard purpose == nil else { throw error }
            }
        }
        if adds {
            try await addMissing(to: &keys, &connection, masters)
        } else if Set(KeyPurpose.allCases).subtracting(keys.keys).isSubset(of: KeyPurpose.added),
            keys.count < KeyPurpose.allCases.count
        {
            return nil
        }
        let opened = Set(try buckets.map { try BucketKeyRow($0).open(masters).bucket })
        for bucket in Bucket.all where !opened.contains(bucket) {
            throw KeysError(
                code: .bucketKeyMissing, reason: "bucket \(bucket.number) has no key",
                remedy: "restore the key tables from a backup: a new key opens nothing that was sealed before")
        }
        var ring = try KeyRing(keys)
        ring.olderEvents = older
        return ring
    }

    /// Stores a random key for each of the ``KeyPurpose/added`` purposes that an older program did not know.
    ///
    /// Of several processes that add a key at once, one stores its own and the others read it.
    private static func addMissing(
        to keys: inout [KeyPurpose: SecretKey], _ connection: inout PostgresConnection, _ masters: MasterKeys
    ) async throws {
        let first = KeyPurpose.allCases.filter { !KeyPurpose.added.contains($0) }
        guard first.allSatisfy({ keys[$0] != nil }) else { return }
        for purpose in KeyPurpose.added where keys[purpose] == nil {
            let master = try masters.key(version: masters.current)
            let wrapped = try purpose.wrap(master: masters.current).wrap(SecretKey(), under: master)
            let version = Int32(clamping: masters.current)
            _ = try await connection.execute(
                """
                INSERT INTO tenure.purpose_key (purpose, master_version, wrapped)
                VALUES (\(purpose.rawValue), \(version), \(wrapped)) ON CONFLICT DO NOTHING
                """)
            let rows = try await connection.query(
                "SELECT master_version, wrapped FROM tenure.purpose_key WHERE purpose = \(purpose.rawValue)")
            guard let (stored, bytes) = try rows.first?.decode(Int32.self, [UInt8].self),
                let key = purpose.wrap(master: Int(stored)).unwrap(
                    bytes, under: try masters.key(version: Int(stored)))
            else { throw KeysError.wrongMasterKey(version: masters.current) }
            keys[purpose] = key
        }
    }

    private static func rows(
        _ connection: inout PostgresConnection
    ) async throws -> (purposes: [PostgresRow], buckets: [PostgresRow]) {
        var statements = PipelinedStatements()
        let purposes = statements.add("SELECT purpose, master_version, wrapped FROM tenure.purpose_key")
        let buckets = statements.add("SELECT \(BucketKeyRow.columns) FROM tenure.bucket_key b")
        let answers = try await connection.pipeline(statements.list)
        return (try purposes.rows(in: answers), try buckets.rows(in: answers))
    }
}

/// The keys of a new installation.
extension KeyRing {
    /// Stores random keys for all purposes and buckets, unless there are keys already.
    ///
    /// - Throws: ``KeysError/Code/bucketKeyMissing`` or ``KeysError/Code/purposeKeyMissing`` if only one kind is there,
    ///   and `PostgresError`.
    static func insertRandom(_ connection: inout PostgresConnection, _ masters: MasterKeys) async throws {
        let ring = KeyRing.random()
        let master = try masters.key(version: masters.current)
        let version = Int32(clamping: masters.current)
        var wrapped: [[UInt8]] = []
        for purpose in KeyPurpose.allCases {
            wrapped.append(try purpose.wrap(master: masters.current).wrap(ring.secret(purpose), under: master))
        }
        // All processes insert in the same order, so that they wait for each other without deadlocks.
        try await connection.execute(
            """
            INSERT INTO tenure.purpose_key (purpose, master_version, wrapped)
            SELECT k.purpose, \(version), k.wrapped
            FROM unnest(\(KeyPurpose.allCases.map(\.rawValue)), \(wrapped)) AS k (purpose, wrapped)
            ORDER BY k.purpose COLLATE "C" ON CONFLICT DO NOTHING
            """)
        let rows = try Bucket.all.map { bucket in
            try BucketKeyRow(wrapping: BucketKey(bucket: bucket, epoch: 1, key: SecretKey()), under: masters)
        }
        let wrappedBuckets = rows.map(\.wrapped)
        try await connection.execute(
            """
            INSERT INTO tenure.bucket_key (bucket, epoch, master_version, wrapped)
            SELECT k.bucket, 1, \(version), k.wrapped
            FROM unnest(\(rows.map { Int16($0.bucket.number) }), \(wrappedBuckets)) AS k (bucket, wrapped)
            ORDER BY k.bucket ON CONFLICT DO NOTHING
            """)
        // Either all keys or none must be new here. Otherwise new keys would mix with those of a restore in progress. The
        // stored keys tell: a distributed database counts the rows that were sent.
        let found = try await connection.query(
            """
            SELECT (SELECT count(*) FROM tenure.purpose_key WHERE wrapped = ANY (\(wrapped))),
                (SELECT count(*) FROM tenure.bucket_key WHERE wrapped = ANY (\(wrappedBuckets)))
            """)
        guard let (purposes, buckets) = try found.first?.decode(Int64.self, Int64.self) else { return }
        let inserted = (Int(purposes), Int(buckets))
        guard inserted == (KeyPurpose.allCases.count, rows.count) || inserted == (0, 0) else {
            throw KeysError(
                code: purposes == 0 ? .bucketKeyMissing : .purposeKeyMissing,
                reason: "another program stored keys while the first ones were created",
                remedy: "wait until a running restore ends, then start the service")
        }
    }
}
