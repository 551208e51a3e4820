/// The SQL of the database, compiled in: a binary always migrates to exactly the schema it was built with.
public enum Schema {
    /// One SQL file.
    public struct Script: Sendable, Hashable {
        /// The name of the file without its extension, such as `m001_roles` or `append`.
        public let name: String
        /// The UTF-8 text of the file.
        public let bytes: [UInt8]

        /// The text of the file.
        public var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    /// What changes the schema, in order; each runs once, in a transaction, and never changes afterwards.
    public static let migrations: [Script] = [
        Script(name: "m001_roles", bytes: PackageResources.m001_roles_sql),
        Script(name: "m002_ledger", bytes: PackageResources.m002_ledger_sql),
        Script(name: "m003_claims", bytes: PackageResources.m003_claims_sql),
        Script(name: "m004_append_types", bytes: PackageResources.m004_append_types_sql),
        Script(name: "m005_keys", bytes: PackageResources.m005_keys_sql),
        Script(name: "m006_requests", bytes: PackageResources.m006_requests_sql),
        Script(name: "m007_sessions", bytes: PackageResources.m007_sessions_sql),
        Script(name: "m008_openid", bytes: PackageResources.m008_openid_sql),
        Script(name: "m009_mpin", bytes: PackageResources.m009_mpin_sql),
        Script(name: "m010_projections", bytes: PackageResources.m010_projections_sql),
    ]

    /// The revision of the functions, of both forms. It grows with each release that changes one of them, so that an
    /// older program never puts back a newer function. `FunctionRevisionTests` (LedgerTests) knows the texts of each.
    public static let functionsRevision = 1

    /// The functions, replaced as a whole whenever one of them changed; none needs another to exist when it is created.
    public static let functions: [Script] = [
        Script(name: "append", bytes: PackageResources.append_sql),
        Script(name: "append_claims", bytes: PackageResources.append_claims_sql),
        Script(name: "append_decide", bytes: PackageResources.append_decide_sql),
        Script(name: "append_events", bytes: PackageResources.append_events_sql),
        Script(name: "append_independent", bytes: PackageResources.append_independent_sql),
        Script(name: "append_lock", bytes: PackageResources.append_lock_sql),
        Script(name: "append_new", bytes: PackageResources.append_new_sql),
        Script(name: "append_ready", bytes: PackageResources.append_ready_sql),
        Script(name: "changed_ledgers", bytes: PackageResources.changed_ledgers_sql),
        Script(name: "charge_attempt", bytes: PackageResources.charge_attempt_sql),
        Script(name: "enter_scope", bytes: PackageResources.enter_scope_sql),
        Script(name: "feed_page", bytes: PackageResources.feed_page_sql),
        Script(name: "feed_pages", bytes: PackageResources.feed_pages_sql),
        Script(name: "insert_keys", bytes: PackageResources.insert_keys_sql),
        Script(name: "lock_heads", bytes: PackageResources.lock_heads_sql),
        Script(name: "make_heads", bytes: PackageResources.make_heads_sql),
        Script(name: "pass_ledgers", bytes: PackageResources.pass_ledgers_sql),
        Script(name: "refund_attempts", bytes: PackageResources.refund_attempts_sql),
        Script(name: "require", bytes: PackageResources.require_sql),
        Script(name: "settle", bytes: PackageResources.settle_sql),
        Script(name: "stored_ledgers", bytes: PackageResources.stored_ledgers_sql),
    ]

    /// The forms of some functions for a distributed database. Each replaces the function of the same name.
    public static let distributedFunctions: [Script] = [
        Script(name: "append", bytes: PackageResources.append_distributed_sql),
        Script(name: "append_independent", bytes: PackageResources.append_independent_distributed_sql),
        Script(name: "changed_ledgers", bytes: PackageResources.changed_ledgers_distributed_sql),
        Script(name: "enter_scope", bytes: PackageResources.enter_scope_distributed_sql),
        Script(name: "feed_page", bytes: PackageResources.feed_page_distributed_sql),
        Script(name: "feed_pages", bytes: PackageResources.feed_pages_distributed_sql),
        Script(name: "lock_heads", bytes: PackageResources.lock_heads_distributed_sql),
        Script(name: "pass_ledgers", bytes: PackageResources.pass_ledgers_distributed_sql),
        Script(name: "settle", bytes: PackageResources.settle_distributed_sql),
        Script(name: "stored_ledgers", bytes: PackageResources.stored_ledgers_distributed_sql),
    ]

    /// Returns the functions of a database on one server, or of a distributed one.
    public static func functions(distributed: Bool) -> [Script] {
        guard distributed else { return functions }
        return functions.map { plain in distributedFunctions.first { $0.name == plain.name } ?? plain }
    }
}
