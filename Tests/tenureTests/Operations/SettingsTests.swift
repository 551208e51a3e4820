import Foundation
import HTTPLimits
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

    /// JSON of each type, and the kinds of setting that take it.
    private static let types: [(json: String, takes: Set<Settings.Name.Kind>)] = [
        (#""text""#, [.text, .number, .flag, .list]), ("7", [.number]), ("true", [.flag]), ("false", [.flag]),
        ("2.5", []), ("1e3", []), ("9007199254740993", []), ("null", []), ("{}", []), (#"{"a": "b"}"#, []),
        (#"["127.0.0.1", "::1"]"#, [.list]), ("[2]", []), ("[true]", []), ("[null]", []), (#"[["127.0.0.1"]]"#, []),
    ]

    @Test(arguments: Settings.Name.allCases)
    func `a setting of another type stops the command, which names it and what it wants`(
        name: Settings.Name
    ) async throws {
        for (json, kinds) in Self.types {
            let file = try Self.file(#"{"\#(name.rawValue)": \#(json)}"#)
            defer { try? FileManager.default.removeItem(atPath: file) }
            do {
                let settings = try await Settings(flags: [:], environment: [:], file: file)
                #expect(kinds.contains(name.kind) && settings.text(name) != nil, "\(name) takes \(json)")
            } catch {
                let failure = try #require(error as? CommandFailure)
                #expect(!kinds.contains(name.kind), "\(name) does not take \(json)")
                #expect(failure.exitCode == .usage && failure.message.contains(file), "\(failure)")
                // Null is refused by the reader of JSON or by the setting; either way it is named.
                #expect(failure.message.contains(name.rawValue), "\(failure)")
                #expect(failure.remedy == name.kind.rawValue, "\(failure)")
            }
        }
    }

    @Test func `a list of networks counts as the text with commas does`() async throws {
        let file = try Self.file(#"{"trustedProxies": ["127.0.0.1", "10.0.0.0/8"], "logLevel": "info"}"#)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let networks = try await Settings(flags: [:], environment: [:], file: file).networks(.trustedProxies)
        #expect(networks.contains("127.0.0.1") && networks.contains("10.1.2.3") && !networks.contains("192.0.2.1"))
    }

    @Test(arguments: Settings.Name.allCases.filter { $0.kind == .text && $0 != .masterKeys && $0 != .mailFrom })
    func `white space around a text is refused without the text`(name: Settings.Name) async throws {
        for text in ["s3cret\n", "s3cret\r", "s3cret\r\n", "s3cret ", "\ts3cret", "\u{A0}s3cret"] {
            let failure = await #expect(throws: CommandFailure.self) {
                try await Settings(flags: [:], environment: [name.variable: text], file: nil)
            }
            #expect(failure?.exitCode == .usage && failure?.message.contains(name.variable) == true)
            #expect(failure?.description.contains("s3cret") == false)
        }
    }

    @Test func `the JSON of master keys may end with a line`() async throws {
        let settings = try await Settings(flags: [:], environment: ["TENURE_MASTER_KEYS": "{}\n"], file: nil)
        #expect(settings.text(.masterKeys) == "{}\n")
    }

    @Test(arguments: Settings.Name.allCases)
    func `bytes that were not UTF-8 are refused`(name: Settings.Name) async {
        let failure = await #expect(throws: CommandFailure.self) {
            try await Settings(flags: [:], environment: [name.variable: "a\u{FFFD}b"], file: nil)
        }
        #expect(failure?.exitCode == .usage && failure?.message.contains("UTF-8") == true)
    }

    @Test func `a development service lets anybody found a company, or whom the setting names`() async throws {
        let unset = try await Settings(flags: [:], environment: [:], file: nil)
        #expect(try unset.foundingRule() == .off && unset.foundingRule(default: .open) == .open)
        let code = try await Settings(flags: [:], environment: ["TENURE_FOUNDING": "code"], file: nil)
        #expect(try code.foundingRule(default: .open) == .code)
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
