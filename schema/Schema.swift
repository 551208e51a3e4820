import CSchema
import Embedding

/// The SQL of the database, compiled in: a binary always migrates to exactly the schema it was built with.
public enum Schema {
    /// One SQL file.
    public struct Script: Sendable, Hashable {
        /// The name of the file without its extension, such as `m001_roles` or `append`.
        public let name: String
        /// The UTF-8 text of the file.
        public let bytes: [UInt8]

        /// The text of the file.
        public var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private static let files = unsafe EmbeddedFiles(
        count: schema_count, names: schema_names, bytes: schema_bytes, sizes: schema_sizes)

    private static func scripts(in folder: String, without suffix: String = ".sql") -> [Script] {
        files.files(in: folder).map { Script(name: String($0.name.dropLast(suffix.utf8.count)), bytes: $0.bytes) }
    }

    /// What changes the schema, in order; each runs once, in a transaction, and never changes afterwards.
    public static let migrations = scripts(in: "migrations")

    /// The revision of the functions, of both forms. It grows with each release that changes one of them, so that an
    /// older program never puts back a newer function. `FunctionRevisionTests` (LedgerTests) knows the texts of each.
    public static let functionsRevision = 1

    /// The functions, replaced as a whole whenever one of them changed; none needs another to exist when it is created.
    public static let functions = scripts(in: "functions")

    /// The forms of some functions for a distributed database. Each replaces the function of the same name.
    public static let distributedFunctions = scripts(in: "distributed", without: "_distributed.sql")

    /// Returns the functions of a database on one server, or of a distributed one.
    public static func functions(distributed: Bool) -> [Script] {
        guard distributed else { return functions }
        return functions.map { plain in distributedFunctions.first { $0.name == plain.name } ?? plain }
    }
}
