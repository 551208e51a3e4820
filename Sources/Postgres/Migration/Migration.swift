/// One step of the schema. It is applied once, in order, and never edited after a release.
public struct Migration: Sendable, Hashable {
    /// The permanent name, such as `m001_ledger`.
    public let name: String
    /// The script as UTF-8. It must not end the transaction it runs in.
    public let sql: [UInt8]

    /// A step with a name and a script.
    public init(name: String, sql: [UInt8]) {
        self.name = name
        self.sql = sql
    }
}

/// A part of the schema that is replaced as a whole if its text changes, such as `CREATE OR REPLACE FUNCTION`.
public struct ReplaceableScript: Sendable, Hashable {
    /// The permanent name, such as `append`.
    public let name: String
    /// The script as UTF-8. Applying it again must be harmless.
    public let sql: [UInt8]

    /// A script with a name.
    public init(name: String, sql: [UInt8]) {
        self.name = name
        self.sql = sql
    }
}

/// The differences between a database and the migrations of this program.
public struct MigrationStatus: Sendable, Hashable {
    /// Migrations that are not applied.
    public internal(set) var pending: [String] = []
    /// Applied migrations whose text differs.
    public internal(set) var changed: [String] = []
    /// Applied migrations that this program does not know. A newer program applied them, unless ``otherHistory`` names
    /// one.
    public internal(set) var unknown: [String] = []
    /// Functions that are not applied, or whose text differs, unless a newer program applied them.
    public internal(set) var staleFunctions: [String] = []
    /// Functions whose text differs because a program of a later revision applied them.
    public internal(set) var newerFunctions: [String] = []
    /// How many migrations are applied.
    public internal(set) var appliedCount = 0

    /// The first migration that shows another history, or `nil`. This program cannot bring such a database up to date.
    ///
    /// A database that a newer program migrated has all migrations of this one, so it has no other history.
    public var otherHistory: String? { changed.first ?? (pending.isEmpty ? nil : unknown.first) }
    /// Whether the database is exactly what this program expects.
    public var isCurrent: Bool {
        pending.isEmpty && changed.isEmpty && unknown.isEmpty && staleFunctions.isEmpty && newerFunctions.isEmpty
    }
    /// Whether everything this program needs is applied. A newer program may have added more.
    public var isUsable: Bool { pending.isEmpty && changed.isEmpty }
}

/// The reason why a schema cannot be brought up to date. Names of migrations are not secret, so `description` shows
/// them.
public struct MigrationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure. It is a struct, so that kinds can be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the kind.
        public let description: String

        /// The database has another history. The text of an applied migration differs, or the database has a migration
        /// that this program does not know and lacks one that it needs. `name` is the first such migration.
        public static let historyMismatch = Code(description: "historyMismatch")
        /// The database has all migrations of this program and one that it does not know: a newer program has migrated
        /// it.
        public static let unknownMigration = Code(description: "unknownMigration")
        /// A newer program has replaced a function. `name` is the first such function.
        public static let newerFunction = Code(description: "newerFunction")
        /// The role may not migrate this database. ``MigrationError/remedy`` says which role may, or what to grant.
        public static let notPermitted = Code(description: "notPermitted")
        /// A migration that was not applied comes before one that was.
        public static let outOfOrder = Code(description: "outOfOrder")
        /// Two migrations or two functions have the same name.
        public static let duplicateName = Code(description: "duplicateName")
        /// The script is not UTF-8, or contains NUL.
        public static let malformedScript = Code(description: "malformedScript")
        /// The script ended the transaction it runs in.
        public static let endsTransaction = Code(description: "endsTransaction")
        /// The server refused the script. The name says which one, the SQLSTATE why.
        public static let failed = Code(description: "failed")
        /// Another program was migrating for longer than the lock timeout.
        public static let lockTimeout = Code(description: "lockTimeout")
    }

    /// The kind of failure.
    public let code: Code
    /// The migration or function concerned.
    public let name: String
    /// The SQLSTATE, if the server refused the script.
    public let sqlState: SQLState?
    /// What the operator can do, if the program knows. It may name roles and databases.
    public let remedy: String?
    /// The server's message, for the operator who reads it beside the script.
    let serverMessage: String?

    init(_ code: Code, _ name: String, _ error: PostgresError? = nil, remedy: String? = nil) {
        self.code = code
        self.name = name
        self.remedy = remedy
        sqlState = error?.sqlState
        serverMessage = error?.serverMessage
    }

    /// The kind, the name and the SQLSTATE.
    public var description: String {
        "MigrationError(\(code)): \(name)" + (sqlState.map { ", SQLSTATE \($0)" } ?? "")
    }
}

extension MigrationError: CustomDebugStringConvertible {
    /// The description with the server's message, which may quote data: for operators only.
    public var debugDescription: String { description + (serverMessage.map { ", server: \($0)" } ?? "") }
}
