public import Logging

extension PostgresConnection {
    /// Opens a session with the first host of the configuration that can be used.
    ///
    /// - Throws: ``PostgresError/Code/connection`` if no server can be reached or all refuse the session,
    ///   ``PostgresError/Code/timeout`` after ``PostgresConfiguration/connectTimeout``,
    ///   ``PostgresError/Code/serverBehind`` if the servers that answer are behind the newest one seen,
    ///   ``PostgresError/Code/cancelled``, and ``PostgresError/Code/usage`` for parameters that cannot be sent.
    public static func connect(
        _ configuration: PostgresConfiguration, logger: Logger
    ) async throws(PostgresError) -> PostgresConnection {
        let hosts = configuration.eachHost, end = Reactor.Instant.now + configuration.connectTimeout
        var failures: [PostgresError] = []
        for (number, host) in hosts.enumerated() {
            let share = (end - .now) / (hosts.count - number)
            let deadline = Reactor.Instant.now + min(share, configuration.hostTimeout ?? share)
            do throws(PostgresError) { return try await admitted(host, until: deadline, logger) } catch {
                guard error.code != .cancelled, error.code != .usage else { throw error }
                failures.append(error)
            }
        }
        throw PostgresError(joining: failures)
    }

    private static func admitted(
        _ host: PostgresConfiguration, until deadline: Reactor.Instant, _ logger: Logger
    ) async throws(PostgresError) -> PostgresConnection {
        let session = try await Session.connect(host, until: deadline, logger: logger)
        var connection = PostgresConnection(session: session)
        guard let newest = host.newestServer else { return connection }
        session.answerTimeoutOverride = max(deadline - .now, .milliseconds(1))
        session.server = try await newest.admit(&connection)
        session.answerTimeoutOverride = nil
        return connection
    }
}
