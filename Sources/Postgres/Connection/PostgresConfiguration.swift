import CLibPQ

/// The server to connect to, the user, and the limits of every session.
///
/// ```swift
/// var configuration = try PostgresConfiguration(url: "postgresql://tenure_app@db.example/tenure")
/// configuration.statementTimeout = .seconds(5)
/// ```
///
/// libpq also reads `PG*` environment variables, the password file and service files for what the URL does not say.
/// Three defaults differ from libpq's. A host that is neither a Unix socket nor loopback needs TLS with a verified
/// certificate (`sslmode=verify-full`). GSS is off. A silent peer is detected (`tcp_user_timeout`).
public struct PostgresConfiguration: Sendable {
    /// The parameters of the URL, by libpq's keywords.
    private(set) var parameters: [String: String]
    /// The session's name in `pg_stat_activity`. The server cuts it after 63 bytes.
    public var applicationName = "tenure"
    /// How long connecting may take, name resolution included. Of several hosts each gets an equal share of what is left,
    /// or the URL's `connect_timeout` if that is shorter.
    public var connectTimeout: Duration = .seconds(10)
    /// `statement_timeout`, or `nil` for none. The client waits ``responseGrace`` longer before it closes the
    /// connection.
    public var statementTimeout: Duration? = .seconds(30)
    /// `lock_timeout`, or `nil` for none.
    public var lockTimeout: Duration? = .seconds(10)
    /// `idle_in_transaction_session_timeout`, or `nil` for none.
    public var idleInTransactionTimeout: Duration? = .seconds(60)
    /// How long the client waits for a silent server after ``statementTimeout`` before it closes the connection.
    public var responseGrace: Duration = .seconds(5)
    /// How many statements a connection keeps prepared. Use 0 behind a transaction-pooling proxy.
    public var statementCacheCapacity = 256
    /// Further settings of every session, by name (`search_path`, `role`, `tenure.ledgers`).
    public var sessionSettings: [String: String] = [:]
    /// Keeps sessions away from servers that are behind the newest one seen; without it every server is taken.
    public var newestServer: NewestServer?

    /// Parses a `postgresql://` URL or a `key=value` connection string (PostgreSQL manual §34.1.1).
    ///
    /// - Throws: ``PostgresError/Code/usage`` for text that is neither. The error does not quote the text, which may
    ///   hold a password.
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

    /// A copy with another database.
    public func with(database: String) -> PostgresConfiguration { setting("dbname", database) }

    /// A copy with another user and without the password, which belonged to the other user.
    public func with(user: String) -> PostgresConfiguration {
        var copy = setting("user", user)
        copy.parameters["password"] = nil
        return copy
    }

    /// A copy with another password.
    public func with(password: String) -> PostgresConfiguration { setting("password", password) }

    /// The database that the URL names. If it is `nil`, libpq decides.
    public var database: String? { parameters["dbname"] }
    /// The user that the URL names. If it is `nil`, libpq decides.
    public var user: String? { parameters["user"] }

    /// A copy with another value of a parameter.
    func setting(_ keyword: String, _ value: String?) -> PostgresConfiguration {
        var copy = self
        copy.parameters[keyword] = value
        return copy
    }
}

extension PostgresConfiguration: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Host, port, database and user, but not the password.
    public var description: String {
        let shown = ["host", "hostaddr", "port", "dbname", "user", "sslmode"].compactMap { key in
            parameters[key].map { "\(key)=\($0)" }
        }
        return "PostgresConfiguration(\(shown.joined(separator: " ")))"
    }

    /// The same as `description`.
    public var debugDescription: String { description }
    /// An empty mirror, because `dump` must not show the password.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension PostgresConfiguration {
    /// The keywords and values that libpq connects with.
    ///
    /// - Throws: ``PostgresError/Code/usage`` for NUL and for malformed setting names.
    func connectParameters() throws(PostgresError) -> [(keyword: String, value: String)] {
        var all = parameters
        all["application_name"] = applicationName
        all["client_encoding"] = "UTF8"
        all["gssencmode"] = all["gssencmode"] ?? "disable"
        all["sslmode"] = effectiveMode
        all["keepalives_idle"] = all["keepalives_idle"] ?? "30"
        all["tcp_user_timeout"] = all["tcp_user_timeout"] ?? "30000"
        // This library's own clock limits connecting; libpq's non-blocking calls ignore this parameter.
        all["connect_timeout"] = nil
        all["options"] = try options(after: all["options"])
        let ordered = all.sorted { $0.key < $1.key }
        for (keyword, value) in ordered where value.utf8.contains(0) {
            throw PostgresError(.usage, "the connection parameter \(keyword) contains NUL")
        }
        return ordered.map { (keyword: $0.key, value: $0.value) }
    }

    /// The URL's `sslmode`, or the safe one for its hosts.
    var effectiveMode: String { parameters["sslmode"] ?? (isLocal ? "prefer" : "verify-full") }

    /// Whether the connection stays on this machine.
    private var isLocal: Bool {
        guard let hosts = parameters["host"] ?? parameters["hostaddr"], !hosts.isEmpty else { return true }
        return hosts.split(separator: ",").allSatisfy { host in
            host.hasPrefix("/") || host.hasPrefix("@") || ["localhost", "127.0.0.1", "::1"].contains(host)
        }
    }

    /// The session settings as `-c name=value`, with white space and backslashes escaped (manual §34.1.2, `options`).
    private func options(after given: String?) throws(PostgresError) -> String {
        var settings: [(String, String)] = [
            // Without it a server notices a lost client only when it sends something.
            ("client_connection_check_interval", "1000"),
            ("statement_timeout", Self.milliseconds(statementTimeout)),
            ("lock_timeout", Self.milliseconds(lockTimeout)),
            ("idle_in_transaction_session_timeout", Self.milliseconds(idleInTransactionTimeout)),
            ("TimeZone", "UTC"),
        ]
        settings += sessionSettings.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        var options = given.map { [$0] } ?? []
        for (name, value) in settings {
            guard name.utf8.allSatisfy(Self.isNameByte), !name.isEmpty else {
                throw PostgresError(.usage, "the name of a session setting is malformed")
            }
            var escaped = ""
            for character in value.unicodeScalars {
                if character == "\\" || character.properties.isWhitespace { escaped += "\\" }
                escaped.unicodeScalars.append(character)
            }
            options.append("-c \(name)=\(escaped)")
        }
        return options.joined(separator: " ")
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "."):
            true
        default: false
        }
    }

    /// The timeout in milliseconds. To the server 0 means none, so a positive time below a millisecond becomes 1.
    private static func milliseconds(_ duration: Duration?) -> String {
        guard let duration, duration > .zero else { return "0" }
        return "\(Int64(min(max(duration / .milliseconds(1), 1), Double(Int32.max))))"
    }
}
