public import Identity

/// A row of a view that is not as the log says, or a view that cannot be folded to the end.
public struct ViewDifference: Sendable, Hashable {
    /// How it differs.
    public enum Kind: Sendable, Hashable {
        /// The log says there is such a row, and the live view has none.
        case missing
        /// The live view has the row, and the log says nothing of it.
        case unexpected
        /// These columns hold other values.
        case changed(columns: [String])
        /// The log cannot be folded past the event at this position, for this reason.
        case stopped(position: Int64, reason: String)
    }

    /// The view.
    public let view: ProjectionName
    /// The table of the view.
    public let table: String
    /// The company.
    public let tenant: TenantID
    /// The key of the row within the company, as text; empty where a company has one row.
    public let key: String
    /// How it differs.
    public let kind: Kind

    /// Describes a difference.
    public init(view: ProjectionName, table: String, tenant: TenantID, key: String, kind: Kind) {
        self.view = view
        self.table = table
        self.tenant = tenant
        self.key = key
        self.kind = kind
    }
}
