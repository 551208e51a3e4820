import Logging
import Postgres

/// The database of a command. A database that is away is reported in one line.
enum CommandDatabase {
    /// How long `tenure serve` waits for a database that starts at the same time.
    static let patienceOfService: Duration = .seconds(10)
    /// The pause between two attempts.
    private static let pause: Duration = .milliseconds(250)

    /// Runs `body` with connections to the database of a setting.
    ///
    /// It tries to connect once. So a person reads the reason at once, and not the log of a pool that tries again.
    ///
    /// - Parameter remedy: What to do if the setting is missing.
    /// - Throws: ``CommandFailure`` with exit code 64 for a missing or malformed setting and 69 for a database that
    ///   cannot be reached, and what `body` throws.
    static func with<Result: Sendable>(
        _ name: Settings.Name, _ settings: Settings, maximumConnections: Int = 4,
        remedy: String? = "For the service of make run: . .tenure/dev.env",
        _ body: (PostgresPool) async throws -> Result
    ) async throws -> Result {
        let configuration = try configuration(name, settings, remedy: remedy)
        try await reach(configuration, name)
        return try await withPostgresPool(
            configuration: configuration, maximumConnections: maximumConnections,
            logger: try Logs.logger(settings, default: .error), body)
    }

    /// Returns the configuration of a setting. The error does not quote the URL, which may contain a password.
    static func configuration(
        _ name: Settings.Name, _ settings: Settings, remedy: String? = nil
    ) throws -> PostgresConfiguration {
        let url = try settings.required(name, remedy: remedy)
        do {
            var configuration = try PostgresConfiguration(url: url)
            // Of several hosts, the newest primary is used.
            configuration.newestServer = NewestServer()
            return configuration
        } catch {
            throw CommandFailure(
                .usage, "\(name.variable) is not the URL of a database",
                remedy: "Write postgresql://user@host:port/database.")
        }
    }

    /// Looks at all hosts, and connects once, or repeatedly for the duration of `patience`.
    ///
    /// - Throws: ``CommandFailure`` with exit code 69 if the database cannot be reached.
    static func reach(
        _ configuration: PostgresConfiguration, _ name: Settings.Name, patience: Duration = .zero
    ) async throws {
        let deadline = ContinuousClock.now + patience
        let logger = Logs.logger(level: .critical)
        await configuration.newestServer?.probe([configuration], logger: logger)
        while true {
            do throws(PostgresError) {
                var connection = try await PostgresConnection.connect(configuration, logger: logger)
                return connection.close()
            } catch {
                guard error.code == .connection || error.code == .timeout else { throw error }
                guard ContinuousClock.now < deadline else { throw CommandFailure.databaseAway(name.variable, error) }
            }
            try await Task.sleep(for: pause)
        }
    }
}

extension CommandFailure {
    /// The one line about a database that cannot be reached or refuses the connection.
    ///
    /// - Parameter setting: The variable that names the database, if it is known.
    static func databaseAway(_ setting: String?, _ error: PostgresError) -> CommandFailure {
        CommandFailure(
            .unreachable,
            "the database\(setting.map { " of \($0)" } ?? "") cannot be reached (\(reason(error))): "
                + "start PostgreSQL, or correct \(setting ?? "the URL")")
    }

    /// The first line of what the server or libpq reported, which says what happened.
    private static func reason(_ error: PostgresError) -> String {
        let full = String(reflecting: error), known = error.description + ", server: "
        guard full.hasPrefix(known) else { return error.reason }
        return full.dropFirst(known.count).split(whereSeparator: \.isNewline).first.map(String.init) ?? error.reason
    }
}
