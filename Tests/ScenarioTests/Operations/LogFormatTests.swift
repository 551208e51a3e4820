import Foundation
import TestSupport
import Testing

/// What a program that collects logs reads from a service.
@Suite(.onServer)
struct `The log of a service` {
    /// Starts a service that finds its port taken, and returns the lines of its log.
    private func lines(_ format: String) async throws -> [String] {
        try await TestDatabase.with { database in
            let files = try TemporaryFiles()
            defer { files.remove() }
            let port = try #require(TakenPort())
            let own = [
                "TENURE_DATABASE_URL": database.url(as: .application),
                "TENURE_READER_DATABASE_URL": database.url(as: .reader), "SWIFT_BACKTRACE": "enable=no",
                "TENURE_MASTER_KEY_FILE": files.path("master.json"),
                "TENURE_OPERATOR_KEY_FILE": files.path("operator.key"), "TENURE_LISTEN_PORT": "\(port.number)",
                "TENURE_METRICS_LISTEN": "off", "TENURE_LOG_FORMAT": format,
            ]
            let made = await (try ChildProcess("tenure", ["key", "init"], environment: own)).finish()
            #expect(made.status == 0)
            let end = await (try ChildProcess("tenure", ["serve"], environment: own, keepsErrors: true)).finish()
            #expect(end.status == 69, "\(end)")
            // The last words are those of the command, and no line of the log.
            return end.lines.filter { !$0.hasPrefix("tenure:") && !$0.hasPrefix(" ") && !$0.isEmpty }
        }
    }

    @Test func `is one JSON object a line, if it is to be`() async throws {
        let lines = try await lines("json").filter { $0.hasPrefix("{") }
        #expect(lines.contains { $0.contains("descriptors_hard") }, "\(lines)")
        for line in lines {
            let read = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
            #expect(read["level"] != nil && read["message"] != nil && read["time"]?.hasSuffix("Z") == true, "\(line)")
        }
    }

    @Test func `is otherwise fields with quotes where they are needed`() async throws {
        let lines = try await lines("text").filter { $0.hasPrefix("time=") }
        #expect(lines.contains { $0.contains("descriptors_hard") }, "\(lines)")
        for line in lines {
            let field = #"[A-Za-z0-9_.-]+=([!#-<>-\[\]-~]+|"([^"\\]|\\.)*")"#
            let whole = try Regex("(\(field))( \(field))*")
            #expect(line.wholeMatch(of: whole) != nil, "\(line)")
        }
    }
}
