public import Canonical

/// The tenant controls the domain, so that owning an address gives power.
public struct DomainConfirmed: EventPayload {
    /// The permanent name.
    public static let type = "DomainConfirmed"
    /// The domain, in canonical form.
    public var domain: String
    /// Who decided.
    public var by: Authority

    /// Makes the event.
    public init(domain: String, by: Authority) {
        self.domain = domain
        self.by = by
    }

    /// The member `data`.
    public func encode(using coder: some PersonalDataCoder) throws -> JSONValue {
        try EventLimits.check(domain, EventLimits.name, "/data/domain")
        return try .objectOmittingNil([
            "domain": .string(domain),
            "by": by.json(),
        ])
    }

    /// Reads the member `data`.
    public init(data: JSONValue, using coder: some PersonalDataCoder) throws {
        var reader = try EventReader(data, coder)
        domain = try reader.text("domain")
        by = try reader.authority()
        try reader.finish()
    }
}
