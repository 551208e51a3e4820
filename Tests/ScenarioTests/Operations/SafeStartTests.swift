import Foundation
import Keys
import Postgres
import TestSupport
import Testing

/// A service that finds a log, but not the keys that wrote it.
@Suite(.onServer)
struct `A service on an incompletely restored database` {
    private static let tables = ["purpose_key", "bucket_key", "person_key", "oprf_seed"]

    /// Starts `tenure serve` and waits for its end; one that serves is ended, with the status -9.
    private func serve(
        _ world: TenureWorld, keys: String? = nil, on database: TestDatabase? = nil
    ) async throws -> (status: Int32, words: String) {
        let database = database ?? world.database
        let process = try ChildProcess(
            "tenure", ["serve"],
            environment: [
                "TENURE_DATABASE_URL": database.url(as: .application),
                "TENURE_READER_DATABASE_URL": database.url(as: .reader),
                "TENURE_MASTER_KEY_FILE": keys ?? world.keyFile.path, "TENURE_LISTEN_PORT": "0",
                "SWIFT_BACKTRACE": "enable=no",
            ], keepsErrors: true)
        let watch = Task {
            // Far longer than a start takes: a service that refuses ends by itself.
            try await Task.sleep(for: .seconds(20))
            process.kill()
        }
        defer { watch.cancel() }
        let (status, lines) = await process.finish()
        return (status, lines.joined(separator: "\n"))
    }

    /// Empties tables of keys, runs `body`, and puts the rows back.
    private func without(
        _ tables: [String], _ world: TenureWorld, _ body: () async throws -> Void
    ) async throws {
        try await world.superuser { connection in
            for table in tables {
                try await connection.executeScript(
                    "CREATE TABLE public.kept_\(table) AS TABLE tenure.\(table); DELETE FROM tenure.\(table);")
            }
        }
        try await body()
        try await world.superuser { connection in
            for table in tables {
                try await connection.executeScript(
                    """
                    INSERT INTO tenure.\(table) TABLE public.kept_\(table);
                    DROP TABLE public.kept_\(table);
                    """)
            }
        }
    }

    private func count(_ table: String, _ world: TenureWorld) async throws -> Int64 {
        try await world.superuser { connection in
            let rows = try await connection.query("SELECT count(*) FROM tenure.\(unsafeSQL: table)")
            return try #require(rows.first).decode(Int64.self)
        }
    }

    @Test func `refuses to create keys beside existing events, and names what to restore`() async throws {
        try await inTurn { world in
            _ = try await world.client.found("unrestored.example")
            for missing in [Self.tables, ["purpose_key", "bucket_key"]] {
                try await without(missing, world) {
                    let (status, words) = try await serve(world)
                    #expect(status == 1, "\(words)")
                    #expect(words.contains("purpose_key and bucket_key are empty"), "\(words)")
                    #expect(words.contains("restore tenure.purpose_key"), "\(words)")
                    #expect(try await count("purpose_key", world) == 0)
                }
            }
            try await ServiceProcess.with(1, in: world) { processes in
                let ready = try await processes[0].client.get("/readyz")
                #expect(ready.status == 200)
            }
        }
    }

    @Test func `refuses to serve if the keys are older than the log`() async throws {
        try await inTurn { world in
            _ = try await world.client.found("older.example")
            try await world.superuser { connection in
                try await connection.executeScript("CREATE TABLE public.older AS TABLE tenure.person_key")
            }
            _ = try await world.client.found("newer.example")
            try await without(["person_key"], world) {
                try await world.superuser { connection in
                    try await connection.executeScript("INSERT INTO tenure.person_key TABLE public.older")
                }
                let (status, words) = try await serve(world)
                #expect(status == 1 && words.contains("tenure.person_key lacks keys of the newest users"), "\(words)")
                try await world.superuser { connection in
                    try await connection.executeScript("DELETE FROM tenure.person_key; DROP TABLE public.older")
                }
            }
        }
    }

    @Test(arguments: ["person_key", "oprf_seed"])
    func `refuses to serve users who lost their keys without an erasure`(table: String) async throws {
        try await inTurn { world in
            _ = try await world.client.found("half-restored.example")
            try await without([table], world) {
                let (status, words) = try await serve(world)
                #expect(status == 1 && words.contains("tenure.\(table) is empty"), "\(words)")
            }
            try await ServiceProcess.with(1, in: world) { processes in
                let ready = try await processes[0].client.get("/readyz")
                #expect(ready.status == 200)
            }
        }
    }

    @Test func `refuses another master key and another log's keys`() async throws {
        try await inTurn { world in
            _ = try await world.client.found("other-keys.example")
            let files = try TemporaryFiles()
            defer { files.remove() }
            let other = MasterKeyFile(path: files.path("master.json"))
            let masters = try other.create()
            let (status, words) = try await serve(world, keys: other.path)
            #expect(status == 1 && words.contains("do not open under version 1"), "\(words)")

            // Keys that were made beside the log, as a version before this check did without a word.
            try await TestDatabase.with { elsewhere in
                try await elsewhere.withPool { _ = try await KeyRing.load(from: $0, masters: masters) }
                var source = try await elsewhere.connect(as: .superuser)
                let purposes = try await source.query("SELECT purpose, master_version, wrapped FROM tenure.purpose_key")
                let buckets = try await source.query(
                    "SELECT bucket, epoch, master_version, wrapped FROM tenure.bucket_key")
                try await without(["purpose_key", "bucket_key"], world) {
                    try await world.superuser { connection in
                        for row in purposes {
                            let (purpose, version, wrapped) = try row.decode(String.self, Int32.self, [UInt8].self)
                            try await connection.execute(
                                "INSERT INTO tenure.purpose_key VALUES (\(purpose), \(version), \(wrapped))")
                        }
                        for row in buckets {
                            let (bucket, epoch, version, wrapped) = try row.decode(
                                Int16.self, Int32.self, Int32.self, [UInt8].self)
                            try await connection.execute(
                                "INSERT INTO tenure.bucket_key VALUES (\(bucket), \(epoch), \(version), \(wrapped))")
                        }
                    }
                    let (status, words) = try await serve(world, keys: other.path)
                    #expect(status == 1 && words.contains("are not those that wrote this log"), "\(words)")
                    try await world.superuser { connection in
                        try await connection.executeScript(
                            "DELETE FROM tenure.purpose_key; DELETE FROM tenure.bucket_key;")
                    }
                }
            }
        }
    }
}
