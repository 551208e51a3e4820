/// The name of a view, as it stands in the database and on the command line.
public struct ProjectionName: RawRepresentable, Sendable, Hashable, Comparable, CustomStringConvertible {
    /// The name, such as `employees`.
    public let rawValue: String

    /// Wraps a name; whether there is such a view is for ``init(known:)`` to say.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Takes the name of a view that exists; nil for any other.
    public init?(known name: String) {
        guard let known = Self.all.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) else { return nil }
        self = known
    }

    /// The name.
    public var description: String { rawValue }

    /// Companies.
    public static let tenants = ProjectionName(rawValue: "tenants")
    /// Employees.
    public static let employees = ProjectionName(rawValue: "employees")
    /// Device keys of employees.
    public static let employeeKeys = ProjectionName(rawValue: "employee_keys")
    /// Founders and security admins, with proofs.
    public static let firstSecurityAdmins = ProjectionName(rawValue: "first_security_admins")
    /// Keys that wait for somebody with authority.
    public static let pendingAuthorizations = ProjectionName(rawValue: "pending_authorizations")

    /// All views, in the order of their names.
    public static let all: [ProjectionName] = [
        .employeeKeys, .employees, .firstSecurityAdmins, .pendingAuthorizations, .tenants,
    ]

    /// The order in which rows of several views are locked.
    public static func < (left: ProjectionName, right: ProjectionName) -> Bool {
        left.rawValue.utf8.lexicographicallyPrecedes(right.rawValue.utf8)
    }
}
