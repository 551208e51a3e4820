/// Someone who may call an endpoint, in the words of `x-callers`.
package enum EndpointCaller: String, Sendable {
    /// Any caller, without credentials.
    case anyone
    /// An app with the role ACCESS.
    case accessApp = "app:ACCESS"
    /// An app with the role CREATION.
    case creationApp = "app:CREATION"
    /// An app with the role AUTHORIZATION.
    case authorizationApp = "app:AUTHORIZATION"
    /// An app with the role ADMINISTRATION.
    case administrationApp = "app:ADMINISTRATION"
    /// An app with the role ACCESS that is not linked to the tenant.
    case unlinkedAccessApp = "unlinkedApp:ACCESS"
    /// An app with the role CREATION that is not linked to the tenant.
    case unlinkedCreationApp = "unlinkedApp:CREATION"
    /// Any employee with a session.
    case employee
    /// The employee whose account, device or M-Pin identity the path names.
    case oneself = "self"
    /// An admin of the tenant.
    case admin
    /// The security admin of the tenant.
    case securityAdmin

    /// The credentials that the caller presents; `nil` for none.
    var scheme: Endpoint.Access? {
        switch self {
        case .anyone: nil
        case .accessApp, .creationApp, .authorizationApp, .administrationApp, .unlinkedAccessApp, .unlinkedCreationApp:
            .app
        case .employee, .oneself, .admin, .securityAdmin: .employee
        }
    }
}

extension [EndpointCaller] {
    /// Apps that log employees in. One without a link gets what an unknown employee gets.
    static let accessApps: Self = [.accessApp, .unlinkedAccessApp]
    /// Apps that register employees. One without a link gets what an unknown employee gets.
    static let creationApps: Self = [.creationApp, .unlinkedCreationApp]
    static let employees: Self = [.employee] + .admins
    static let admins: Self = [.admin, .securityAdmin]
}
