import Canonical
import Credentials
import Crypto
import EventCoding
import Foundation
import Identity
import Keys
import Ledger
import Postgres
import Projections

/// Makes a long log of a short one: what log-ins recorded is recorded again under new ids, and signed again by the same
/// people over a challenge of its own.
///
/// So the log is one that the service could have written, and every entry has its real shape and length.
struct LogCopies: Sendable {
    let cluster: Cluster
    let database: String
    /// The keys of the service whose log this is.
    let masters: MasterKeys
    /// Those who logged in, by the bytes of their device keys.
    let people: [[UInt8]: BlindPerson]

    private static let types: Set<String> = [
        AttemptCharged.type, AttemptsCleared.type, AnswersValidated.type, SessionOpened.type,
    ]

    /// Appends until there are about `count` events; how many there are then.
    func grow(to count: Int) async throws -> Int {
        let application = try cluster.configuration(database, as: "tenure_app")
        let reader = try cluster.configuration(database, as: "tenure_reader")
        return try await withPostgresPool(configuration: reader, logger: Cluster.logger) { readers in
            let log = EventLog(pool: readers, codes: .unchecked, keys: nil)
            try await withPostgresPool(configuration: application, logger: Cluster.logger) { pool in
                let ring = try await KeyRing.load(from: pool, masters: masters)
                let appender = Appender(pool: pool, codes: EventCodes(ring), logger: Cluster.logger)
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
            // A session that came with a registration has no validation beside it.
            let proved = Set(events.filter { $0.type == AnswersValidated.type }.map(\.time))
            let logIns = events.filter {
                Self.types.contains($0.type) && ($0.type != SessionOpened.type || proved.contains($0.time))
            }
            if !logIns.isEmpty { templates.append(logIns) }
        }
        let renewed = Self.renewed(templates.flatMap(\.self))
        let present = ledgers.reduce(0) { $0 + Int($1.size) }, perRound = templates.reduce(0) { $0 + $1.count }
        guard perRound > 0 else { throw BenchError("nobody has logged in") }
        let rounds = max(0, count - present) / perRound
        try await withThrowingTaskGroup { group in
            for events in templates {
                group.addTask { [versions] in
                    try await append(events, renewed, rounds, versions, appender)
                }
            }
            try await group.waitForAll()
        }
    }

    /// The ids that each copy has anew: those of the events, of flows and of sessions.
    private static func renewed(_ events: [RecordedEvent]) -> Set<UUID> {
        var ids = Set(events.map(\.id))
        for event in events {
            if [AnswersValidated.type, SessionOpened.type].contains(event.type) { ids.insert(event.stream.id) }
            for name in ["flow", "charge"] { if let id = event.data[name]?.id { ids.insert(id) } }
        }
        return ids
    }

    private func append(
        _ events: [RecordedEvent], _ renewed: Set<UUID>, _ rounds: Int, _ known: [StreamID: Int], _ appender: Appender
    ) async throws {
        var versions = known, round = 0
        let roundsAtOnce = max(1, 500 / events.count)
        while round < rounds {
            let batch = try (round..<min(round + roundsAtOnce, rounds)).flatMap { round in
                try events.map { try copy($0, Renewal(round: round, ids: renewed)) }
            }
            var expectations: [StreamID: Int] = [:]
            for event in batch {
                expectations[event.stream] = expectations[event.stream] ?? versions[event.stream, default: 0]
                versions[event.stream, default: 0] += 1
            }
            _ = try await appender.append(Append(events: batch, expectations: expectations))
            round += roundsAtOnce
        }
    }

    private func copy(_ event: RecordedEvent, _ renewal: Renewal) throws -> NewEvent {
        var data = renewal.of(event.data)
        if event.type == AnswersValidated.type { try sign(&data, renewal) }
        let stream = StreamID(
            ledger: event.stream.ledger, kind: event.stream.kind, id: renewal.of(event.stream.id))
        return NewEvent(
            id: renewal.of(event.id), stream: stream, type: event.type, schema: event.schema, data: data,
            actor: event.actor, app: event.app, requestId: event.requestId, source: event.source,
            causes: event.causes.map(renewal.of))
    }

    /// Replaces the challenge of a validation by one of now, and its two signatures.
    private func sign(_ data: inout JSONValue, _ renewal: Renewal) throws {
        guard case .object(var members) = data, let bytes = members["challenge"]?.base64URL,
            let key = members["employeeKey"]?.base64URL, let person = people[key]
        else { throw BenchError("a validation of somebody unknown") }
        var fields = try Challenge(kept: bytes).fields
        fields.flow = renewal.of(fields.flow)
        fields.nonce = (0..<32).map { _ in .random(in: 0...UInt8.max) }
        fields.expires = Timestamp.now().adding(.seconds(100))
        let challenge = try Challenge(fields).bytes
        members["challenge"] = .bytes(challenge)
        members["deviceSignature"] = .bytes(try person.person.sign(challenge))
        members["userSignature"] = .bytes(try person.userSignature(challenge))
        data = .object(members)
    }
}

/// The ids of one copy, the same in every ledger.
struct Renewal {
    let round: Int
    let ids: Set<UUID>

    func of(_ id: UUID) -> UUID {
        guard ids.contains(id) else { return id }
        var hash = SHA256()
        withUnsafeBytes(of: id.uuid) { hash.update(bufferPointer: $0) }
        withUnsafeBytes(of: UInt64(round).bigEndian) { hash.update(bufferPointer: $0) }
        var bytes = Array(hash.finalize().prefix(16))
        bytes[6] = bytes[6] & 0x0f | 0x80
        bytes[8] = bytes[8] & 0x3f | 0x80
        return UUID(bytes: bytes) ?? id
    }

    func of(_ value: JSONValue) -> JSONValue {
        switch value {
        case .object(let members): .object(members.mapValues { of($0) })
        case .array(let items): .array(items.map { of($0) })
        default: value.id.map { JSONValue.uuid(of($0)) } ?? value
        }
    }
}

extension JSONValue {
    fileprivate var id: UUID? { if case .string(let text) = self { UUID(uuidString: text) } else { nil } }
    fileprivate var base64URL: [UInt8]? {
        if case .string(let text) = self { Base64URL.decode(text) } else { nil }
    }
}
