import Logging
import Testing
@testable import Postgres

@Suite(.enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(5)))
struct NotificationTests {
    @Test func `notifications arrive in order, with channel, payload and sender`() async throws {
        try await TestDatabase.withDatabase { configuration in
            var listener = try await PostgresConnection.connect(configuration, logger: .quiet)
            var sender = try await PostgresConnection.connect(configuration, logger: .quiet)
            let channel = #"odd "channel""#
            try await listener.listen(channel)
            for number in 0..<5 { try await sender.execute("SELECT pg_notify(\(channel), \("\(number)"))") }
            let processID = sender.processID
            for number in 0..<5 {
                let notification = try await listener.nextNotification()
                #expect(
                    notification == PostgresNotification(channel: channel, payload: "\(number)", processID: processID))
            }
            // A notification that arrives during a statement is not lost.
            try await sender.execute("SELECT pg_notify(\(channel), 'late')")
            try await listener.execute("SELECT pg_sleep(0.05)")
            #expect(try await listener.nextNotification(timeout: .seconds(50))?.payload == "late")
        }
    }

    @Test func `waiting for a notification ends by timeout or cancellation, and can go on`() async throws {
        try await TestDatabase.withDatabase { configuration in
            var listener = try await PostgresConnection.connect(configuration, logger: .quiet)
            try await listener.listen("quiet")
            let started = ContinuousClock.now
            #expect(try await listener.nextNotification(timeout: .milliseconds(100)) == nil)
            #expect(ContinuousClock.now - started >= .milliseconds(100))
            #expect(try await listener.query("SELECT 1").count == 1)
        }
        let isListening = Lock(false)
        let task = Task {
            try await TestDatabase.withConnection { connection in
                try await connection.listen("quiet")
                isListening.withLock { $0 = true }
                let error = try await databaseError { try await connection.nextNotification() }
                return (error.code, connection.isOpen)
            }
        }
        while !isListening.withLock({ $0 }) { try await Task.sleep(for: .milliseconds(5)) }
        try await Task.sleep(for: .milliseconds(50))
        task.cancel()
        let (code, isOpen) = try await task.value
        #expect(code == .cancelled)
        #expect(isOpen)
    }

    @Test func `a channel name that the server would truncate is refused`() async throws {
        try await TestDatabase.withConnection { connection in
            for name in ["", String(repeating: "x", count: 64), "a\0b"] {
                let error = try await databaseError { try await connection.listen(name) }
                #expect(error.code == .usage)
            }
        }
    }
}

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

    @Test func `notices are logged with a level`() async throws {
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
