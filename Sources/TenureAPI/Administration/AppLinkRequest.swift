public import Canonical

/// The body of `PUT /v1/companies/{companyName}/apps/{appId}`.
public struct AppLinkRequest: Sendable, Equatable, RequestObject {
    /// A capability that a link grants an app in a tenant.
    public enum Role: String, Sendable, CaseIterable {
        /// Log employees in and read the tenant.
        case access = "ACCESS"
        /// Register employees.
        case creation = "CREATION"
        /// Countersign device keys of ordinary employees.
        case authorization = "AUTHORIZATION"
        /// Approve, cancel and invite ordinary employees.
        case administration = "ADMINISTRATION"
    }

    /// The roles of the link. `nil` keeps those of an existing link, and gives a new one ACCESS, CREATION and
    /// AUTHORIZATION.
    public var roles: Set<Role>?
    /// The signed statement; sent with the second call.
    public var signed: StatementSignature?

    /// Describes a link and the roles that it grants.
    public init(roles: Set<Role>? = nil, signed: StatementSignature? = nil) {
        self.roles = roles
        self.signed = signed
    }

    /// The members on the wire.
    public static let members = WireMembers<AppLinkRequest>(
        "AppLinkRequest", AppLinkRequest.init, Member(optional: "roles", \.roles, .roles), .signed(\.signed))
}

extension MemberKind<Set<AppLinkRequest.Role>> {
    /// At least one role, each once.
    fileprivate static var roles: MemberKind {
        let all = AppLinkRequest.Role.allCases.map(\.rawValue)
        return MemberKind(.array(.word(all), count: 1...all.count)) { (json, place) throws(JSONError) in
            let names = try json.strings(at: place)
            let roles = Set(names.compactMap(AppLinkRequest.Role.init(rawValue:)))
            guard !roles.isEmpty, roles.count == names.count else {
                throw place.invalid("at least one of \(all.joined(separator: ", ")) is expected, each once")
            }
            return roles
        } write: { (roles, _) in
            .array(roles.map(\.rawValue).sorted().map(JSONValue.string))
        }
    }
}
