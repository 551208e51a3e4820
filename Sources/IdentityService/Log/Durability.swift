import Ledger
public import Postgres

/// Whether the database keeps what it has acknowledged when it, or its machine, ends at once.
///
/// An answer of this service says that its events are in the log, so it is as durable as these settings.
public struct Durability: Sendable, Equatable {
    /// One setting that is off, and what that costs.
    public struct Weakness: Sendable, Equatable {
        /// The server's name of the setting.
        public let setting: String
        /// What a crash does now.
        public let consequence: String
        /// Whether acknowledged events are lost in any case; else it is the file system that decides.
        public let losesEvents: Bool
    }

    /// Whether the server waits for its disks at all.
    public var fsync: Bool
    /// Whether a commit waits for the log: `off`, or one of the values that do wait.
    public var synchronousCommit: String
    /// Whether pages that were half written are mended.
    public var fullPageWrites: Bool

    /// Describes settings.
    public init(fsync: Bool, synchronousCommit: String, fullPageWrites: Bool) {
        self.fsync = fsync
        self.synchronousCommit = synchronousCommit
        self.fullPageWrites = fullPageWrites
    }

    /// Reads what holds in the sessions of a pool, the settings of its role and its database included.
    public static func read(_ pool: PostgresPool) async throws -> Durability {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT current_setting('fsync') = 'on', current_setting('synchronous_commit'),
                    current_setting('full_page_writes') = 'on'
                """)
        }
        guard let row = rows.first else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
        let (fsync, commit, pages) = try row.decode(Bool.self, String.self, Bool.self)
        return Durability(fsync: fsync, synchronousCommit: commit, fullPageWrites: pages)
    }

    /// What is off.
    public var weaknesses: [Weakness] {
        var weaknesses: [Weakness] = []
        if !fsync {
            weaknesses.append(
                Weakness(
                    setting: "fsync", consequence: "a crash of the machine loses acknowledged events, or the database",
                    losesEvents: true))
        }
        if synchronousCommit == "off" {
            weaknesses.append(
                Weakness(
                    setting: "synchronous_commit", consequence: "a crash of the server loses acknowledged events",
                    losesEvents: true))
        }
        if !fullPageWrites {
            weaknesses.append(
                Weakness(
                    setting: "full_page_writes",
                    consequence: "a crash of the machine can destroy pages, unless the file system writes them whole",
                    losesEvents: false))
        }
        return weaknesses
    }
}
