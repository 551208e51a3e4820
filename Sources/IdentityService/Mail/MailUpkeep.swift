package import Canonical
package import EventCoding
package import Postgres
package import ServiceLifecycle
import Synchronization

/// The worker that empties the outbox, with its metrics; nothing without a transport.
package struct MailUpkeep: Sendable {
    /// The worker, if mails can be sent.
    package let services: [any Service]
    /// The metrics of mails in the Prometheus text format; empty if none can be sent.
    package let metrics: @Sendable () async -> String

    /// - Parameters:
    ///   - readerPool: Connections of the reader role, which sees all ledgers.
    ///   - transport: Takes the mails.
    ///   - whoWaits: Reads who waits for the admins of a tenant, in the order of lists.
    package init(
        _ context: ServiceContext, readerPool: PostgresPool, transport: (any MailTransport)?,
        whoWaits: @escaping @Sendable (TenantSnapshot, Timestamp) async throws -> [WaitingEntry]
    ) {
        guard let transport, let settings = context.mail else {
            services = []
            metrics = { "" }
            return
        }
        let counts = MailCounts()
        services = [
            MailOutboxWorker(
                context: context, settings: settings, readerPool: readerPool, transport: transport, counts: counts,
                whoWaits: whoWaits)
        ]
        metrics = { await counts.metrics(readerPool, at: context.settings.now()) }
    }
}

/// The mails that this process sent, and those that wait in the outbox, in the Prometheus text format.
package final class MailCounts: Sendable {
    /// What came of an attempt.
    enum Outcome: String, Sendable, CaseIterable {
        /// The mail was accepted.
        case sent
        /// The mail was given up.
        case failed
        /// The mail was superseded, or what it was about was done meanwhile.
        case notNeeded = "not_needed"
        /// The mail waits for its next attempt.
        case postponed
        /// The row had no event, or its mail had ended before. Nothing was sent.
        case unrecorded
    }

    private let counts = Mutex<[Outcome: Int]>([:])

    /// No mails yet.
    package init() {}

    func add(_ outcome: Outcome) { counts.withLock { $0[outcome, default: 0] += 1 } }

    /// The metrics; without the gauges if the database does not answer.
    package func metrics(_ readerPool: PostgresPool, at time: Timestamp) async -> String {
        let counts = counts.withLock { $0 }
        let lines = Outcome.allCases.map { "tenure_mails_total{outcome=\"\($0.rawValue)\"} \(counts[$0] ?? 0)" }
        let counters = """
            # HELP tenure_mails_total Attempts of this process to send a mail.
            # TYPE tenure_mails_total counter
            \(lines.joined(separator: "\n"))

            """
        guard let backlog = try? await MailBacklog.read(readerPool) else { return counters }
        let age = backlog.oldest.map { max(0, (time.microseconds - $0.microseconds) / 1_000_000) } ?? 0
        return counters + """
            # HELP tenure_mails_waiting Mails in the outbox.
            # TYPE tenure_mails_waiting gauge
            tenure_mails_waiting \(backlog.count)
            # HELP tenure_mails_oldest_age_seconds How long the oldest mail in the outbox has waited.
            # TYPE tenure_mails_oldest_age_seconds gauge
            tenure_mails_oldest_age_seconds \(age)

            """
    }
}
