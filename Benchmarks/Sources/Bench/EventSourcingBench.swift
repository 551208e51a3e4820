import Foundation

/// The recorder for PostgreSQL of the Python library `eventsourcing`, in its default durable mode, on the same cluster.
///
/// `scripts/bench` installs the library from PyPI into an environment of its own and tells its interpreter in
/// `TENURE_BENCH_PYTHON`; without it this part is left out, and said so.
struct EventSourcingBench: Benchmark {
    static let name = "eventsourcing"
    static let measures: [Measure] = [.eventsourcing]

    private static let database = "bench_eventsourcing"

    private let plan: Plan
    private let cluster: Cluster
    private let python: String?
    private let script: URL

    init(cluster: Cluster, plan: Plan) async throws {
        self.plan = plan
        self.cluster = cluster
        script = URL(fileURLWithPath: cluster.socket).appendingPathComponent("eventsourcing_load.py")
        python = ProcessInfo.processInfo.environment["TENURE_BENCH_PYTHON"].flatMap { $0.isEmpty ? nil : $0 }
        guard python != nil else {
            Terminal.say("SKIPPED: the Python library eventsourcing is not there, so nothing is held against it")
            return
        }
        try await cluster.execute("CREATE DATABASE \(Self.database)", in: "postgres")
        try Data(Self.program.utf8).write(to: script)
    }

    func measure(_ repetition: Int, _ results: inout Results) async throws {
        guard let python else { return }
        try await cluster.checkpoint()
        let output = try await ChildProgram.output(
            of: python, [script.path, cluster.socket, Self.database, String(plan.seconds)])
        guard let rate = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)), rate > 0 else {
            throw BenchError("the recorder did not measure anything:\n\(output)")
        }
        results.record(.eventsourcing, rate)
    }

    /// Inserts one event per call and transaction, each of an aggregate of its own, of the length of our entries. One
    /// thread is faster than sixteen, because the recorder locks its table for each insert.
    private static let program = #"""
        import sys, time, uuid
        from eventsourcing.persistence import StoredEvent
        from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore

        socket, database, seconds = sys.argv[1], sys.argv[2], int(sys.argv[3])
        datastore = PostgresDatastore(dbname=database, host=socket, port=5432, user="postgres", password="")
        recorder = PostgresApplicationRecorder(datastore, events_table_name="stored_events")
        recorder.create_table()
        count, state, start = 0, b"x" * 620, time.monotonic()
        while time.monotonic() < start + seconds:
            recorder.insert_events([StoredEvent(uuid.uuid4(), 0, "ThingHappened", state)])
            count += 1
        print(count / (time.monotonic() - start))
        """#
}

extension Measure {
    static let eventsourcing = Measure(
        "eventsourcing (Python), 1 thread", ratioTo: appendsManyLedgers, goal: .atMost(1 / 12))
}
