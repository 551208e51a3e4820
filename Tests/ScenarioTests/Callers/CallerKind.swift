import TenureAPI

/// A kind of caller: a column of `docs/callers.md`, in the order of the page.
enum CallerKind: String, CaseIterable, Sendable {
    case nobody
    case access
    case creation
    case authorization
    case administration
    case unlinked
    case employee
    case own
    case admin
    case securityAdmin
    case foreign

    /// Every kind, with the apps last: their decisions take effect without a signature.
    static let inOrderOfCalls: [CallerKind] = allCases.filter { $0.role == nil } + allCases.filter { $0.role != nil }

    /// The only role of the app's secret; `nil` for other callers.
    var role: String? {
        switch self {
        case .access, .creation, .authorization, .administration: rawValue.uppercased()
        default: nil
        }
    }

    /// Whether the caller presents an access token.
    var isEmployee: Bool {
        switch self {
        case .employee, .own, .admin, .securityAdmin, .foreign: true
        default: false
        }
    }

    /// The heading of the column.
    var heading: String {
        switch self {
        case .nobody: "nobody"
        case .access, .creation, .authorization, .administration: role ?? ""
        case .unlinked: "unlinked app"
        case .employee: "employee"
        case .own: "the employee named"
        case .admin: "admin"
        case .securityAdmin: "security admin"
        case .foreign: "other company"
        }
    }

    /// Whether the contract says that this caller may call.
    ///
    /// - Parameter callers: The `x-callers` of the operation.
    func isExpected(at endpoint: Endpoint, _ callers: Set<String>) -> Bool {
        // The tests call over the loopback interface.
        guard callers.isDisjoint(with: ["anyone", "loopback"]) else { return true }
        return switch self {
        case .nobody: false
        case .access, .creation, .authorization, .administration: callers.contains("app:\(role ?? "")")
        case .unlinked: callers.contains { $0.hasPrefix("unlinkedApp:") }
        case .employee: callers.contains("employee")
        case .own: !callers.isDisjoint(with: ["employee", "self"])
        case .admin, .securityAdmin: callers.contains(rawValue)
        // The security admin of another company, whom only paths that name a company can tell from one of this company.
        case .foreign: callers.contains("employee") && !endpoint.template.captures.contains("companyName")
        }
    }
}
