import Canonical
import Identity
import Keys
import Ledger
import Postgres

/// Takes the nonce of a page's form, once: a second form with it is none.
package struct SpendNonce: UseCase, Redacted {
    /// The time for which a used nonce is known, which is longer than one is valid.
    private static let memory: Duration = .seconds(120)
    /// The nonce, as the page sent it.
    package let nonce: String

    package init(_ nonce: String) { self.nonce = nonce }

    /// Returns whether this is the first use.
    package func run(_ run: UseCaseRun<Bool>) async throws -> Bool {
        let context = run.context, time = run.call.time
        let key = context.ring.lookupDigest(kind: "page-nonce", Array(nonce.utf8)), ledger = LedgerID.directory(key[0])
        let rows = try await context.pool.query(
            """
            INSERT INTO tenure.budget (ledger_id, key, spent, lifetime, refilled_at, forget_at)
            VALUES (\(ledger.uuid), \(key), 1, 1, \(time.postgres), \(time.adding(Self.memory).postgres))
            ON CONFLICT (ledger_id, key) DO NOTHING RETURNING 1
            """, in: [ledger])
        return !rows.isEmpty
    }
}
