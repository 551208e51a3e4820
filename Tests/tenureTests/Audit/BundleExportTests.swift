import Canonical
import EventCoding
import Foundation
@testable import Identity
import IdentityService
import Keys
import Ledger
import Postgres
import Projections
import TestSupport
import Testing

@testable import tenure

/// A log of two ledgers, sealed but for the last events of one, to export from.
private struct ExportStage: Sendable {
    static let types = ["CredentialsLocked", "AttemptCharged", "AppChallengeAnswered"]
    static let apps = [UUID(), UUID()]
    static let actors = [UUID(), UUID(), UUID()]

    let ledgers: [LedgerID]
    let log: EventLog
    let key: LogKey
    let place: String
    let pool: PostgresPool

    var export: BundleExport { BundleExport(reader: log.reader, log: log, key: key) }

    func selection(_ ledger: LedgerID? = nil) async throws -> ReplaySelection {
        var selection = ReplaySelection(ledgers: try await log.ledgers())
        if let ledger { selection.limit(to: ledger, nil) }
        return selection
    }

    /// Inserts a row at the end of a ledger, as who has no key, and has it disowned.
    private static func forge(_ ledger: LedgerID, _ pool: PostgresPool, _ sealing: SignGrownLedgers) async throws {
        _ = try await pool.query(
            """
            INSERT INTO tenure.event (ledger_id, position, event_id, stream_id, kind, version, type, time, entry, code)
            SELECT ledger_id, position + 1, gen_random_uuid(), stream_id, kind, version + 1, type, time, '{}', code
            FROM tenure.event WHERE ledger_id = \(ledger.uuid) ORDER BY position DESC LIMIT 1
            """, in: [ledger])
        for _ in 0..<2 { _ = try await sealing.run() }
    }

    static func run(forging: Bool = false, _ body: (ExportStage) async throws -> Void) async throws {
        let directory = FileManager.default.temporaryDirectory.appendingPathComponent("export-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        try await TestDatabase.with { database in
            try await database.withPool(as: .reader, maximumConnections: 8) { readers in
                try await database.withAppender { appender, pool in
                    let ring = try await KeyRing.load(from: pool, masters: MasterKeys.random())
                    let signer = try CheckpointSigner(name: "tenure.example", secret: try ring.checkpointSigningKey())
                    let sealing = SignGrownLedgers(
                        pool: pool, readerPool: readers, codes: .test, appender: appender, signer: signer,
                        logger: TestServer.logger())
                    let ledgers = [LedgerID(UUID()), LedgerID(UUID())].sorted()
                    for ledger in ledgers { try await append(appender, ledger, 0..<1_100) }
                    _ = try await sealing.run()
                    if forging {
                        for ledger in [ledgers[0], .system] { try await forge(ledger, pool, sealing) }
                        // The version of the forged row is passed over.
                        let last = try await LedgerReader(pool: pool, codes: .unchecked).event(ledgers[0], at: 1_100)
                        let stream = try #require(last?.stream), version = try #require(last?.streamVersion)
                        _ = try await appender.append(.test(stream, expecting: version + 1))
                        _ = try await sealing.run()
                    }
                    try await append(appender, ledgers[1], 1_100..<1_107)
                    try await body(
                        ExportStage(
                            ledgers: ledgers, log: EventLog(pool: readers, codes: .test, keys: nil), key: signer.key,
                            place: directory.appendingPathComponent("bundle").path, pool: readers))
                }
            }
        }
    }

    private static func event(
        _ number: Int, _ stream: StreamID, using random: inout SystemRandomNumberGenerator
    ) -> NewEvent {
        let type = number.isMultiple(of: 7) ? types[1] : number.isMultiple(of: 2) ? types[0] : types[2]
        let app = Bool.random(using: &random) ? apps.randomElement(using: &random) : nil
        return NewEvent(
            id: UUID(), stream: stream, type: type, data: ["number": .integer(Int64(number))],
            actor: actors.randomElement(using: &random), app: app, requestId: "r-\(number / 10)")
    }

    /// More events than two pages have, a hundred to an append, so that filters fall on both sides of every end.
    private static func append(_ appender: Appender, _ ledger: LedgerID, _ numbers: Range<Int>) async throws {
        var random = SystemRandomNumberGenerator()
        for start in stride(from: numbers.lowerBound, to: numbers.upperBound, by: 100) {
            let stream = StreamID.test(ledger)
            let end = min(start + 100, numbers.upperBound)
            let events = (start..<end).map { event($0, stream, using: &random) }
            _ = try await appender.append(
                Append(events: events, expectations: [stream: 0], time: Timestamp(microseconds: Int64(start) * 1_000)))
        }
    }
}

@Suite(.enabled(if: TestServer.isAvailable, "\(TestServer.hint)"))
struct BundleExportTests {
    private func events(
        _ source: any EventSource, _ ledger: LedgerID, _ range: EventLog.Range = EventLog.Range(),
        _ filter: ReplayFilter = ReplayFilter()
    ) async throws -> [Int64] {
        var positions: [Int64] = []
        try await source.replay(ledger, range, types: filter.typeList) { events, _ in
            positions += events.filter { filter.includes($0.recorded) }.map(\.recorded.position)
        }
        return positions
    }

    @Test func `a whole log is exported unchanged, verifies, and replays without a database`() async throws {
        try await ExportStage.run { stage in
            let written = try await stage.export.run(
                to: stage.place, try await stage.selection(), EventLog.Range(), ReplayFilter())
            #expect(written.unsealed == 7)
            let reader = try BundleReader(directory: stage.place)
            #expect(reader.manifest.parts.allSatisfy { $0.content == .whole })
            let report = try await VerifyBundle(reader, request: VerifyRequest(key: stage.key)).run()
            #expect(report.violations.isEmpty)
            let bundle = BundleLog(reader)
            for ledger in stage.ledgers {
                #expect(try await events(bundle, ledger) == Array(1...1_100))
            }
            // Both print the same lines.
            let printed = Lock("")
            let output = Output(terminal: Terminal(isInteractive: false, width: 80, environment: [:])) { text in
                printed.withLock { $0 += text }
            }
            var texts: [String] = []
            for source in [bundle, stage.log] as [any EventSource] {
                let printer = LogPrinter(
                    source: source, format: .ndjson, filter: ReplayFilter(), size: 1, output: output)
                _ = try await printer.print(
                    stage.ledgers[0], try await stage.selection(), EventLog.Range(), { _ in })
                texts.append(
                    printed.withLock { text in
                        defer { text = "" }
                        return text
                    })
            }
            #expect(texts[0] == texts[1])
            #expect(texts[0].utf8.count { $0 == 0x0A } == 1_100)
        }
    }

    @Test func `entries that the log disowns are in its tree, and in no replay`() async throws {
        try await ExportStage.run(forging: true) { stage in
            let ledger = stage.ledgers[0], all = Array(1...1_100) + [1_102] as [Int64]
            let codes = EventCodes.unchecked(disowned: try await DisownEntries.sealed(in: stage.pool))
            let log = EventLog(pool: stage.pool, codes: codes, keys: nil)
            let export = BundleExport(reader: log.reader, log: log, key: stage.key)
            #expect(try await events(log, ledger) == all)
            for one in [nil, ledger] {
                let place = stage.place + (one == nil ? "" : "-one")
                _ = try await export.run(to: place, try await stage.selection(one), EventLog.Range(), ReplayFilter())
                let reader = try BundleReader(directory: place)
                #expect(reader.manifest.parts.contains { $0.ledger == ledger && $0.entries == 1_102 })
                let report = try await VerifyBundle(reader, request: VerifyRequest(key: stage.key)).run()
                #expect(report.violations == [])
                #expect(try await events(BundleLog(reader), ledger) == all)
            }
        }
    }

    @Test func `every combination of filters selects the same events as checking each event`() async throws {
        try await ExportStage.run { stage in
            let ledger = stage.ledgers[0]
            var all: [RecordedEvent] = []
            try await stage.log.replay(ledger) { events, _ in all += events.map(\.recorded) }
            try #require(all.count == 1_100)
            let time = { (number: Int64) in Timestamp(microseconds: number * 1_000) }
            var number = 0
            for types in [[], ["AttemptCharged"], ["AttemptCharged", "AppChallengeAnswered"]] as [Set<String>] {
                for (app, actor) in [
                    (nil, nil), (ExportStage.apps[0], nil), (ExportStage.apps[1], ExportStage.actors[2]),
                ] as [(UUID?, UUID?)] {
                    for range in [
                        EventLog.Range(), .init(fromPosition: 499, toPosition: 501),
                        .init(from: all[300].time, to: all[900].time), .init(fromPosition: 450, to: time(700)),
                    ] {
                        for request in [nil, "r-50"] as [String?] {
                            let filter = ReplayFilter(types: types, app: app, actor: actor, request: request)
                            let expected = all.filter { event in
                                guard types.isEmpty || types.contains(event.type) else { return false }
                                guard app == nil || event.app == app else { return false }
                                guard actor == nil || event.actor == actor else { return false }
                                guard request == nil || event.requestId == request else { return false }
                                if let first = range.fromPosition, event.position < first { return false }
                                if let last = range.toPosition, event.position > last { return false }
                                if let from = range.from, event.time < from { return false }
                                if let to = range.to, event.time > to { return false }
                                return true
                            }.map(\.position)
                            number += 1
                            #expect(
                                try await events(stage.log, ledger, range, filter) == expected, "\(filter) \(range)")
                            let place = "\(stage.place)-\(number)"
                            _ = try await stage.export.run(to: place, try await stage.selection(ledger), range, filter)
                            let reader = try BundleReader(directory: place)
                            try reader.verifyCheckpoints(stage.key)
                            #expect(try await events(BundleLog(reader), ledger) == expected, "\(filter) \(range)")
                            #expect(reader.manifest.parts.count == (expected.isEmpty ? 0 : 1))
                        }
                    }
                }
            }
        }
    }

    @Test func `position filters select the same lines from bytes as from values`() async throws {
        try await ExportStage.run { stage in
            let printed = Lock("")
            let output = Output(terminal: Terminal(isInteractive: false, width: 80, environment: [:])) { text in
                printed.withLock { $0 += text }
            }
            for range in [
                EventLog.Range(), .init(fromPosition: 0), .init(toPosition: 0), .init(fromPosition: 2_000),
                .init(fromPosition: 499, toPosition: 501), .init(fromPosition: 7, toPosition: 7),
            ] {
                var expected = ""
                try await stage.log.replay(stage.ledgers[1], range) { events, _ in
                    for event in events { expected += JSONLines.line(event.json) }
                }
                let reached = try await EntryPrinter(log: stage.log, output: output).print(
                    stage.ledgers[1], range, { _ in })
                #expect(printed.withLock { $0 } == expected, "\(range)")
                #expect(reached <= max(range.fromPosition ?? 1, 1_107))
                printed.withLock { $0 = "" }
            }
        }
    }

    @Test func `a changed bundle is not replayed, and a changed log is not exported`() async throws {
        try await ExportStage.run { stage in
            let ledger = stage.ledgers[0]
            _ = try await stage.export.run(
                to: stage.place, try await stage.selection(ledger), EventLog.Range(),
                ReplayFilter(types: ["AttemptCharged"])
            )
            let file = "\(stage.place)/\(ledger)/entries.ndjson"
            let text = try String(contentsOfFile: file, encoding: .utf8)
            try text.replacing(#""number":700"#, with: #""number":701"#).write(
                toFile: file, atomically: true, encoding: .utf8)
            var shown: [Int64] = []
            let error = await #expect(throws: ProofError.self) {
                let bundle = BundleLog(try BundleReader(directory: stage.place))
                try await bundle.replay(ledger) { events, _ in shown += events.map(\.recorded.position) }
            }
            #expect(error?.code == .rootMismatch)
            #expect(CommandFailure(describing: try #require(error))?.exitCode == .integrityViolation)
            #expect(!shown.contains(701))
            // Nothing is written over, and what fails leaves nothing.
            await #expect(throws: ProofError.self) {
                try await stage.export.run(
                    to: stage.place, try await stage.selection(), EventLog.Range(), ReplayFilter())
            }
            let other = try CheckpointSigner(
                name: "other.example", secret: try KeyRing.random().checkpointSigningKey()
            ).key
            let export = BundleExport(reader: stage.log.reader, log: stage.log, key: other)
            await #expect(throws: ProofError.self) {
                try await export.run(
                    to: stage.place + "-2", try await stage.selection(), EventLog.Range(), ReplayFilter())
            }
            #expect(!FileManager.default.fileExists(atPath: stage.place + "-2"))
            #expect(!FileManager.default.fileExists(atPath: stage.place + "-2.partial"))
        }
    }
}
