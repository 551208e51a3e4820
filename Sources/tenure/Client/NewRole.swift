import ArgumentParser
import TenureAPI

/// What somebody becomes, as it is written at a terminal.
enum NewRole: String, ExpressibleByArgument, CaseIterable {
    case admin
    case employee
    case securityAdmin = "security-admin"

    /// What the service calls it.
    var role: RoleRequest.Role {
        switch self {
        case .admin: .admin
        case .employee: .employee
        case .securityAdmin: .securityAdmin
        }
    }

    /// What has happened then.
    var outcome: String {
        switch self {
        case .admin: "appointed"
        case .employee: "dismissed"
        case .securityAdmin: "succeeded"
        }
    }

    /// How it is, afterwards or already before.
    func result(for employee: String) -> String {
        switch self {
        case .admin: "\(employee) is an admin."
        case .employee: "\(employee) is no admin."
        case .securityAdmin: "\(employee) is the security admin."
        }
    }

    /// What it means, before somebody agrees.
    func consequence(for employee: String, in company: String) -> String {
        switch self {
        case .admin:
            """
            \(employee) becomes an admin of \(company), who lets devices in, appoints and dismisses admins, changes the
            company's policy, and may be the second of the two who give somebody new credentials.
            """
        case .employee: "\(employee) is no admin of \(company) any more, and decides nothing from then on."
        case .securityAdmin:
            """
            \(employee) becomes the security admin of \(company) in your place. You are an ordinary employee then,
            and cannot take it back. The device that will speak for them is
            """
        }
    }

    /// What is asked.
    var question: String {
        switch self {
        case .admin: "Appoint them? [y/N] "
        case .employee: "Dismiss them? [y/N] "
        case .securityAdmin: "Has the person whom you know read out the same? [y/N] "
        }
    }
}
