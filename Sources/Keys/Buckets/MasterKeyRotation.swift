package import Postgres

/// Wraps the purpose keys and the bucket keys under the current version of the master keys.
///
/// ```swift
/// let file = MasterKeyFile(path: path)
/// let (masters, _) = try await MasterKeyRotation.begin(file, on: pool)
/// let count = try await MasterKeyRotation(masters: masters).run(on: pool)
/// try await MasterKeyRotation.retire(oldVersion, file, on: pool)
/// ```
///
/// ``begin(_:on:)`` adds a version to the file, ``run(on:)`` rewraps, and ``retire(_:_:on:)`` destroys an old version
/// once ``versionsInUse(on:)`` returns only the current one. Running processes read the file again when they need the
/// new version. Person keys and seeds are not touched.
package struct MasterKeyRotation: Sendable {
    private let masters: MasterKeys

    /// A rotation to the current version of `masters`.
    package init(masters: MasterKeys) { self.masters = masters }

    /// Rewraps every key that is wrapped under another version, and returns how many there were.
    ///
    /// It uses one transaction for the purpose keys and one for each bucket, so that no caller waits long. A second run
    /// completes an interrupted one.
    ///
    /// - Throws: ``KeysError/Code/wrongMasterKey``, ``KeysError/Code/masterVersionUnknown`` and `PostgresError`.
    package func run(on pool: PostgresPool) async throws -> Int {
        let waiting: [SQL] = ["SELECT \(SQL.waitingCommit)"]
        var count = try await pool.withTransaction(opening: waiting) { connection, _ in
            try await rotatePurposes(&connection)
        }
        for bucket in Bucket.all {
            count += try await pool.withTransaction(opening: waiting) { connection, _ in
                try await rotate(bucket, &connection)
            }
        }
        return count
    }

    /// Returns the versions that any key is wrapped under, in order.
    package static func versionsInUse(on pool: PostgresPool) async throws -> [Int] {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT master_version FROM tenure.purpose_key UNION SELECT master_version FROM tenure.bucket_key
                ORDER BY 1
                """)
        }
        return try rows.map { Int(try $0.decode(Int32.self)) }
    }

    private func rotatePurposes(_ connection: inout PostgresConnection) async throws -> Int {
        let rows = try await connection.query(
            """
            SELECT purpose, master_version, wrapped FROM tenure.purpose_key
            WHERE master_version <> \(Int32(clamping: masters.current)) ORDER BY purpose FOR UPDATE
            """)
        let current = try masters.key(version: masters.current)
        for row in rows {
            let (name, version, wrapped) = try row.decode(String.self, Int32.self, [UInt8].self)
            guard KeyPurpose.isKnown(name) else {
                throw KeysError(
                    code: .rekeyingIncomplete, reason: "a purpose is not known to this program",
                    remedy: "use the newest version; if none knows the row '\(name)' of tenure.purpose_key, delete it")
            }
            let master = try masters.key(version: Int(version))
            guard let key = KeyPurpose.wrap(name, master: Int(version)).unwrap(wrapped, under: master) else {
                throw KeysError.wrongMasterKey(version: Int(version))
            }
            let again = try KeyPurpose.wrap(name, master: masters.current).wrap(key, under: current)
            try await connection.execute(
                """
                UPDATE tenure.purpose_key
                SET master_version = \(Int32(clamping: masters.current)), wrapped = \(again) WHERE purpose = \(name)
                """)
        }
        return rows.count
    }

    private func rotate(_ bucket: Bucket, _ connection: inout PostgresConnection) async throws -> Int {
        let (key, version) = try await BucketKeys(masters: MasterKeyStore(masters)).key(
            of: bucket, on: &connection, forUpdate: true)
        if version == masters.current { return 0 }
        let row = try BucketKeyRow(wrapping: key, under: masters)
        return try await connection.execute(
            """
            UPDATE tenure.bucket_key
            SET master_version = \(Int32(clamping: row.masterVersion)), wrapped = \(row.wrapped)
            WHERE bucket = \(Int16(bucket.number))
            """)
    }
}

/// The steps of a rotation that change the file.
extension MasterKeyRotation {
    /// Adds a version to the file. If an earlier rotation is not finished, it adds none and returns that rotation's
    /// keys.
    ///
    /// The file changes first, so that a process that meets a key wrapped under the new version finds the version
    /// there.
    ///
    /// - Returns: The keys of the file with the version to rotate to, and whether it was added now.
    /// - Throws: ``KeysError/Code/wrongMasterKey`` and ``KeysError/Code/masterVersionUnknown`` if the file and the
    ///   database do not belong together, what ``MasterKeyFile/update(_:)`` throws, and `PostgresError`.
    package static func begin(
        _ file: MasterKeyFile, on pool: PostgresPool
    ) async throws -> (masters: MasterKeys, isNew: Bool) {
        let masters = try file.load()
        let use = try await belongs(masters, on: pool)
        guard use.versions.keys.allSatisfy({ $0 == masters.current }) else { return (masters, false) }
        let changed = try file.update { (keys) throws(KeysError) in
            // If another command has begun a rotation meanwhile, this one continues it.
            keys.current == masters.current ? try keys.addingVersion() : keys
        }
        return (changed, true)
    }

    /// Destroys a version in the file, once nothing in the database is wrapped under it.
    ///
    /// No key returns to a version that it left, because a rekeying never wraps under a version before the bucket's
    /// own.
    ///
    /// - Throws: ``KeysError/Code/masterVersionInUse``, ``KeysError/Code/masterVersionUnknown``,
    ///   ``KeysError/Code/masterKeysInvalid`` for the current version, and as ``begin(_:on:)``.
    package static func retire(_ version: Int, _ file: MasterKeyFile, on pool: PostgresPool) async throws {
        let use = try await belongs(try file.load(), on: pool)
        if let count = use.versions[version] {
            throw KeysError(
                code: .masterVersionInUse,
                reason: "\(count.buckets + count.purposes) keys are still wrapped under version \(version)",
                remedy: "Run tenure key rotate first.")
        }
        try file.update { (keys) throws(KeysError) in try keys.removing(version: version) }
    }

    /// Unwraps every key that is wrapped under the master keys. A database without keys is refused as the wrong one.
    private static func belongs(_ masters: MasterKeys, on pool: PostgresPool) async throws -> MasterKeyUse {
        let use = try await MasterKeyUse.count(on: pool)
        guard !use.versions.isEmpty else {
            throw KeysError(
                code: .bucketKeyMissing, reason: "this database holds no keys",
                remedy: "Check the database's URL: the service was never started with this database.")
        }
        _ = try await KeyRing.load(from: pool, masters: masters)
        return use
    }
}
