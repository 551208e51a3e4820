import HTTPLimits
import Logging

/// The connections that the descriptors of this process allow.
///
/// A process without a free descriptor cannot accept, cannot reach its database, and may end: libraries do not expect
/// that an event loop or a timer cannot be created.
struct DescriptorAdmission: Sendable {
    let limit: DescriptorLimit
    /// The connections that were configured.
    let wanted: Int
    /// The limits that hold.
    let connections: ConnectionLimits

    /// Lowers limits to what the descriptors allow. If they do, one address gets at most half of the connections.
    ///
    /// - Parameter others: The most connections to the database as `tenure_app`.
    init(limit: DescriptorLimit, wanted: ConnectionLimits, others: Int) {
        self.limit = limit
        self.wanted = wanted.connections
        var connections = wanted
        // Readers, listeners, and files of the moment come on top.
        connections.connections = limit.connections(wanted: wanted.connections, others: others + 32)
        if connections.connections < wanted.connections {
            connections.connectionsPerAddress = min(
                wanted.connectionsPerAddress, max(1, connections.connections / 2))
        }
        self.connections = connections
    }

    /// Logs the numbers, as a warning if fewer connections are admitted than configured.
    func log(_ logger: Logger) {
        let metadata: Logger.Metadata = [
            "descriptors": "\(limit.soft)", "descriptors_before": "\(limit.before)",
            "descriptors_hard": "\(limit.hard)", "connections": "\(connections.connections)",
            "connections_per_address": "\(connections.connectionsPerAddress)",
        ]
        guard connections.connections < wanted else {
            return logger.info("descriptors allow all configured connections", metadata: metadata)
        }
        logger.warning(
            """
            \(limit.soft) descriptors allow \(connections.connections) of \(wanted) connections. Raise the hard limit \
            of open files (LimitNOFILE=65536 in a systemd unit), or lower TENURE_CONNECTIONS.
            """, metadata: metadata)
    }
}

extension Settings {
    /// The limits of connections, with the documented defaults.
    func connectionLimits() throws -> ConnectionLimits {
        var limits = ConnectionLimits(
            connections: try number(.connections, in: 16...1_000_000, default: 4_096),
            connectionsPerAddress: try number(.connectionsPerAddress, in: 1...1_000_000, default: 512))
        limits.stallTimeout = .seconds(try number(.stallSeconds, in: 1...3_600, default: 10))
        limits.unsentPerConnection = 1_024 * (try number(.unsentKbPerConnection, in: 64...1_000_000, default: 512))
        limits.unsentPerAddress = 1_048_576 * (try number(.unsentMbPerAddress, in: 1...100_000, default: 16))
        limits.unsentInAll = 1_048_576 * (try number(.unsentMb, in: 1...100_000, default: 128))
        return limits
    }
}
