/// Why a schema cannot be brought up to date. Names of migrations are no secret, so `description` shows them.
public struct MigrationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of failure; a struct, so that kinds can be added.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        /// The stable name of the kind.
        public let description: String

        /// The text of an applied migration is not what was applied.
        public static let checksumMismatch = Code(description: "checksumMismatch")
        /// The database has a migration this program does not know.
        public static let unknownMigration = Code(description: "unknownMigration")
        /// A migration that was not applied comes before one that was.
        public static let outOfOrder = Code(description: "outOfOrder")
        /// Two migrations or two functions have the same name.
        public static let duplicateName = Code(description: "duplicateName")
        /// The script is not UTF-8, or holds NUL.
        public static let malformedScript = Code(description: "malformedScript")
        /// The script ended the transaction it was to run in.
        public static let endsTransaction = Code(description: "endsTransaction")
        /// The server refused the script; the name says which, the underlying error why.
        public static let failed = Code(description: "failed")
        /// Another start was migrating for longer than we wait.
        public static let lockTimeout = Code(description: "lockTimeout")
    }

    /// The kind of failure.
    public let code: Code
    /// The migration or function it is about.
    public let name: String
    /// The SQLSTATE, when the server refused.
    public let sqlState: SQLState?
    /// The server's own words, for the operator who reads them beside the script.
    let serverMessage: String?

    init(_ code: Code, _ name: String, _ error: PostgresError? = nil) {
        self.code = code
        self.name = name
        sqlState = error?.sqlState
        serverMessage = error?.serverMessage
    }

    /// The kind, the name and the SQLSTATE.
    public var description: String {
        "MigrationError(\(code)): \(name)" + (sqlState.map { ", SQLSTATE \($0)" } ?? "")
    }
}

extension MigrationError: CustomDebugStringConvertible {
    /// Also the server's message, which may quote data: for operators only.
    public var debugDescription: String { description + (serverMessage.map { ", server: \($0)" } ?? "") }
}
