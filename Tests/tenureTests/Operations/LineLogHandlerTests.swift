import Canonical
import Foundation
import Logging
import Testing

@testable import tenure

/// The lines of the log, for people and for programs.
@Suite struct LineLogHandlerTests {
    private static let time = Timestamp(microseconds: 1_700_000_000_000_001)

    private func line(
        _ format: LineLogHandler.Format, _ message: String, _ metadata: Logger.Metadata = [:],
        own: Logger.Metadata = [:],
        error: (any Error)? = nil
    ) -> String {
        var handler = LineLogHandler(format)
        handler.metadata = own
        var event = LogEvent(
            level: .info, message: "\(message)", metadata: metadata, source: "Tests", file: "", function: "", line: 1)
        event.error = error
        return handler.line(of: event, at: Self.time)
    }

    private func object(_ line: String) throws -> [String: String] {
        try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
    }

    /// Reads a line as programs that know logfmt do: quoted values are strings of JSON, others end at a space.
    private func pairs(_ line: String) throws -> [String: String] {
        var found: [String: String] = [:], rest = line.dropLast()[...]
        while let sign = rest.firstIndex(of: "=") {
            let key = String(rest[..<sign])
            rest = rest[rest.index(after: sign)...]
            let end: String.Index
            if rest.first == "\"" {
                let match = try #require(rest.prefixMatch(of: /"([^"\\]|\\.)*"/))
                found[key] = try JSONDecoder().decode(String.self, from: Data(match.output.0.utf8))
                end = match.range.upperBound
            } else {
                end = rest.firstIndex(of: " ") ?? rest.endIndex
                found[key] = String(rest[..<end])
            }
            rest = rest[end...].dropFirst()
        }
        #expect(rest.isEmpty)
        return found
    }

    @Test func `a line names time, level and message, then the metadata`() {
        let metadata: Logger.Metadata = ["route": "/v1/me", "caller": "a b"]
        let start = "time=2023-11-14T22:13:20.000001Z level=info message=request "
        #expect(line(.text, "request", metadata) == start + "caller=\"a b\" route=/v1/me source=Tests\n")
        #expect(
            line(.json, "request", metadata)
                == #"{"time":"2023-11-14T22:13:20.000001Z","level":"info","message":"request","caller":"a b","#
                + #""route":"/v1/me","source":"Tests"}"# + "\n")
    }

    @Test(arguments: [
        "plain", "", " ", "two words", "a=b", #"say "yes""#, #"C:\temp"#, "one\ntwo", "\r\n\t", "\u{1B}[31mred\u{7}",
        "\u{0}", "\u{7F}\u{85}\u{9B}", "\u{2028}\u{2029}", "\u{202E}txt.exe", "\u{E0041}", "Zoë 日本 🔑", "level=error",
        "x\ntime=2023-11-14T22:13:20.000001Z level=critical message=forged",
    ])
    func `a value comes out of one line as it went in, and nothing in it is invisible`(value: String) throws {
        for format in LineLogHandler.Format.allCases {
            let line = line(format, value, ["a": "\(value)", "b": .array(["\(value)"])], own: ["c": "\(value)"])
            let read = try format == .text ? pairs(line) : object(line)
            for name in ["message", "a", "c"] { #expect(read[name] == value, "\(format) \(name)") }
            #expect(read["level"] == "info" && read["source"] == "Tests" && read.count == 7, "\(read)")
            let hidden: [Unicode.GeneralCategory] = [.control, .format, .lineSeparator, .paragraphSeparator]
            #expect(line.hasSuffix("\n"))
            #expect(!line.unicodeScalars.dropLast().contains { hidden.contains($0.properties.generalCategory) })
        }
    }

    @Test func `no key ends a field, or takes the place of one that every line has`() throws {
        let metadata: Logger.Metadata = ["time": "1", "message": "2", "a b=\"\n": "3"]
        for format in LineLogHandler.Format.allCases {
            let line = line(format, "right", metadata)
            let read = try format == .text ? pairs(line) : object(line)
            #expect(read["message"] == "right" && read["metadata.message"] == "2" && read["metadata.time"] == "1")
            #expect(read["a_b___"] == "3" && read.count == 7, "\(read)")
        }
    }

    @Test func `the error and the metadata of a provider are told`() throws {
        var handler = LineLogHandler(.json)
        handler.metadataProvider = Logger.MetadataProvider { ["request_id": "7"] }
        var event = LogEvent(
            level: .error, message: "failed", metadata: nil, source: "Tests", file: "", function: "", line: 1)
        event.error = CommandFailure(.usage, "no port")
        let read = try object(handler.line(of: event, at: Self.time))
        #expect(read["request_id"] == "7" && read["error"]?.contains("no port") == true && read["level"] == "error")
    }

    @Test func `the setting chooses the form, and another word stops the command`()
        async throws
    {
        func settings(_ form: String?) async throws -> Settings {
            try await Settings(flags: [:], environment: form.map { ["TENURE_LOG_FORMAT": $0] } ?? [:], file: nil)
        }
        for (form, expected) in [(nil, LineLogHandler.Format.text), ("text", .text), ("JSON", .json)] {
            let logger = try Logs.logger(try await settings(form), default: .info)
            #expect((logger.handler as? LineLogHandler)?.format == expected)
        }
        let wrong = try await settings("xml")
        let failure = #expect(throws: CommandFailure.self) { try Logs.logger(wrong, default: .info) }
        #expect(failure?.exitCode == .usage && failure?.message == "TENURE_LOG_FORMAT must be one of text, json")
        let level = try await Settings(flags: [:], environment: ["TENURE_LOG_LEVEL": "loud"], file: nil)
        #expect(throws: CommandFailure.self) { try Logs.logger(level, default: .info) }
    }
}
