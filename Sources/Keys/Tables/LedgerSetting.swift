import Canonical
import Postgres

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The setting `tenure.ledgers`, which row-level security compares the ledger of every row with.
enum LedgerSetting {
    /// Names the ledgers of the transaction, or of the pipeline outside one; it is over with them.
    static func set(_ ledgers: [UUID]) -> SQL {
        let text = "{" + ledgers.map(\.lowercased).joined(separator: ",") + "}"
        return "SELECT set_config('tenure.ledgers', \(text), true)"
    }
}
