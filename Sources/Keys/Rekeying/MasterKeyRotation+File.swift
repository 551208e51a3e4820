public import Postgres

/// The steps of a rotation that change the file.
extension MasterKeyRotation {
    /// Adds a version to the file, unless an earlier rotation is not finished: then that one is to be gone on with.
    ///
    /// The file is first, so that whoever meets a key wrapped under the new version finds the version there.
    ///
    /// - Returns: The keys of the file with the version to rotate to, and whether it was added now.
    /// - Throws: ``KeysError/Code/wrongMasterKey`` and ``KeysError/Code/masterVersionUnknown`` when the file and the
    ///   database do not belong together, what ``MasterKeyFile/update(_:)`` throws, and `PostgresError`.
    public static func begin(
        _ file: MasterKeyFile, on pool: PostgresPool
    ) async throws -> (masters: MasterKeys, isNew: Bool) {
        let masters = try file.load()
        let use = try await belongs(masters, on: pool)
        guard use.versions.keys.allSatisfy({ $0 == masters.current }) else { return (masters, false) }
        let changed = try file.update { (keys) throws(KeysError) in
            // Somebody who was faster has begun, and this run goes on with that.
            keys.current == masters.current ? try keys.addingVersion() : keys
        }
        return (changed, true)
    }

    /// Destroys a version in the file, once nothing in the database is wrapped under it.
    ///
    /// No key returns to a version that was left: a re-keying never wraps under one before the bucket's own.
    ///
    /// - Throws: ``KeysError/Code/masterVersionInUse``, ``KeysError/Code/masterVersionUnknown``,
    ///   ``KeysError/Code/masterKeysInvalid`` for the current version, and as ``begin(_:on:)``.
    public static func retire(_ version: Int, _ file: MasterKeyFile, on pool: PostgresPool) async throws {
        let use = try await belongs(try file.load(), on: pool)
        if let count = use.versions[version] {
            throw KeysError(
                code: .masterVersionInUse,
                reason: "\(count.buckets + count.purposes) keys are still wrapped under version \(version)",
                remedy: "Run tenure key rotate first.")
        }
        try file.update { (keys) throws(KeysError) in try keys.removing(version: version) }
    }

    /// Opens everything that is wrapped under the master keys; a database without keys is not the one that is meant.
    private static func belongs(_ masters: MasterKeys, on pool: PostgresPool) async throws -> MasterKeyUse {
        let use = try await MasterKeyUse.count(on: pool)
        guard !use.versions.isEmpty else {
            throw KeysError(
                code: .bucketKeyMissing, reason: "this database holds no keys",
                remedy: "Look at the database's URL: the service was never started with it.")
        }
        _ = try await KeyRing.load(from: pool, masters: masters)
        return use
    }
}
