import Foundation
import Identity
import Ledger
import Postgres
import Projections

/// Makes a long log of a short one: what log-ins recorded is recorded again under new ids, in the streams where it is.
///
/// So every signature is still right, and every entry has its real shape and length. Streams are longer than real ones
/// and fewer, which nothing that reads a ledger from its beginning notices.
struct LogCopies: Sendable {
    let cluster: Cluster
    let database: String

    private static let types: Set<String> = [
        AttemptCharged.type, AttemptsCleared.type, PassphraseValidated.type, SessionOpened.type,
    ]

    /// Appends until there are about `count` events; how many there are then.
    func grow(to count: Int) async throws -> Int {
        let application = try cluster.configuration(database, as: "tenure_app")
        let reader = try cluster.configuration(database, as: "tenure_reader")
        return try await withPostgresPool(configuration: reader, logger: Cluster.logger) { readers in
            let log = EventLog(pool: readers, keys: nil)
            try await withPostgresPool(configuration: application, logger: Cluster.logger) { pool in
                let appender = Appender(pool: pool, logger: Cluster.logger)
                async let running: Void = appender.run()
                try await grow(log, appender, to: count)
                appender.stop()
                try await running
            }
            return try await log.ledgers().reduce(0) { $0 + Int($1.size) }
        }
    }

    private func grow(_ log: EventLog, _ appender: Appender, to count: Int) async throws {
        let ledgers = try await log.ledgers()
        var templates: [[RecordedEvent]] = []
        var versions: [StreamID: Int] = [:]
        for ledger in ledgers {
            let events = try await log.reader.ledger(ledger.id, limit: Int(ledger.size)).events
            for event in events { versions[event.stream] = event.streamVersion }
            let logIns = events.filter { Self.types.contains($0.type) }
            if !logIns.isEmpty { templates.append(logIns) }
        }
        let present = ledgers.reduce(0) { $0 + Int($1.size) }, perRound = templates.reduce(0) { $0 + $1.count }
        guard perRound > 0 else { throw BenchError("nobody has logged in") }
        let rounds = max(0, count - present) / perRound
        try await withThrowingTaskGroup { group in
            for events in templates {
                group.addTask { [versions] in
                    try await Self.append(events, rounds, versions, appender)
                }
            }
            try await group.waitForAll()
        }
    }

    private static func append(
        _ events: [RecordedEvent], _ rounds: Int, _ known: [StreamID: Int], _ appender: Appender
    ) async throws {
        var versions = known, round = 0
        let roundsAtOnce = max(1, 500 / events.count)
        while round < rounds {
            let batch = (round..<min(round + roundsAtOnce, rounds)).flatMap { _ in events }
            var expectations: [StreamID: Int] = [:]
            for event in batch {
                expectations[event.stream] = expectations[event.stream] ?? versions[event.stream, default: 0]
                versions[event.stream, default: 0] += 1
            }
            _ = try await appender.append(Append(events: batch.map(copy), expectations: expectations))
            round += roundsAtOnce
        }
    }

    private static func copy(_ event: RecordedEvent) -> NewEvent {
        NewEvent(
            id: UUID(), stream: event.stream, type: event.type, schema: event.schema, data: event.data,
            actor: event.actor, app: event.app, requestId: event.requestId, source: event.source, causes: event.causes)
    }
}
