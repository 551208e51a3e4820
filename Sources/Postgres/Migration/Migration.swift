/// One step of the schema: applied once, in order, never edited after a release.
public struct Migration: Sendable, Hashable {
    /// The permanent name, such as `m001_ledger`.
    public let name: String
    /// The script, UTF-8. It must not end the transaction it runs in.
    public let sql: [UInt8]

    /// A step by its name and script.
    public init(name: String, sql: [UInt8]) {
        self.name = name
        self.sql = sql
    }
}

/// A part of the schema that is replaced as a whole when its text changes, such as `CREATE OR REPLACE FUNCTION`.
public struct ReplaceableScript: Sendable, Hashable {
    /// The permanent name, such as `append`.
    public let name: String
    /// The script, UTF-8. Applying it again must be harmless.
    public let sql: [UInt8]

    /// A part by its name and script.
    public init(name: String, sql: [UInt8]) {
        self.name = name
        self.sql = sql
    }
}
