public import Canonical

/// The body of `PUT /v1/companies/{companyName}/apps/{appId}`.
public struct AppLinkRequest: Sendable, Equatable, JSONConvertible {
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

    /// Reads a request.
    ///
    /// Rejects unknown members, unknown roles, duplicate roles and an empty list of roles.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        if let names = try reader.optionalStrings("roles") {
            let roles = Set(names.compactMap(Role.init(rawValue:)))
            guard !roles.isEmpty, roles.count == names.count else {
                let all = Role.allCases.map(\.rawValue).joined(separator: ", ")
                throw reader.invalid("roles", "at least one of \(all) is expected, each once")
            }
            self.roles = roles
        } else {
            roles = nil
        }
        signed = try StatementSignature.read(from: &reader)
        try reader.finish()
    }

    /// The body as JSON.
    public var json: JSONValue {
        .objectOmittingNil([
            "roles": roles.map { .array($0.map(\.rawValue).sorted().map { .string($0) }) },
            "statement": signed.map { .base64($0.statement) }, "signature": signed.map { .base64($0.signature) },
        ])
    }
}
