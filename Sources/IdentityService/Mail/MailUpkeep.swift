package import Postgres
package import ServiceLifecycle

/// The worker that empties the outbox, with its metrics; nothing without a transport.
package struct MailUpkeep: Sendable {
    /// The worker, if mails can be sent.
    package let services: [any Service]
    /// The metrics of mails in the Prometheus text format; empty if none can be sent.
    package let metrics: @Sendable () async -> String

    /// - Parameters:
    ///   - readerPool: Connections of the reader role, which sees all ledgers.
    ///   - transport: Takes the mails.
    package init(_ context: ServiceContext, readerPool: PostgresPool, transport: (any MailTransport)?) {
        guard let transport, let settings = context.mail else {
            services = []
            metrics = { "" }
            return
        }
        let counts = MailCounts()
        services = [
            MailOutboxWorker(
                context: context, settings: settings, readerPool: readerPool, transport: transport, counts: counts)
        ]
        metrics = { await counts.metrics(readerPool) }
    }
}
