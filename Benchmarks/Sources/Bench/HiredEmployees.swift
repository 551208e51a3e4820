import Canonical
import EventCoding
import Foundation
import Identity
import Keys
import Ledger
import Postgres

/// Makes companies large: each founder's registration is recorded again under new ids, with a key presented and
/// authorized, so that every event changes views.
///
/// Nobody signed those authorizations; a rebuild does not ask for that.
struct HiredEmployees: Sendable {
    let cluster: Cluster
    let database: String
    /// The keys of the service whose log this is.
    let masters: MasterKeys

    /// Appends three events for each of about `count` employees.
    func hire(_ count: Int, at companies: [RecordedEvent]) async throws {
        let application = try cluster.configuration(database, as: "tenure_app")
        try await withPostgresPool(configuration: application, logger: Cluster.logger) { pool in
            let ring = try await KeyRing.load(from: pool, masters: masters)
            let appender = Appender(pool: pool, codes: EventCodes(ring), logger: Cluster.logger)
            async let running: Void = appender.run()
            try await withThrowingTaskGroup { group in
                for founding in companies {
                    group.addTask {
                        for start in stride(from: 0, to: count / companies.count, by: 100) {
                            let some = min(100, count / companies.count - start)
                            _ = try await appender.append(Self.append(some, founding))
                        }
                    }
                }
                try await group.waitForAll()
            }
            appender.stop()
            try await running
        }
    }

    /// The append that makes some more employees of a company.
    static func append(_ count: Int, _ founding: RecordedEvent) -> Append {
        var events: [NewEvent] = []
        var expectations: [StreamID: Int] = [:]
        for _ in 0..<count {
            let id = UUID(), stream = StreamID(ledger: founding.ledger, kind: founding.stream.kind, id: id)
            expectations[stream] = 0
            events += Self.events(id, stream, founding)
        }
        return Append(events: events, expectations: expectations)
    }

    private static func events(_ id: UUID, _ stream: StreamID, _ founding: RecordedEvent) -> [NewEvent] {
        var registered: [String: JSONValue] = [:]
        if case .object(let members) = founding.data { registered = members }
        registered["companyName"] = nil
        registered["employeeId"] = .uuid(id)
        registered["userId"] = .uuid(UUID())
        let key = JSONValue.string(Base64URL.encode([0x04] + (0..<64).map { _ in UInt8.random(in: 0...UInt8.max) }))
        let details: [(String, JSONValue)] = [
            (EmployeeRegistered.type, .object(registered)),
            (
                EmployeeKeyPresented.type,
                ["employeeId": .uuid(id), "first": .bool(true), "flow": .uuid(UUID()), "key": key, "kind": "software"]
            ),
            (EmployeeKeyAuthorized.type, ["by": ["kind": "policy"], "employeeId": .uuid(id), "key": key]),
        ]
        return details.map { type, data in
            NewEvent(
                id: UUID(), stream: stream, type: type, schema: 1, data: data, actor: id, app: founding.app,
                requestId: founding.requestId, source: founding.source)
        }
    }
}
