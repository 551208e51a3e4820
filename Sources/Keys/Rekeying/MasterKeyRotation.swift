public import Postgres

/// Wraps the purpose keys and the bucket keys under the current version of the master keys.
///
/// The steps of a rotation: add a version to the file (``MasterKeys/addingVersion()``), start every process with it,
/// run this, and, once ``versionsInUse(on:)`` tells only the current one, remove the old version. Persons' keys and seeds
/// are not touched, and nothing has to stop.
public struct MasterKeyRotation: Sendable {
    private let masters: MasterKeys

    /// Makes a rotation to the current version.
    public init(masters: MasterKeys) { self.masters = masters }

    /// Wraps again what is wrapped under another version; returns how many keys that were.
    ///
    /// One transaction for the purpose keys and one for each bucket, so that nobody waits long. A second run finishes
    /// what an interrupted one has left.
    ///
    /// - Throws: ``KeysError/Code/wrongMasterKey``, ``KeysError/Code/masterVersionUnknown`` and `PostgresError`.
    public func run(on pool: PostgresPool) async throws -> Int {
        var count = try await pool.withTransaction { try await rotatePurposes(&$0) }
        for bucket in Bucket.all { count += try await pool.withTransaction { try await rotate(bucket, &$0) } }
        return count
    }

    /// The versions that anything is wrapped under, in order.
    public static func versionsInUse(on pool: PostgresPool) async throws -> [Int] {
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
            guard let purpose = KeyPurpose(rawValue: name) else {
                throw KeysError(code: .rekeyingIncomplete, reason: "a purpose is not known to this program")
            }
            let master = try masters.key(version: Int(version))
            guard let key = purpose.wrap(master: Int(version)).unwrap(wrapped, under: master) else {
                throw KeysError.wrongMasterKey(version: Int(version))
            }
            let again = try purpose.wrap(master: masters.current).wrap(key, under: current)
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
