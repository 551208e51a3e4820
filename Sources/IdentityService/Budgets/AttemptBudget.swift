import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Whose attempts are counted together.
///
/// All unknown devices share one budget per credential, because fresh keys are free; each app and each company may spend
/// only a part of it. A device whose key was authorized for that employee has a budget of its own, so strangers cannot
/// lock the owner out of it.
struct AttemptBudget: Sendable {
    let ledger: LedgerID
    /// The whole budget first, then the shares of it.
    let parts: [BudgetPart]
    let device: DeviceKind
    /// Whether the credential is nobody's.
    let isDecoy: Bool

    /// The budget that an attempt of this flow is charged to.
    init(_ state: FlowState, isKnownDevice: Bool, ring: KeyRing) {
        device = isKnownDevice ? .known : .unknown
        isDecoy = state.isDecoy
        ledger = .directory(of: UserID(state.userId))
        let whole = Self.key(state.credentialId, device: isKnownDevice ? state.employeePublicKey : nil, ring)
        var parts = [BudgetPart(share: .whole, key: whole)]
        if !isKnownDevice {
            for (share, id) in [(BudgetPart.Share.app, state.appId), (.tenant, state.tenantId)] {
                let digest = ring.lookupDigest(kind: "budget-\(share.rawValue)", state.credentialId.bytes + id.bytes)
                parts.append(BudgetPart(share: share, key: whole + digest))
            }
        }
        self.parts = parts
    }

    private static func key(_ credential: UUID, device: [UInt8]?, _ ring: KeyRing) -> [UInt8] {
        let kind: DeviceKind = device == nil ? .unknown : .known
        return ring.lookupDigest(kind: "budget-\(kind.rawValue)", credential.bytes + (device ?? []))
    }

    /// The statements that forget the budgets of credentials: of all unknown devices, or, where devices are given, of
    /// these.
    static func deletions(
        credentials: [CredentialID], devices: [PublicKeyBytes], of user: UserID, ring: KeyRing
    ) -> [SQL] {
        let ledger = LedgerID.directory(of: user).uuid
        let keys = credentials.flatMap { credential in
            devices.isEmpty
                ? [key(credential.uuid, device: nil, ring)]
                : devices.map { key(credential.uuid, device: $0.bytes, ring) }
        }
        // A share lies between its budget's key alone and that key before the greatest digest.
        return keys.map { key in
            let last = key + [UInt8](repeating: 0xFF, count: 32)
            return "DELETE FROM tenure.budget WHERE ledger_id = \(ledger) AND key BETWEEN \(key) AND \(last)"
        }
    }

    /// The statement that forgets a thousand budgets that are full again, or were charged by nobody for a year and are
    /// nobody's. One that is being charged just now is locked, and is not forgotten.
    static func forgetting(at time: Timestamp) -> SQL {
        """
        DELETE FROM tenure.budget WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM tenure.budget WHERE forget_at <= \(time.postgres) LIMIT 1000 FOR UPDATE SKIP LOCKED))
        """
    }

    /// The statement that gives a flow's own charges back after a success.
    func refund(_ count: Int) -> SQL {
        let count = Int32(count)
        return "SELECT tenure.refund_attempts(\(ledger.uuid), \(parts.map(\.key)), \(count))"
    }
}
