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
        Script(name: "m003_keys", bytes: PackageResources.m003_keys_sql),
        Script(name: "m004_service", bytes: PackageResources.m004_service_sql),
        Script(name: "m005_row_security", bytes: PackageResources.m005_row_security_sql),
        Script(name: "m006_append_types", bytes: PackageResources.m006_append_types_sql),
        Script(name: "m007_indexes", bytes: PackageResources.m007_indexes_sql),
        Script(name: "m010_views", bytes: PackageResources.m010_views_sql),
        Script(name: "m011_checkpoints", bytes: PackageResources.m011_checkpoints_sql),
        Script(name: "m012_erasure", bytes: PackageResources.m012_erasure_sql),
        Script(name: "m013_feed", bytes: PackageResources.m013_feed_sql),
        Script(name: "m014_stream_versions", bytes: PackageResources.m014_stream_versions_sql),
        Script(name: "m015_accounts", bytes: PackageResources.m015_accounts_sql),
        Script(name: "m016_budget_shares", bytes: PackageResources.m016_budget_shares_sql),
        Script(name: "m017_recovery_requests", bytes: PackageResources.m017_recovery_requests_sql),
        Script(name: "m019_session_ends", bytes: PackageResources.m019_session_ends_sql),
        Script(name: "m020_inline_rows", bytes: PackageResources.m020_inline_rows_sql),
        Script(name: "m021_idempotency_checks", bytes: PackageResources.m021_idempotency_checks_sql),
        Script(name: "m022_device_claims", bytes: PackageResources.m022_device_claims_sql),
        Script(name: "m023_empty_budgets", bytes: PackageResources.m023_empty_budgets_sql),
        Script(name: "m024_session_checks", bytes: PackageResources.m024_session_checks_sql),
        Script(name: "m025_flow_checks", bytes: PackageResources.m025_flow_checks_sql),
        Script(name: "m026_budget_checks", bytes: PackageResources.m026_budget_checks_sql),
        Script(
            name: "m027_recovery_request_ends", bytes: PackageResources.m027_recovery_request_ends_sql),
    ]

    /// The functions, replaced as a whole whenever one of them changed; none needs another to exist when it is created.
    public static let functions: [Script] = [
        Script(name: "append", bytes: PackageResources.append_sql),
        Script(name: "append_claims", bytes: PackageResources.append_claims_sql),
        Script(name: "append_decide", bytes: PackageResources.append_decide_sql),
        Script(name: "append_events", bytes: PackageResources.append_events_sql),
        Script(name: "append_independent", bytes: PackageResources.append_independent_sql),
        Script(name: "append_lock", bytes: PackageResources.append_lock_sql),
        Script(name: "append_ready", bytes: PackageResources.append_ready_sql),
        Script(name: "changed_ledgers", bytes: PackageResources.changed_ledgers_sql),
        Script(name: "charge_attempt", bytes: PackageResources.charge_attempt_sql),
        Script(name: "feed_page", bytes: PackageResources.feed_page_sql),
        Script(name: "feed_pages", bytes: PackageResources.feed_pages_sql),
        Script(name: "lock_heads", bytes: PackageResources.lock_heads_sql),
        Script(name: "refund_attempts", bytes: PackageResources.refund_attempts_sql),
    ]
}
