/// The rows of all projections in files of the server, to be copied into the same tables under other generations.
struct CopiedRows: Sendable {
    /// How often one copy puts in all rows: once would be too short to measure.
    static let times = 4

    private let cluster: Cluster
    private let database: String

    /// Writes the files, below the directory that `scripts/bench` deletes.
    init(cluster: Cluster, database: String) async throws {
        self.cluster = cluster
        self.database = database
        let rows = "replace(names, 'generation', (-pass)::text)"
        try await cluster.execute(
            script("format('COPY (SELECT %s FROM tenure.%I) TO %L', \(rows), name, file)"), in: database)
    }

    /// Copies all rows and takes that back: what is left must be vacuumed.
    func copy() async throws {
        let copies = script("format('COPY tenure.%I (%s) FROM %L', name, names, file)")
        try await cluster.execute("BEGIN; \(copies); ROLLBACK", in: database)
    }

    /// Executes a statement for each table of a projection and each file of it.
    private func script(_ statement: String) -> String {
        """
        DO $$ DECLARE name text; names text; pass int; file text; BEGIN
            FOR name, names IN SELECT c.table_name, string_agg(c.column_name, ', ' ORDER BY c.ordinal_position)
                FROM information_schema.columns AS c WHERE c.table_schema = 'tenure' AND c.is_generated = 'NEVER'
                GROUP BY c.table_name
                HAVING bool_or(c.column_name = 'generation') AND c.table_name NOT LIKE 'projection%'
            LOOP
                FOR pass IN 1..\(Self.times) LOOP
                    file := '\(cluster.socket)/' || name || '.' || pass;
                    EXECUTE \(statement);
                END LOOP;
            END LOOP;
        END $$
        """
    }
}
