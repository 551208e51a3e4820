import Canonical

/// A caller who may own an `Idempotency-Key`.
package protocol KeyOwner: Sendable {
    /// The name of the owner.
    var keyOwner: String { get }
}

extension AppCaller: KeyOwner {
    package var keyOwner: String { "app/\(appId.lowercased)" }
}

extension EmployeeCaller: KeyOwner {
    package var keyOwner: String { "employee/\(tenantId.lowercased)/\(employeeId.lowercased)" }
}

extension Caller: KeyOwner {
    /// The app or the employee.
    package var keyOwner: String {
        switch self {
        case .app(let app): app.keyOwner
        case .employee(let employee): employee.keyOwner
        }
    }
}
