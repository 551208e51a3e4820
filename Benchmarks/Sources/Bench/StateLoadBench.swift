import Canonical
import Foundation
import Ledger
import Postgres

/// Reading the stream that decisions about an employee are made on, with few and with many logins in the past.
///
/// Logins have streams of their own, so what is read is as long for both; how much lies beside it must not count.
struct StateLoadBench: Benchmark {
    static let name = "state"
    static let measures: [Measure] = [.stateOfFew, .stateOfMany]

    private static let database = "bench_state"
    private static let few = 10, many = 100_000, eventsOfAnEmployee = 12

    private let cluster: Cluster
    private let plan: Plan
    private let ofFew: StreamID
    private let ofMany: StreamID

    init(cluster: Cluster, plan: Plan) async throws {
        Terminal.say("preparing an employee with \(Self.many) logins")
        self.cluster = cluster
        self.plan = plan
        try await cluster.makeDatabase(Self.database)
        ofFew = try await Self.employ(cluster, logins: Self.few)
        ofMany = try await Self.employ(cluster, logins: Self.many)
        try await cluster.execute("VACUUM ANALYZE", in: Self.database)
    }

    func measure(_ repetition: Int, _ results: inout Results) async throws {
        var streams = [(Measure.stateOfFew, ofFew), (Measure.stateOfMany, ofMany)]
        if repetition.isMultiple(of: 2) { streams.reverse() }
        let application = try cluster.configuration(Self.database, as: "tenure_app")
        let rates = try await withPostgresPool(configuration: application, logger: Cluster.logger) { pool in
            let reader = LedgerReader(pool: pool, codes: Cluster.codes)
            var elapsed: [Measure: Duration] = [:]
            var counts: [Measure: Int] = [:]
            let deadline = ContinuousClock.now + .seconds(plan.seconds)
            while ContinuousClock.now < deadline {
                // In turns, so that both are disturbed alike.
                for (measure, stream) in streams {
                    let start = ContinuousClock.now
                    for _ in 0..<20 {
                        let events = try await reader.streams([stream])[stream] ?? []
                        guard events.count == Self.eventsOfAnEmployee else { throw BenchError("a stream has grown") }
                    }
                    elapsed[measure, default: .zero] += ContinuousClock.now - start
                    counts[measure, default: 0] += 20
                }
            }
            return elapsed.map { measure, time in (measure, time.inSeconds * 1e6 / Double(counts[measure] ?? 1)) }
        }
        for (measure, time) in rates { results.record(measure, time) }
    }

    /// An employee in a ledger of its own: the stream of the employee, and two events in a stream of its own per login.
    private static func employ(_ cluster: Cluster, logins: Int) async throws -> StreamID {
        let employee = StreamID(ledger: LedgerID(UUID()), kind: "employee", id: UUID())
        let application = try cluster.configuration(database, as: "tenure_app")
        try await withPostgresPool(configuration: application, logger: Cluster.logger) { pool in
            let appender = Appender(pool: pool, codes: Cluster.codes, logger: Cluster.logger)
            async let running: Void = appender.run()
            _ = try await appender.append(append(to: employee, events: eventsOfAnEmployee))
            try await withThrowingTaskGroup { group in
                for lane in 0..<64 {
                    group.addTask {
                        for _ in stride(from: lane, to: logins, by: 64) {
                            let login = StreamID(ledger: employee.ledger, kind: "login", id: UUID())
                            _ = try await appender.append(append(to: login, events: 2))
                        }
                    }
                }
                try await group.waitForAll()
            }
            appender.stop()
            try await running
        }
        return employee
    }

    private static func append(to stream: StreamID, events: Int) -> Append {
        let note = JSONValue.string(String(repeating: "x", count: 240))
        let events = (0..<events).map { _ in
            NewEvent(id: UUID(), stream: stream, type: "ThingHappened", data: ["note": note])
        }
        return Append(events: events, expectations: [stream: 0])
    }
}

extension Measure {
    static let stateOfFew = Measure("state of an employee with 10 past logins", unit: "µs")
    static let stateOfMany = Measure(
        "state of an employee with 100,000", unit: "µs", ratioTo: stateOfFew, goal: .atMost(1.2))
}
