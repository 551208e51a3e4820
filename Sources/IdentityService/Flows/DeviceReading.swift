import Canonical
import FoundationEssentials
import Identity
import Ledger
import Postgres
import Projections

/// Finds out whether the key of a flow is in force for its employee, by the events that name this key and by those that end
/// all keys.
///
/// Not by the whole stream, and by none of it for a key that was never presented: how many other devices somebody has would
/// show in the time that a stranger's attempt takes. Nobody's key was ever presented, whoever's device asks.
struct DeviceReading: Sendable {
    let query: StreamSearchQuery
    private let key: [UInt8]

    init(_ state: FlowState) {
        key = state.employeePublicKey
        let employee = EmployeeID(state.employeeId), tenant = TenantID(state.tenantId)
        let presented = PresentedKey(key, of: employee, in: tenant)
        let named = Array(Base64URL.encode(key).utf8)
        query = StreamSearchQuery(
            .employee(employee, in: tenant),
            [
                EmployeeKeyPresented.type: named, EmployeeKeyAuthorized.type: named, EmployeeKeyRefused.type: named,
                EmployeeKeyRevoked.type: named, EmailReclaimed.type: [], EmployeeErased.type: [],
                // A cancellation for any other reason leaves keys as they are, and should cost nothing.
                EmployeeCancelled.type: Array("\"\(CancellationReason.reclaimed.rawValue)\"".utf8),
            ], if: presented.exists)
    }

    /// Reads the rows of ``query``.
    func read(_ rows: [PostgresRow]) throws -> Bool {
        let state = Employee.fold(try query.read(rows).map { try EventCodec.decode($0) })
        return PublicKeyBytes(key).map { state.authorizedKeys.contains($0) } ?? false
    }
}
