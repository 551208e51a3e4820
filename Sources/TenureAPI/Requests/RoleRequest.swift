public import Canonical

/// The body of `/role`.
public struct RoleRequest: Sendable, Equatable, JSONConvertible {
    /// What an employee may be.
    public enum Role: String, Sendable, CaseIterable {
        /// Administers the company.
        case admin
        /// The one security admin, in place of the present one.
        case securityAdmin
        /// None of both.
        case employee
    }

    /// The role from now on.
    public var role: Role
    /// The statement and the signature, in the second call of an admin.
    public var signed: StatementSignature?

    /// Describes a change.
    public init(role: Role, signed: StatementSignature? = nil) {
        self.role = role
        self.signed = signed
    }

    /// Reads a request; unknown members and roles are refused.
    public init(json: JSONValue, at pointer: String) throws(JSONError) {
        var reader = try ObjectReader(json, at: pointer)
        let text = try reader.string("role")
        guard let role = Role(rawValue: text) else {
            let names = Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw reader.invalid("role", "one of \(names) is expected")
        }
        self.role = role
        signed = try StatementSignature.read(from: &reader)
        try reader.finish()
    }

    /// The body.
    public var json: JSONValue {
        .objectOmittingNil([
            "role": .string(role.rawValue), "statement": signed.map { .base64($0.statement) },
            "signature": signed.map { .base64($0.signature) },
        ])
    }
}
