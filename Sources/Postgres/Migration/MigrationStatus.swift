/// How a database compares with the migrations of this program.
public struct MigrationStatus: Sendable, Hashable {
    /// Migrations that were not applied.
    public internal(set) var pending: [String] = []
    /// Applied migrations whose text was another one.
    public internal(set) var changed: [String] = []
    /// Applied migrations this program does not know: a newer one has been here.
    public internal(set) var unknown: [String] = []
    /// Functions that were not applied, or with another text.
    public internal(set) var staleFunctions: [String] = []
    /// How many migrations are applied.
    public internal(set) var appliedCount = 0

    /// Whether the database is exactly what this program expects.
    public var isCurrent: Bool { pending.isEmpty && changed.isEmpty && unknown.isEmpty && staleFunctions.isEmpty }
    /// Whether everything this program needs is there; a newer program may have added more.
    public var isUsable: Bool { pending.isEmpty && changed.isEmpty }
}
