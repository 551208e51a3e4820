import ArgumentParser
import Canonical
import EventCoding
import Foundation
import Ledger
import Postgres
import Projections
import Testing
import TestSupport
@testable import tenure

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct FollowPrinterTests {
    /// Collects what was printed.
    private func output(_ lines: Lock<[String]>) -> Output {
        Output(terminal: Terminal(isInteractive: false, width: 80, environment: [:])) { text in
            lines.withLock { $0 += text.split(separator: "\n").map(String.init) }
        }
    }

    @Test func `a repeatedly stopped replay prints every event once`() async throws {
        try await TestDatabase.with { database in
            let ledgers = (0..<3).map { _ in LedgerID(UUID()) }
            let total = 120
            let lines = Lock<[String]>([])
            let directory = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
            defer { try? FileManager.default.removeItem(at: directory) }
            let cursor = directory.appendingPathComponent("cursor").path
            try await database.withAppender { appender, _ in
                try await database.withPool(as: .reader) { pool in
                    let writing = Task {
                        for number in 0..<total {
                            _ = try await appender.append(.test(.test(ledgers[number % 3]), note: "event \(number)"))
                        }
                    }
                    let log = EventLog(pool: pool, codes: .test, keys: nil)
                    // Each round is stopped when it has printed some more, wherever it is then.
                    while lines.withLock({ $0.count }) < total {
                        let target = min(total, lines.withLock { $0.count } + Int.random(in: 1...40))
                        let printer = LogPrinter(
                            source: log, format: .ndjson, filter: ReplayFilter(), size: 1, output: output(lines))
                        let selection = ReplaySelection(ledgers: try await log.ledgers())
                        let following = Task {
                            try await FollowPrinter(printer: printer, reader: log.reader, cursorFile: cursor).run(
                                selection, EventLog.Range(), only: nil)
                        }
                        while lines.withLock({ $0.count }) < target { try await Task.sleep(for: .milliseconds(5)) }
                        following.cancel()
                        try await following.value
                    }
                    try await writing.value
                }
            }
            let notes: [String] = try lines.withLock { $0 }.map { line in
                guard case .string(let note)? = try CanonicalJSON.parse(Array(line.utf8))["data"]?["note"] else {
                    return ""
                }
                return note
            }
            #expect(notes.count == total)
            #expect(Set(notes) == Set((0..<total).map { "event \($0)" }))
        }
    }

    @Test func `a failed write stops the cursor before what was not written`() async throws {
        try await TestDatabase.with { database in
            let ledger = LedgerID(UUID())
            try await database.withAppender { appender, _ in
                for number in 0..<9 { _ = try await appender.append(.test(.test(ledger), note: "event \(number)")) }
            }
            let directory = try TemporaryDirectory()
            let file = directory.path + "/cursor"
            let written = Lock<[String]>([]), isFull = Lock(false)
            let output = Output(terminal: Terminal(isInteractive: false, width: 80, environment: [:])) { text in
                guard !isFull.withLock({ $0 }) else {
                    throw CommandFailure.output(WriteFailure(number: ENOSPC))
                }
                written.withLock { $0 += text.split(separator: "\n").map(String.init) }
            }
            try await database.withPool(as: .reader) { pool in
                let log = EventLog(pool: pool, codes: .test, keys: nil)
                let selection = ReplaySelection(ledgers: try await log.ledgers())
                let run = {
                    let printer = LogPrinter(
                        source: log, format: .ndjson, filter: ReplayFilter(), size: 1, output: output)
                    return Task {
                        try await FollowPrinter(printer: printer, reader: log.reader, cursorFile: file).run(
                            selection, EventLog.Range(), only: [ledger])
                    }
                }
                isFull.withLock { $0 = true }
                let failure = await #expect(throws: CommandFailure.self) { try await run().value }
                #expect(failure?.exitCode == .failure)
                #expect(try ReplayCursor(file: file)[ledger] == 0, "nothing was written, so nothing counts as printed")
                isFull.withLock { $0 = false }
                let following = run()
                while written.withLock({ $0.count }) < 9 { await Task.yield() }
                following.cancel()
                try await following.value
                #expect(written.withLock { $0.count } == 9)
                #expect(try ReplayCursor(file: file)[ledger] == 9)
            }
        }
    }

    @Test func `a cursor waits until what was printed is durable`() async throws {
        try await TestDatabase.with { database in
            let ledger = LedgerID(UUID())
            try await database.withAppender { appender, _ in
                _ = try await appender.append(.test(.test(ledger), note: "one"))
            }
            let directory = try TemporaryDirectory()
            let file = directory.path + "/cursor"
            let output = Output(
                terminal: Terminal(isInteractive: false, width: 80, environment: [:]), sink: { _ in },
                settle: { throw CommandFailure.output(WriteFailure(number: EIO)) })
            try await database.withPool(as: .reader) { pool in
                let log = EventLog(pool: pool, codes: .test, keys: nil)
                let selection = ReplaySelection(ledgers: try await log.ledgers())
                let printer = LogPrinter(source: log, format: .ndjson, filter: ReplayFilter(), size: 1, output: output)
                await #expect(throws: CommandFailure.self) {
                    try await FollowPrinter(printer: printer, reader: log.reader, cursorFile: file).run(
                        selection, EventLog.Range(), only: [ledger])
                }
                #expect(try ReplayCursor(file: file) == ReplayCursor())
            }
        }
    }

    @Test func `a filtered replay prints the same events as checking each event`() async throws {
        try await TestDatabase.with { database in
            let ledger = LedgerID(UUID())
            try await database.withAppender { appender, _ in
                for number in 0..<40 {
                    _ = try await appender.append(
                        .test(.test(ledger), events: 30, type: number.isMultiple(of: 7) ? "RareThing" : "ThingHappened")
                    )
                }
            }
            try await database.withPool(as: .reader) { pool in
                let log = EventLog(pool: pool, codes: .test, keys: nil)
                // More events than a page has, so that the rare ones lie on both sides of its end.
                var expected: [Int64] = []
                try await log.replay(ledger) { events, _ in
                    expected += events.filter { $0.recorded.type == "RareThing" }.map(\.recorded.position)
                }
                let lines = Lock<[String]>([])
                let printer = LogPrinter(
                    source: log, format: .ndjson, filter: ReplayFilter(types: ["RareThing"]), size: 1_200,
                    output: output(lines))
                try await printer.run(ReplaySelection(ledgers: try await log.ledgers()), EventLog.Range())
                let shown = try lines.withLock { $0 }.map { try CanonicalJSON.parse(Array($0.utf8))["position"] }
                #expect(expected.count == 180)
                #expect(shown == expected.map { .integer($0) })
            }
        }
    }
}

struct ReplayCursorTests {
    @Test func `a cursor round-trips, and a missing file is the beginning`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/cursor"
        #expect(try ReplayCursor(file: file) == ReplayCursor())
        var cursor = ReplayCursor()
        cursor[LedgerID(UUID())] = 41
        cursor[.system] = 9_007_199_254_740_991
        cursor[.directory(7)] = 0
        try cursor.write(to: file)
        #expect(try ReplayCursor(file: file) == cursor)
        cursor[.system] += -1
        try cursor.write(to: file)
        #expect(try ReplayCursor(file: file)[.system] == 9_007_199_254_740_990)
    }

    @Test(arguments: ["", "{", "[]", #"{"x":1}"#, #"{"00000000-0000-4000-8000-000000000001":-1}"#, "{}{}"])
    func `a malformed cursor file is refused and unchanged`(content: String) throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/cursor"
        try content.write(toFile: file, atomically: true, encoding: .utf8)
        #expect(throws: CommandFailure.self) { try ReplayCursor(file: file) }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == content)
    }
}

struct ReplayOptionsTests {
    @Test(arguments: [
        ["--employee", "7"], ["--actor", "7"], ["--from-position", "3"], ["--as-of", "3"], ["--diff", "1", "2"],
        ["--diff", "yesterday"], ["--as-of", "now", "--compare"], ["--follow", "--as-of", "now"], ["--cursor", "f"],
        ["--type", "Nothing"], ["--app", "x"], ["--compare", "--format", "csv"], ["--as-of", "now", "--from", "2h"],
        ["--export", "d", "--import", "d"], ["--export", "d", "--follow"], ["--import", "d", "--as-of", "now"],
        ["--export", "d", "--json"], ["--key", "k"], ["--follow", "--to", "now"],
        ["--company", "c", "--follow", "--to-position", "3"], ["--format", "xml"], ["--diff", "a", "b", "c"],
        ["--company", "c", "--compare", "--type", "EmployeeErased"],
    ])
    func `invalid combinations of options are refused before anything is read`(arguments: [String]) {
        #expect(throws: (any Error).self) { try Replay.parse(arguments) }
    }

    @Test(arguments: [
        [], ["--company", "c", "--employee", "7", "--actor", "8"], ["--type", "EmployeeErased", "--type", "AppLinked"],
        ["--company", "c", "--diff", "3", "9"], ["--diff", "2026-01-01", "now"], ["--follow", "--cursor", "f"],
        ["--format", "cloudevents", "--from", "2h", "--to", "now"], ["--compare", "--json"],
        ["--export", "d", "--company", "c", "--from", "2h"], ["--import", "d", "--key", "k", "--format", "csv"],
        ["--actor", "00000000-0000-4000-8000-000000000001"],
    ])
    func `valid combinations of options are accepted`(arguments: [String]) throws {
        _ = try Replay.parse(arguments)
    }
}
