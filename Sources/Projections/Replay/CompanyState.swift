public import Canonical
import Identity
public import Ledger

/// The views of one company, folded from its ledger in memory by the same functions that follow it in the database.
public struct CompanyState: Sendable {
    private var employeesModel = EmployeesModel()
    private var keysModel = EmployeeKeysModel()
    private var adminsModel = FirstSecurityAdminsModel()
    private var pendingModel = PendingAuthorizationsModel()
    private var tenantsModel = TenantsModel()

    /// The position of the last event taken; 0 before the first.
    public private(set) var position: Int64 = 0
    /// The time of the last event taken.
    public private(set) var time: Timestamp?

    /// A company that nobody founded.
    public init() {}

    /// Takes the next event of the ledger.
    ///
    /// - Throws: What decoding throws, for an unknown type too; the state is of no use then.
    public mutating func apply(_ event: RecordedEvent) throws {
        let projected = try ProjectedEvent(event)
        // In place: a copy to fall back on would copy all rows with every event.
        try employeesModel.apply(projected)
        try keysModel.apply(projected)
        try adminsModel.apply(projected)
        try pendingModel.apply(projected)
        try tenantsModel.apply(projected)
        position = event.position
        time = event.time
    }

    /// The company; nil when nobody founded it.
    public var tenant: TenantRow? { tenantsModel.tenants.rows.values.first }
    /// Founder and security admin, with proofs.
    public var securityAdmin: SecurityAdminRow? { adminsModel.admins.rows.values.first }
    /// The employees in the order of their registrations.
    public var employees: [EmployeeRow] {
        employeesModel.employees.rows.values.sorted { $0.registeredPosition < $1.registeredPosition }
    }
    /// The keys in the order in which they were presented.
    public var keys: [EmployeeKeyRow] {
        keysModel.keys.rows.values.sorted { $0.presented.position < $1.presented.position }
    }
    /// The keys that nobody decided about, in the order in which they were presented; some may have expired.
    public var pending: [PendingAuthorizationRow] {
        pendingModel.pending.rows.values.sorted { $0.presented.position < $1.presented.position }
    }

    /// The view of a name.
    func model(_ name: ProjectionName) -> (any ReadModel)? {
        let models: [any ReadModel] = [employeesModel, keysModel, adminsModel, pendingModel, tenantsModel]
        return models.first { type(of: $0).name == name }
    }
}
