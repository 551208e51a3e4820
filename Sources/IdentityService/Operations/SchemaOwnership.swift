package import Postgres

/// The tables and functions of the schema `tenure` that belong to another role than `tenure_owner`.
package struct SchemaOwnership: Sendable, Equatable {
    /// A table or a function with its owner.
    package struct Object: Sendable, Equatable {
        /// The name with the schema and, for a function, its argument types.
        package let name: String
        /// The role that owns it.
        package let owner: String
        /// Whether it is a function or a procedure; otherwise it is a table.
        package let isFunction: Bool
    }

    /// The objects of other roles: tables first, each kind by name.
    package let foreign: [Object]

    /// Reads the catalogue, which every role may do.
    ///
    /// - Throws: `PostgresError`.
    package static func read(_ pool: PostgresPool) async throws -> SchemaOwnership {
        let rows = try await pool.withConnection { connection in
            try await connection.query(
                """
                SELECT name, pg_get_userbyid(owner)::text, is_function FROM (
                    SELECT oid::regclass::text, relowner, false FROM pg_class
                    WHERE relnamespace = to_regnamespace('tenure') AND relkind IN ('r', 'p', 'v', 'm', 'f')
                    UNION ALL
                    SELECT oid::regprocedure::text, proowner, true FROM pg_proc
                    WHERE pronamespace = to_regnamespace('tenure')
                ) AS object (name, owner, is_function)
                WHERE pg_get_userbyid(owner) <> 'tenure_owner' ORDER BY is_function, name
                """)
        }
        return SchemaOwnership(
            foreign: try rows.map { row in
                let (name, owner, isFunction) = try row.decode(String.self, String.self, Bool.self)
                return Object(name: name, owner: owner, isFunction: isFunction)
            })
    }
}
