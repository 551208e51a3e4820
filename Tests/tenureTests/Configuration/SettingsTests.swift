import Foundation
import Testing

@testable import tenure

@Suite struct SettingsTests {
    @Test func `a flag wins over the environment, which wins over the file`() async throws {
        let file = try Self.file(#"{"listenHost": "file", "logLevel": "file", "publicUrl": "file", "listenPort": 1}"#)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let settings = try await Settings(
            flags: [.listenHost: "flag"],
            environment: ["TENURE_LISTEN_HOST": "environment", "TENURE_LOG_LEVEL": "environment"], file: file)
        #expect(settings.text(.listenHost) == "flag")
        #expect(settings.text(.logLevel) == "environment")
        #expect(settings.text(.publicUrl) == "file")
        #expect(try settings.number(.listenPort, in: 1...65_535, default: 8080) == 1)
        #expect(settings.text(.tlsKeyFile) == nil)
    }

    @Test func `every setting is read from the variable that it names`() async throws {
        for name in Settings.Name.allCases {
            let settings = try await Settings(flags: [:], environment: [name.variable: "value"], file: nil)
            #expect(settings.text(name) == "value", "\(name.variable)")
        }
    }

    @Test func `what is missing is named`() async throws {
        let settings = try await Settings(flags: [:], environment: [:], file: nil)
        let failure = #expect(throws: CommandFailure.self) { try settings.required(.databaseUrl) }
        #expect(failure?.message.contains("TENURE_DATABASE_URL") == true)
        #expect(failure?.exitCode == .usage)
        #expect(try settings.number(.listenPort, in: 1...65_535, default: 8080) == 8080)
    }

    @Test(arguments: ["eighty", "0", "65536", "80 ", "8.0"])
    func `a number that is none is refused, not passed over`(text: String) async throws {
        let settings = try await Settings(flags: [:], environment: ["TENURE_LISTEN_PORT": text], file: nil)
        #expect(throws: CommandFailure.self) { try settings.number(.listenPort, in: 1...65_535, default: 8080) }
    }

    @Test func `set to nothing is not set`() async throws {
        let settings = try await Settings(flags: [:], environment: ["TENURE_DATABASE_URL": ""], file: nil)
        #expect(settings.text(.databaseUrl) == nil)
    }

    @Test func `a file that is missing or no JSON object stops the command`() async throws {
        await #expect(throws: CommandFailure.self) {
            try await Settings(flags: [:], environment: [:], file: "/nowhere/tenure.json")
        }
        let file = try Self.file("[1]")
        defer { try? FileManager.default.removeItem(atPath: file) }
        await #expect(throws: CommandFailure.self) { try await Settings(flags: [:], environment: [:], file: file) }
    }

    private static func file(_ text: String) throws -> String {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json")
        try Data(text.utf8).write(to: url)
        return url.path
    }
}
