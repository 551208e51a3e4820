import Canonical
import Credentials
import Foundation
import Keys
import Ledger
import TestSupport
import Testing

/// The first start of a log.
@Suite(.onServer)
struct `The first start` {
    private func tenure(
        _ arguments: [String], _ database: TestDatabase, _ environment: [String: String]
    ) async throws -> (status: Int32, lines: [String]) {
        let own = [
            "TENURE_DATABASE_URL": database.url(as: .application),
            "TENURE_READER_DATABASE_URL": database.url(as: .reader), "SWIFT_BACKTRACE": "enable=no",
            "TENURE_LISTEN_PORT": "0",
        ]
        return try await ChildProcess(
            "tenure", arguments, environment: own.merging(environment) { _, new in new }, keepsErrors: true
        ).finish()
    }

    @Test func `needs a file for the operator key, creates it once and never overwrites it`() async throws {
        try await TestDatabase.with { database in
            let files = try TemporaryFiles()
            defer { files.remove() }
            let masters = MasterKeyFile(path: files.path("master.json"))
            _ = try masters.create()
            let keyFile = files.path("operator.key")
            var environment = ["TENURE_MASTER_KEY_FILE": masters.path]
            let refused = try await tenure(["serve"], database, environment)
            #expect(refused.status == 64 && refused.lines.joined().contains("TENURE_OPERATOR_KEY_FILE"), "\(refused)")
            environment["TENURE_OPERATOR_KEY_FILE"] = keyFile

            // Somebody's file is not taken for ours by a service, which does not read it.
            try Data("something".utf8).write(to: URL(fileURLWithPath: keyFile))
            let taken = try await tenure(["serve"], database, environment)
            #expect(taken.status == 1 && taken.lines.joined().contains("never overwritten"), "\(taken)")
            #expect(try String(contentsOfFile: keyFile, encoding: .utf8) == "something")
            try FileManager.default.removeItem(atPath: keyFile)

            let made = try await tenure(["app", "create", "first", "--role", "ACCESS"], database, environment)
            #expect(made.status == 0, "\(made)")
            let attributes = try FileManager.default.attributesOfItem(atPath: keyFile)
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
            let key = try OperatorKey(text: try String(contentsOfFile: keyFile, encoding: .utf8))
            let shown = try await tenure(["operator", "show"], database, environment)
            #expect(shown.status == 0 && shown.lines == [key.publicKey.base64], "\(shown)")
            let again = try await tenure(["operator", "found"], database, environment)
            #expect(again.status == 0 && again.lines.last == key.publicKey.base64, "\(again)")
        }
    }

    @Test func `begins the system ledger, and the key signs every decision of the operator`() async throws {
        try await inTurn { world in
            let events = try await world.systemEvents()
            #expect(events.first?.type == "SystemFounded")
            let key = try TestOperator.key().publicKey
            #expect(events.first?.data["operatorKey"] == .bytes(key.bytes))
            for event in events where event.type.hasPrefix("App") {
                #expect(event.data["by"]?["key"] == .bytes(key.bytes), "\(event.type)")
            }
        }
    }

    @Test func `fixes the operator key, and another key signs nothing`() async throws {
        try await inTurn { world in
            let files = try TemporaryFiles()
            defer { files.remove() }
            let path = files.path("operator.key")
            try Data(OperatorKey.generate().text.utf8).write(to: URL(fileURLWithPath: path))
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            let environment = ["TENURE_MASTER_KEY_FILE": world.keyFile.path, "TENURE_OPERATOR_KEY_FILE": path]
            let create = ["app", "create", "foreign", "--role", "ACCESS"]
            let wrong = try await tenure(create, world.database, environment)
            #expect(
                wrong.status == 4 && wrong.lines.joined().contains("not the one that this log begins with"), "\(wrong)")
            let none = try await tenure(create, world.database, ["TENURE_MASTER_KEY_FILE": world.keyFile.path])
            #expect(none.status == 64 && none.lines.joined().contains("--operator-key"), "\(none)")
        }
    }
}

extension TenureWorld {
    /// The events of the system ledger.
    func systemEvents() async throws -> [RecordedEvent] {
        try await database.withPool(as: .reader) { pool in
            try await LedgerReader(pool: pool, codes: .unchecked, storesTiles: false).ledger(.system, limit: 1_000)
                .events
        }
    }
}
