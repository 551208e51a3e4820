/// What a secret of an app may be used for; roles belong to secrets, not to apps.
public enum AppRole: String, Sendable, Hashable, CaseIterable {
    /// Logging employees in, and reading.
    case access
    /// Authorizing, refusing and revoking employee keys.
    case authorization
    /// Registering employees.
    case creation
}

/// The roles of a secret: at least one.
public struct RoleSet: Sendable, Hashable {
    /// Every role.
    public static let all = RoleSet(.access, .authorization, .creation)
    /// The roles.
    public let roles: Set<AppRole>

    /// Makes a set of roles.
    public init(_ first: AppRole, _ others: AppRole...) { roles = Set(others).union([first]) }

    /// Makes a set of roles; nil when there are none.
    public init?(_ roles: some Sequence<AppRole>) {
        let set = Set(roles)
        guard !set.isEmpty else { return nil }
        self.roles = set
    }

    /// Whether a role is among them.
    public func contains(_ role: AppRole) -> Bool { roles.contains(role) }

    /// The names of the roles, sorted: how they stand in an event.
    public var names: [String] { roles.map(\.rawValue).sorted() }

    /// Reads sorted names without repetition; nil for anything else, so that every set has one spelling.
    public init?(names: [String]) {
        let roles = names.compactMap(AppRole.init(rawValue:))
        self.init(roles)
        guard self.names == names else { return nil }
    }
}
