/// The contents of the files that make a cluster private.
enum ClusterSettings {
    /// The database of the service.
    static let database = "tenure"
    /// Everybody that the service connects as.
    static let roles = ["tenure_owner", "tenure_app", "tenure_reader"]

    /// The server's settings, read after `postgresql.conf`. Everything durable stays at its default, which is on.
    static func server(socketDirectory: String) -> String {
        """
        # Written by tenure at every start.
        listen_addresses = ''
        port = \(ClusterLayout.port)
        unix_socket_directories = '\(socketDirectory)'
        unix_socket_permissions = 0700
        max_connections = 100
        log_min_messages = warning

        """
    }

    /// Who may connect: whoever the operating system says is one of the mapped users, through the socket only.
    static let access = """
        # Written by tenure at every start.
        local all all peer map=tenure

        """

    /// Which user of the operating system may be which role.
    static func users(_ names: [String]) -> String {
        var lines = ["# Written by tenure at every start."]
        for name in names {
            for role in ["postgres"] + roles { lines.append("tenure \"\(name)\" \(role)") }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Makes the roles and the database, as a superuser; can be run again.
    static let bootstrap =
        roles.map { role in
            """
            SELECT 'CREATE ROLE \(role) LOGIN NOSUPERUSER NOBYPASSRLS NOCREATEDB NOCREATEROLE NOREPLICATION'
            WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '\(role)') \\gexec

            """
        }.joined() + """
            SELECT 'CREATE DATABASE \(database) OWNER tenure_owner TEMPLATE template0 ENCODING ''UTF8'''
            WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = '\(database)') \\gexec

            """
}
