import Logging
import Testing

@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct NoticeTests {
    private final class Recorder: LogHandler {
        let seen = Lock<[(Logger.Level, String)]>([])
        var metadata: Logger.Metadata {
            get { [:] }
            set {}
        }
        var logLevel: Logger.Level {
            get { .trace }
            set {}
        }
        subscript(metadataKey _: String) -> Logger.Metadata.Value? {
            get { nil }
            set {}
        }
        func log(event: LogEvent) {
            seen.withLock { $0.append((event.level, event.metadata?["notice"]?.description ?? "")) }
        }
    }

    @Test func `notices go to the logger with a level`() async throws {
        let recorder = Recorder()
        var connection = try await PostgresConnection.connect(
            try TestDatabase.server(), logger: Logger(label: "notices") { _ in recorder })
        try await connection.executeScript(
            "DO $$ BEGIN RAISE NOTICE 'a notice'; RAISE WARNING 'a warning'; END $$")
        let seen = recorder.seen.withLock { $0 }
        #expect(seen.map(\.0) == [.debug, .warning])
        #expect(seen.map(\.1) == ["a notice", "a warning"])
    }
}
