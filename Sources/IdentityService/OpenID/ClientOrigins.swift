import Canonical
import EventCoding
import FoundationEssentials
import Identity
import Ledger

/// The origins of all clients, read again every half minute.
actor ClientOrigins {
    private static let refresh: Duration = .seconds(30)
    private var origins: Set<String> = []
    private var readAt: Timestamp?

    /// Whether a client registered an origin.
    func contains(_ origin: String, _ context: ServiceContext, at time: Timestamp) async throws -> Bool {
        if let readAt, readAt <= time, time < readAt.adding(Self.refresh) { return origins.contains(origin) }
        var clients: [UUID: Set<String>] = [:], after: Int64 = 0
        while true {
            let page = try await context.reader.ledger(
                .system, after: after, limit: 500, types: [AppClientChanged.type, AppEnded.type])
            for event in page.events {
                if event.type == AppEnded.type { clients[event.stream.id] = nil }
                guard let payload = try EventCodec.payload(of: event) as? AppClientChanged,
                    try await context.openID.signedClients.contain(event, context.reader)
                else { continue }
                clients[event.stream.id] = Set(payload.client.origins.map(\.text))
            }
            after = page.cursor
            guard page.hasMore else { break }
        }
        origins = clients.values.reduce(into: []) { $0.formUnion($1) }
        readAt = time
        return origins.contains(origin)
    }
}
