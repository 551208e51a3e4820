import Canonical
import FoundationEssentials
import Identity
import Keys
import Ledger
import Postgres

/// Whose attempts are counted together.
///
/// All unknown devices share one budget per credential, because fresh keys are free; a device whose key was authorized
/// for that employee has its own, so strangers cannot lock the owner out of it.
struct AttemptBudget: Sendable {
    let ledger: LedgerID
    let key: [UInt8]
    let device: DeviceKind

    /// The budget that an attempt of this flow is charged to.
    init(_ state: FlowState, isKnownDevice: Bool, ring: KeyRing) {
        device = isKnownDevice ? .known : .unknown
        ledger = .directory(of: UserID(state.userId))
        key = Self.key(state.credentialId, device: isKnownDevice ? state.employeePublicKey : nil, ring)
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
        guard !keys.isEmpty else { return [] }
        return ["DELETE FROM tenure.budget WHERE ledger_id = \(ledger) AND key = ANY (\(keys))"]
    }

    /// What charging one attempt led to.
    struct Charged: Sendable {
        var isCharged: Bool
        var spent: Int32
        var isExhausted: Bool
        var retryAfterSeconds: Int32
    }

    /// Charges one attempt; the row lock in the function makes the count exact over processes.
    func charge(
        _ rules: BudgetRules, at time: Timestamp, on connection: inout PostgresConnection
    ) async throws -> Charged {
        let now = time.postgres
        let isKnown = device == .known
        let limit = Int32(isKnown ? rules.knownLimit : rules.unknownLimit)
        let refill = Int32(isKnown ? rules.knownRefillSeconds : rules.unknownRefillSeconds)
        let cap = Int32(isKnown ? 0 : rules.unknownLifetimeCap)
        let free = Int32(isKnown ? rules.knownFreeOfDelay : 0)
        let delay = Int32(rules.knownDelaySeconds)
        let rows = try await connection.query(
            """
            SELECT charged, spent, locked, retry_after_seconds FROM tenure.charge_attempt(
                \(ledger.uuid), \(key), \(now), \(limit), \(refill), \(cap), \(free), \(delay))
            """)
        guard let row = rows.first else { throw ServiceError(.serviceUnavailable, retryAfterSeconds: 1) }
        let (charged, spent, locked, wait) = try row.decode(Bool.self, Int32.self, Bool.self, Int32.self)
        return Charged(isCharged: charged, spent: spent, isExhausted: locked, retryAfterSeconds: wait)
    }

    /// The statement that gives a flow's own charges back after a success.
    func refund(_ count: Int) -> SQL {
        let count = Int32(count)
        return "SELECT tenure.refund_attempts(\(ledger.uuid), \(key), \(count))"
    }
}
