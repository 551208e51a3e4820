import Canonical
import EventCoding
import Foundation
import Keys
import Ledger
import Postgres
import Projections

/// Fills a database with companies: what the log has of one is recorded again, under new ids and another name.
///
/// Nobody signed those authorizations, and nobody can log in there.
struct CopiedCompanies: Sendable {
    private static let callers = 64

    let cluster: Cluster
    let database: String
    /// The keys of the service whose log this is.
    let masters: MasterKeys

    /// Appends `count` companies.
    func make(_ count: Int) async throws {
        let original = try await original()
        let renewed = Set(original.flatMap { [$0.id, $0.stream.id, $0.stream.ledger.uuid] })
        let application = try cluster.configuration(database, as: "tenure_app")
        try await withPostgresPool(configuration: application, logger: Cluster.logger) { pool in
            let ring = try await KeyRing.load(from: pool, masters: masters)
            let appender = Appender(pool: pool, codes: EventCodes(ring), logger: Cluster.logger)
            async let running: Void = appender.run()
            try await withThrowingTaskGroup { group in
                for caller in 0..<Self.callers {
                    group.addTask {
                        for number in stride(from: caller, to: count, by: Self.callers) {
                            let renewal = Renewal(round: number, ids: renewed)
                            let events = original.map { Self.copy($0, renewal) }
                            let streams = Set(events.map(\.stream))
                            _ = try await appender.append(
                                Append(
                                    events: events,
                                    expectations: Dictionary(uniqueKeysWithValues: streams.map { ($0, 0) })))
                        }
                    }
                }
                try await group.waitForAll()
            }
            appender.stop()
            try await running
        }
    }

    /// The events of a company.
    private func original() async throws -> [RecordedEvent] {
        let reader = try cluster.configuration(database, as: "tenure_reader")
        return try await withPostgresPool(configuration: reader, logger: Cluster.logger) { readers in
            let log = EventLog(pool: readers, codes: .unchecked, keys: nil)
            guard let company = try await log.ledgers().first(where: { $0.id.isTenant }) else {
                throw BenchError("nobody has founded a company")
            }
            return try await log.reader.ledger(company.id, limit: Int(company.size)).events
        }
    }

    private static func copy(_ event: RecordedEvent, _ renewal: Renewal) -> NewEvent {
        var data = renewal.of(event.data)
        if case .object(var members) = data, members["companyName"] != nil {
            members["companyName"] = .string("copy-\(renewal.round).example")
            data = .object(members)
        }
        let stream = StreamID(
            ledger: LedgerID(renewal.of(event.stream.ledger.uuid)), kind: event.stream.kind,
            id: renewal.of(event.stream.id))
        return NewEvent(
            id: renewal.of(event.id), stream: stream, type: event.type, schema: event.schema, data: data,
            actor: event.actor.map(renewal.of), app: event.app, requestId: event.requestId, source: event.source,
            causes: event.causes.map(renewal.of))
    }
}
