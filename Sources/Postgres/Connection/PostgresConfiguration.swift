import CLibPQ

/// Where the database is, who we are, and the limits every session gets.
///
/// libpq also reads `PG*` environment variables, the password file and service files for what the text does not say.
/// Unless the text says otherwise: a host that is neither a Unix socket nor loopback needs TLS with a verified
/// certificate (`sslmode=verify-full`), GSS is off, and a silent peer is noticed (`tcp_user_timeout`).
public struct PostgresConfiguration: Sendable {
    /// What the URL said, by libpq's keywords.
    private(set) var parameters: [String: String]
    /// How the session names itself in `pg_stat_activity`; at most 63 bytes, longer ones are cut by the server.
    public var applicationName = "tenure"
    /// How long connecting may take, name resolution included.
    public var connectTimeout: Duration = .seconds(10)
    /// `statement_timeout`; nil for none. The client waits ``responseGrace`` longer before it gives the server up.
    public var statementTimeout: Duration? = .seconds(30)
    /// `lock_timeout`; nil for none.
    public var lockTimeout: Duration? = .seconds(10)
    /// `idle_in_transaction_session_timeout`; nil for none.
    public var idleInTransactionTimeout: Duration? = .seconds(60)
    /// How long after ``statementTimeout`` a server that is silent is taken for dead and the connection closed.
    public var responseGrace: Duration = .seconds(5)
    /// How many statements a connection keeps prepared; 0 prepares none, as a transaction-pooling proxy needs.
    public var statementCacheCapacity = 256
    /// Further settings of every session, by name (`search_path`, `role`, `tenure.ledgers`).
    public var sessionSettings: [String: String] = [:]

    /// Reads a `postgresql://` URL or a `key=value` connection string (PostgreSQL manual §34.1.1).
    ///
    /// Throws `.usage` for text that is neither. The error does not quote the text, which may hold a password.
    public init(url: String) throws(PostgresError) {
        let malformed = PostgresError(.usage, "the connection string is malformed")
        guard !url.utf8.contains(0) else { throw malformed }
        var message: UnsafeMutablePointer<CChar>?
        let list = unsafe PQconninfoParse(url, &message)
        defer {
            unsafe PQconninfoFree(list)
            unsafe PQfreemem(message)
        }
        guard var option = unsafe list else { throw malformed }
        parameters = [:]
        while let keyword = unsafe option.pointee.keyword {
            if let value = unsafe option.pointee.val {
                parameters[unsafe String(cString: keyword)] = unsafe String(cString: value)
            }
            unsafe option += 1
        }
        if let name = parameters["application_name"] { applicationName = name }
    }

    /// The same with another database.
    public func with(database: String) -> PostgresConfiguration { setting("dbname", database) }

    /// The same with another user; the password is dropped, because it belonged to the other one.
    public func with(user: String) -> PostgresConfiguration {
        var copy = setting("user", user)
        copy.parameters["password"] = nil
        return copy
    }

    /// The same with another password.
    public func with(password: String) -> PostgresConfiguration { setting("password", password) }

    /// The database the text names; nil leaves it to libpq.
    public var database: String? { parameters["dbname"] }
    /// The user the text names; nil leaves it to libpq.
    public var user: String? { parameters["user"] }

    private func setting(_ keyword: String, _ value: String) -> PostgresConfiguration {
        var copy = self
        copy.parameters[keyword] = value
        return copy
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Host, port, database and user: never the password.
    public var description: String {
        let shown = ["host", "hostaddr", "port", "dbname", "user", "sslmode"].compactMap { key in
            parameters[key].map { "\(key)=\($0)" }
        }
        return "PostgresConfiguration(\(shown.joined(separator: " ")))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// Nothing: `dump` must not show the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
