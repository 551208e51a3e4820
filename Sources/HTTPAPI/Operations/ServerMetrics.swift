import HTTPLimits

/// What a process tells about itself: its requests, connections, descriptors, memory, time and certificate.
struct ServerMetrics: Sendable {
    let requests: RequestMetrics
    let table: ConnectionTable
    let certificate: ServerCertificate?
    let waiting: WaitingStreams

    /// Renders the metrics in the Prometheus text format.
    func text() async -> String {
        await requests.text() + connections + OpenDescriptors.metrics + ProcessUsage.metrics
            + (certificate.map(Self.text) ?? "")
    }

    private var connections: String {
        let usage = table.usage
        return """
            # HELP tenure_connections_open Open connections of callers.
            # TYPE tenure_connections_open gauge
            tenure_connections_open \(usage.connections)
            # HELP tenure_connections_limit Connections that may be open at once.
            # TYPE tenure_connections_limit gauge
            tenure_connections_limit \(table.limits.connections)
            # HELP tenure_connections_addresses Addresses with an open connection, trusted proxies excepted.
            # TYPE tenure_connections_addresses gauge
            tenure_connections_addresses \(usage.addresses)
            # HELP tenure_connections_unsent_bytes Bytes of replies that clients have not taken yet.
            # TYPE tenure_connections_unsent_bytes gauge
            tenure_connections_unsent_bytes \(usage.unsent)
            # HELP tenure_connections_cut_total Connections closed because their clients did not read.
            # TYPE tenure_connections_cut_total counter
            tenure_connections_cut_total \(usage.cut)
            # HELP tenure_waiting_pages Pages that wait for a decision, and are told of it at once.
            # TYPE tenure_waiting_pages gauge
            tenure_waiting_pages \(waiting.count)
            # HELP tenure_waiting_pages_limit Pages that may be told at once. Those beyond ask again by themselves.
            # TYPE tenure_waiting_pages_limit gauge
            tenure_waiting_pages_limit \(waiting.limit)

            """
    }

    private static func text(_ certificate: ServerCertificate) -> String {
        let status = certificate.status
        return """
            # HELP tenure_certificate_end_seconds The end of the certificate in use, in seconds since 1970.
            # TYPE tenure_certificate_end_seconds gauge
            tenure_certificate_end_seconds \(status.end)
            # HELP tenure_certificate_renewals_total Certificates taken into use since the start.
            # TYPE tenure_certificate_renewals_total counter
            tenure_certificate_renewals_total \(status.renewals)
            # HELP tenure_certificate_failures_total Readings of the files that held no certificate with its key.
            # TYPE tenure_certificate_failures_total counter
            tenure_certificate_failures_total \(status.failures)

            """
    }
}
