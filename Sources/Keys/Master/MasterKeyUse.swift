public import Postgres

/// How many keys are wrapped under each version of the master keys.
public struct MasterKeyUse: Sendable, Equatable {
    /// Of one version.
    public struct Count: Sendable, Equatable {
        /// Bucket keys, of 256.
        public var buckets = 0
        /// Keys of the installation's purposes.
        public var purposes = 0

        /// Nothing.
        public init() {}
    }

    /// The versions under which anything is wrapped.
    public private(set) var versions: [Int: Count] = [:]

    /// Counts, over connections of either role.
    public static func count(on pool: PostgresPool) async throws -> MasterKeyUse {
        let results = try await pool.withConnection { connection in
            try await connection.pipeline([
                "SELECT master_version, count(*) FROM tenure.bucket_key GROUP BY master_version",
                "SELECT master_version, count(*) FROM tenure.purpose_key GROUP BY master_version",
            ])
        }
        var use = MasterKeyUse()
        for row in results.first ?? [] {
            let (version, count) = try row.decode(Int32.self, Int64.self)
            use.versions[Int(version), default: Count()].buckets = Int(count)
        }
        for row in results.last ?? [] {
            let (version, count) = try row.decode(Int32.self, Int64.self)
            use.versions[Int(version), default: Count()].purposes = Int(count)
        }
        return use
    }
}
