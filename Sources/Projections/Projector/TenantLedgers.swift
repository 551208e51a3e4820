import Ledger

/// Which ledgers feed the views: those of tenants, told by the kind of ledger and never by the type of an event.
enum TenantLedgers {
    private static let others = Set(LedgerID.directories + [.system])

    /// Whether the ledger is a tenant's.
    static func contains(_ ledger: LedgerID) -> Bool { !others.contains(ledger) }
}
