import Canonical
import Credentials
import Identity
import Keys
import Ledger
import Postgres

/// The browser that began to register with a mailed invitation, told from others by its device key.
///
/// The code of the mail shows that its owner's mailbox was read. In another browser than the first it may be somebody
/// who got hold of the mail: there it admits, and confirms nothing.
struct InvitationBrowser: Sendable {
    let context: ServiceContext

    /// Notes the device key if it is the first one. Returns whether it is.
    func isFirst(_ key: EmployeePublicKey, of invitation: InvitationID, at time: Timestamp) async throws -> Bool {
        let opened = digest(invitation.uuid.bytes), own = digest(invitation.uuid.bytes + key.bytes)
        guard try await note(opened, at: time) else { return try await !note(own, at: time, isKept: false) }
        return try await note(own, at: time)
    }

    private func digest(_ bytes: [UInt8]) -> [UInt8] {
        context.ring.lookupDigest(kind: "invitation-browser", bytes)
    }

    /// Inserts a row for as long as invitations live. Returns whether there was none.
    ///
    /// - Parameter isKept: Otherwise it only looks.
    private func note(_ key: [UInt8], at time: Timestamp, isKept: Bool = true) async throws -> Bool {
        let ledger = LedgerID.directory(key[0])
        guard isKept else {
            return try await context.pool.query(
                "SELECT 1 FROM tenure.budget WHERE ledger_id = \(ledger.uuid) AND key = \(key)", in: [ledger]
            ).isEmpty
        }
        let end = time.adding(Invitation.maximumLifetime)
        return try await !context.pool.query(
            """
            INSERT INTO tenure.budget (ledger_id, key, spent, lifetime, refilled_at, forget_at)
            VALUES (\(ledger.uuid), \(key), 1, 1, \(time.postgres), \(end.postgres))
            ON CONFLICT (ledger_id, key) DO NOTHING RETURNING 1
            """, in: [ledger]
        ).isEmpty
    }
}
