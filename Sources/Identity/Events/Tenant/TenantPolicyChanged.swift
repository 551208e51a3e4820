public import Canonical

/// The tenant set its rules.
public struct TenantPolicyChanged: EventPayload {
    /// The permanent name.
    public static let type = "TenantPolicyChanged"
    /// The rules from now on, all of them.
    public var policy: TenantPolicy
    /// Who decided.
    public var by: Authority

    /// Makes the event.
    public init(policy: TenantPolicy, by: Authority) {
        self.policy = policy
        self.by = by
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try policy.json(by: by)
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        policy = try reader.policy()
        by = try reader.authority()
        try reader.finish()
    }
}
