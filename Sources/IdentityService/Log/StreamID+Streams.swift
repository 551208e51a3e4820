import FoundationEssentials
import Identity
import Ledger

/// Where each aggregate's events lie; permanent.
extension StreamID {
    static let employeeKind = "employee"

    static func tenant(_ id: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(id.uuid), kind: "tenant", id: id.uuid)
    }

    static func employee(_ id: EmployeeID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: employeeKind, id: id.uuid)
    }

    static func flow(_ id: UUID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: "flow", id: id)
    }

    static func session(_ id: UUID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: "session", id: id)
    }

    static func user(_ id: UserID) -> StreamID {
        StreamID(ledger: .directory(of: id), kind: "user", id: id.uuid)
    }

    /// The decisions about a recovery, a second time, where a company sees them.
    static func recovery(_ id: RecoveryID, in tenant: TenantID) -> StreamID {
        StreamID(ledger: LedgerID(tenant.uuid), kind: "recovery", id: id.uuid)
    }

    static func attempt(_ id: UUID, of user: UserID) -> StreamID {
        StreamID(ledger: .directory(of: user), kind: "attempt", id: id)
    }

    static func app(_ id: AppID) -> StreamID {
        StreamID(ledger: .system, kind: "app", id: id.uuid)
    }

    /// The one stream of checkpoints.
    static let checkpoints = StreamID(ledger: .system, kind: "checkpoints", id: LedgerID.system.uuid)
}

extension LedgerID {
    /// A user's directory: the first byte of the random id, for ever.
    static func directory(of user: UserID) -> LedgerID { .directory(user.uuid.firstByte) }
}

extension UUID {
    var firstByte: UInt8 { uuid.0 }
}
