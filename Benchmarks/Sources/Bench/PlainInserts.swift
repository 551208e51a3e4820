import Foundation

/// Single-row inserts by `pgbench` into a table with the columns, the checks and the unique keys of the events.
struct PlainInserts: Sendable {
    static let table = "CREATE TABLE public.plain (LIKE tenure.event INCLUDING ALL)"

    private let cluster: Cluster
    private let database: String
    private let script: URL
    /// An entry of the same length as those that are appended, in PostgreSQL's hexadecimal form.
    private let entry: String

    /// Writes the script; positions differ between runs, clients and transactions without asking the server.
    init(cluster: Cluster, database: String, entryLength: Int) throws {
        self.cluster = cluster
        self.database = database
        entry = #"\x"# + String(repeating: "78", count: entryLength)
        script = URL(fileURLWithPath: cluster.socket).appendingPathComponent("inserts.sql")
        let text = #"""
            \set n :n + 1
            \set ledger random(1, 64)
            \set position (:run * 64 + :client_id) * 100000000 + :n
            INSERT INTO public.plain (ledger_id, position, event_id, stream_id, kind, version, type, time, entry,
            code) VALUES
            (('00000000-0000-4000-8000-' || lpad(:ledger::text, 12, '0'))::uuid, :position, gen_random_uuid(),
            gen_random_uuid(), 'thing', 1, 'ThingHappened', now(), :entry::bytea,
            decode(repeat('79', 18), 'hex'));
            """#
        try Data((text + "\n").utf8).write(to: script)
    }

    /// Inserts per second.
    func measure(clients: Int, seconds: Int) async throws -> Double {
        // No two runs begin in the same second. A position stays below 2^53.
        let run = Int(Date().timeIntervalSince1970) % 1_000_000
        let threads = min(clients, ProcessInfo.processInfo.activeProcessorCount)
        let output = try await ChildProgram.output(
            of: cluster.pgbench,
            [
                "--no-vacuum", "--protocol=prepared", "--client=\(clients)", "--jobs=\(threads)", "--time=\(seconds)",
                "--file=\(script.path)", "--define=n=0", "--define=run=\(run)", "--define=entry=\(entry)",
                cluster.url(database),
            ])
        let rate = output.split(separator: "\n").first { $0.hasPrefix("tps = ") }?.dropFirst(6)
            .prefix { $0.isNumber || $0 == "." }
        guard let rate, let value = Double(rate), value > 0 else {
            throw BenchError("pgbench did not measure anything:\n\(output)")
        }
        return value
    }
}
