import Foundation
import IdentityService
import TenureServer
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

    @Test func `every setting is read from its variable`() async throws {
        for name in Settings.Name.allCases {
            let settings = try await Settings(flags: [:], environment: [name.variable: "value"], file: nil)
            #expect(settings.text(name) == "value", "\(name.variable)")
        }
    }

    @Test func `a missing setting is named`() async throws {
        let settings = try await Settings(flags: [:], environment: [:], file: nil)
        let failure = #expect(throws: CommandFailure.self) { try settings.required(.databaseUrl) }
        #expect(failure?.message.contains("TENURE_DATABASE_URL") == true)
        #expect(failure?.exitCode == .usage)
        #expect(try settings.number(.listenPort, in: 1...65_535, default: 8080) == 8080)
    }

    @Test(arguments: ["eighty", "0", "65536", "80 ", "8.0"])
    func `an invalid number is refused, not ignored`(text: String) async throws {
        let settings = try await Settings(flags: [:], environment: ["TENURE_LISTEN_PORT": text], file: nil)
        #expect(throws: CommandFailure.self) { try settings.number(.listenPort, in: 1...65_535, default: 8080) }
    }

    @Test func `an empty setting counts as unset`() async throws {
        let settings = try await Settings(flags: [:], environment: ["TENURE_DATABASE_URL": ""], file: nil)
        #expect(settings.text(.databaseUrl) == nil)
    }

    @Test func `a missing or malformed settings file stops the command`() async throws {
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

struct ServiceLimitsTests {
    private func limits(_ environment: [String: String]) async throws -> ServiceLimits {
        try ServiceLimits(try await Settings(flags: [:], environment: environment, file: nil))
    }

    @Test func `a service has rate limits by default`() async throws {
        let usual = try await limits([:])
        #expect(usual.address == RateLimit(perSecond: 250, burst: 1_000))
        #expect(usual.unknownAttempts == RateLimit(perSecond: 1, burst: 120))
        #expect(usual.app != nil && usual.company != nil)
    }

    @Test func `rates can be set, and a rate of 0 is no limit`() async throws {
        let set = try await limits([
            "TENURE_ADDRESS_RATE": "7", "TENURE_ADDRESS_BURST": "9", "TENURE_APP_RATE": "0",
            "TENURE_UNKNOWN_ATTEMPT_RATE": "30",
        ])
        #expect(set.address == RateLimit(perSecond: 7, burst: 9))
        #expect(set.app == nil && set.unknownAttempts?.perSecond == 0.5)
    }

    @Test(arguments: ["TENURE_APP_BURST", "TENURE_COMPANY_RATE"])
    func `an invalid limit stops the command`(name: String) async throws {
        for text in ["many", "-1", "1.5"] {
            await #expect(throws: CommandFailure.self) { _ = try await limits([name: text]) }
        }
    }
}

/// What a service is made of, by its settings.
@Suite struct ServicePartsTests {
    private func parts(_ more: [String: String] = [:]) async throws -> ServiceParts {
        let key = Data(repeating: 7, count: 32).base64EncodedString()
        let needed = [
            "TENURE_DATABASE_URL": "postgresql://tenure_app@/tenure?host=/nowhere",
            "TENURE_READER_DATABASE_URL": "postgresql://tenure_reader@/tenure?host=/nowhere",
            "TENURE_MASTER_KEYS": #"{"current":1,"keys":{"1":"\#(key)"}}"#,
        ]
        return try ServiceParts(
            await Settings(flags: [:], environment: needed.merging(more) { _, new in new }, file: nil))
    }

    @Test func `the places and the patience of hashing are as configured, or follow the processors`() async throws {
        let asked = try await parts([
            "TENURE_HASHING_PLACES": "7", "TENURE_HASHING_PLACES_KNOWN": "11", "TENURE_HASHING_SECONDS": "3",
        ]).assembly
        #expect(asked.computeWaiting == 7 && asked.computeWaitingKnown == 11 && asked.computePatience == .seconds(3))
        let usual = try await parts().assembly, processors = usual.computeThreads
        #expect(usual.computeWaiting == 32 * processors && usual.computeWaitingKnown == 128 * processors)
        #expect(usual.computePatience == .seconds(20))
        await #expect(throws: CommandFailure.self) { try await parts(["TENURE_HASHING_SECONDS": "0"]) }
    }

    @Test func `the number of connections is as configured, or follows the machine within bounds`() async throws {
        let asked = try await parts(["TENURE_DATABASE_CONNECTIONS": "24"])
        #expect(asked.assembly.maximumConnections == 24)
        let unasked = try await parts()
        #expect((8...16).contains(unasked.assembly.maximumConnections))
    }

    @Test(arguments: ["3", "1001", "many"])
    func `too few connections to serve are refused`(text: String) async throws {
        await #expect(throws: CommandFailure.self) {
            _ = try await parts(["TENURE_DATABASE_CONNECTIONS": text])
        }
    }

    @Test func `access tokens name the public address, which only loopback can do without`() async throws {
        let named = try await parts(["TENURE_PUBLIC_URL": "https://id.example", "TENURE_LISTEN_HOST": "0.0.0.0"])
        #expect(named.assembly.settings.tokenIssuer == "https://id.example")
        let local = try await parts(["TENURE_LISTEN_PORT": "9000"])
        #expect(local.assembly.settings.tokenIssuer == "http://127.0.0.1:9000")
        await #expect(throws: CommandFailure.self) { _ = try await parts(["TENURE_LISTEN_HOST": "0.0.0.0"]) }
    }
}
