import Foundation
import IdentityService
import Logging
@testable import TenureServer
import Testing

@testable import tenure

@Suite struct MPinSettingsTests {
    private static let names = [
        "TENURE_MPIN_DTA_1_URL", "TENURE_MPIN_DTA_1_KEY_FILE", "TENURE_MPIN_DTA_2_URL", "TENURE_MPIN_DTA_2_KEY_FILE",
    ]

    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
        try write("1.key", String(repeating: "01", count: 32) + "\n")
        try write("2.key", String(repeating: "02", count: 32) + "\n")
    }

    private func write(_ name: String, _ text: String, mode: Int = 0o600) throws {
        let path = directory.path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }

    private var environment: [String: String] {
        [
            "TENURE_MPIN_DTA_1_URL": "https://dta-1.example", "TENURE_MPIN_DTA_1_KEY_FILE": directory.path + "/1.key",
            "TENURE_MPIN_DTA_2_URL": "https://dta-2.example/x",
            "TENURE_MPIN_DTA_2_KEY_FILE": directory.path + "/2.key",
        ]
    }

    private func authorities(_ environment: [String: String]) async throws -> MPinAuthorityClientConfiguration? {
        try await Settings(flags: [:], environment: environment, file: nil).mpinAuthorities()
    }

    private func failure(_ more: [String: String]) async -> CommandFailure? {
        await #expect(throws: CommandFailure.self) {
            try await authorities(environment.merging(more) { _, new in new })
        }
    }

    /// The refusal of a client of these settings.
    private func refusal(_ more: [String: String]) async throws -> CommandFailure? {
        let found = try await authorities(environment.merging(more) { _, new in new })
        let configuration = try #require(found)
        let error = #expect(throws: MPinAuthorityClientError.self) {
            try MPinAuthorityClient(configuration, logger: Logger(label: "test"))
        }
        return error.flatMap { CommandFailure(describing: $0) }
    }

    @Test func `the variables have the documented names`() {
        let names: [Settings.Name] = [.mpinDta1Url, .mpinDta1KeyFile, .mpinDta2Url, .mpinDta2KeyFile]
        #expect(names.map(\.variable) == Self.names)
        #expect(Settings.Name.mpinDta2PublicUrl.variable == "TENURE_MPIN_DTA_2_PUBLIC_URL")
        #expect(Settings.Name.mpinCaFile.variable == "TENURE_MPIN_CA_FILE")
    }

    @Test func `a settings file names them without separators`() async throws {
        try write("settings.json", #"{"mpinDta1Url": "https://dta.example", "mpinEpoch": 3}"#)
        let settings = try await Settings(flags: [:], environment: [:], file: directory.path + "/settings.json")
        #expect(settings.text(.mpinDta1Url) == "https://dta.example")
        #expect(try settings.number(.mpinEpoch, in: 1...9, default: 1) == 3)
    }

    @Test func `without settings there are no D-TAs`() async throws {
        #expect(try await authorities([:]) == nil)
        #expect(try await authorities(["TENURE_MPIN_EPOCH": "2", "TENURE_MPIN_DTA_1_URL": ""]) == nil)
    }

    @Test func `four settings are enough`() async throws {
        let found = try await authorities(environment)
        let configuration = try #require(found)
        #expect(configuration.first.address.text == "https://dta-1.example/")
        #expect(configuration.second.address.text == "https://dta-2.example/x/")
        #expect(configuration.clientAddress == configuration.second.address)
        #expect(configuration.epoch == 1 && configuration.oldestEpoch == 1 && !configuration.allowsClearText)
        let client = try MPinAuthorityClient(configuration, logger: Logger(label: "test"))
        #expect(client.clientURL == "https://dta-2.example/x/")
    }

    @Test func `all settings are read`() async throws {
        let found = try await authorities(
            environment.merging([
                "TENURE_MPIN_DTA_2_PUBLIC_URL": "https://public.example", "TENURE_MPIN_CA_FILE": "/ca.pem",
                "TENURE_MPIN_EPOCH": "2147483647", "TENURE_MPIN_OLDEST_EPOCH": "7",
                "TENURE_MPIN_CLEAR_TEXT_ALLOWED": "true",
            ]) { _, new in new })
        let configuration = try #require(found)
        #expect(configuration.clientAddress.text == "https://public.example/")
        #expect(configuration.certificateAuthorityFile == "/ca.pem" && configuration.allowsClearText)
        #expect(configuration.epoch == 2_147_483_647 && configuration.oldestEpoch == 7)
    }

    @Test(arguments: names)
    func `a missing setting is named`(name: String) async throws {
        let failure = await self.failure([name: ""])
        #expect(failure?.exitCode == .usage)
        let message = failure?.message ?? ""
        #expect(message.hasSuffix("but not \(name)"))
        let others = await self.failure(
            Dictionary(uniqueKeysWithValues: Self.names.filter { $0 != name }.map { ($0, "") }))
        for other in Self.names where other != name { #expect(others?.message.contains(other) == true) }
    }

    @Test(arguments: ["TENURE_MPIN_DTA_2_PUBLIC_URL", "TENURE_MPIN_CA_FILE"])
    func `a setting of D-TAs alone is refused`(name: String) async throws {
        let failure = await #expect(throws: CommandFailure.self) { try await authorities([name: "https://a"]) }
        #expect(failure?.message.contains(name) == true)
    }

    @Test(arguments: [
        ("MPIN_EPOCH", "0"), ("MPIN_EPOCH", "4294967296"), ("MPIN_EPOCH", "one"), ("MPIN_OLDEST_EPOCH", "0"),
        ("MPIN_OLDEST_EPOCH", "2"), ("MPIN_CLEAR_TEXT_ALLOWED", "maybe"), ("MPIN_DTA_1_URL", "dta-1.example"),
        ("MPIN_DTA_2_PUBLIC_URL", "https://"),
    ])
    func `an impossible value is refused by name`(name: String, value: String) async throws {
        let failure = await self.failure(["TENURE_\(name)": value])
        #expect(failure?.exitCode == .usage && failure?.message.contains("TENURE_\(name)") == true)
    }

    @Test func `a key file must be there, private and well-formed`() async throws {
        let name = "TENURE_MPIN_DTA_1_KEY_FILE"
        let missing = await self.failure([name: directory.path + "/none"])
        #expect(missing?.message.contains(name) == true && missing?.remedy?.contains("tenure dta init") == true)
        try write("open.key", String(repeating: "01", count: 32) + "\n", mode: 0o640)
        let open = await self.failure([name: directory.path + "/open.key"])
        #expect(open?.message.contains(name) == true && open?.remedy?.contains("chmod 600") == true)
        try write("bad.key", "no key\n")
        #expect(await self.failure([name: directory.path + "/bad.key"])?.message.contains(name) == true)
    }

    @Test func `clear text beyond loopback needs a permission, and never serves clients`() async throws {
        let clear = ["TENURE_MPIN_DTA_1_URL": "http://dta-1:8001"]
        #expect(try await refusal(clear)?.remedy?.contains("TENURE_MPIN_CLEAR_TEXT_ALLOWED") == true)
        let permitted = try await authorities(
            environment.merging(clear) { _, new in new }
                .merging(["TENURE_MPIN_CLEAR_TEXT_ALLOWED": "true"]) { _, new in new })
        _ = try MPinAuthorityClient(#require(permitted), logger: Logger(label: "test"))
        let second = ["TENURE_MPIN_DTA_2_URL": "http://dta-2:8001", "TENURE_MPIN_CLEAR_TEXT_ALLOWED": "true"]
        #expect(try await refusal(second)?.remedy?.contains("TENURE_MPIN_DTA_2_PUBLIC_URL") == true)
    }

    @Test func `one D-TA is not two`() async throws {
        let same = try await refusal(["TENURE_MPIN_DTA_2_URL": "https://dta-1.example/"])
        #expect(same?.message.contains("both D-TAs") == true)
    }

    @Test(arguments: [
        ("http://localhost:8001", true), ("http://127.0.0.1", true), ("http://127.8.8.8/", true),
        ("http://[::1]:8001/x", true), ("http://127.example", false), ("http://10.0.0.7", false),
        ("https://dta.example:443/a/b", false),
    ])
    func `an address tells whether it leads to this machine`(text: String, isLoopback: Bool) throws {
        let address = try #require(MPinAuthorityAddress(text))
        #expect(address.isLoopback == isLoopback && address.text.hasPrefix(text) && address.text.hasSuffix("/"))
        #expect(address.isClearText == text.hasPrefix("http:"))
    }

    @Test(arguments: [
        "", "dta.example", "ftp://dta.example", "HTTPS://dta.example", "https://", "https:///", "https://:80",
        "https://dta.example:", "https://dta.example:0", "https://dta.example:65536", "https://dta.example:080",
        "https://user@dta.example", "https://dta.example?x", "https://dta.example/?x", "https://dta.example/#x",
        "https://dta example", "https://dta.example/%2f", "https://[::1", "https://[]", "https://[::1]x",
        "https://dta.example\r\n", "https://dta.example/a b",
    ])
    func `anything else is no address`(text: String) { #expect(MPinAuthorityAddress(text) == nil) }
}

@Suite struct MPinExaminationTests {
    private func examination(_ failure: MPinKeySourceError?) throws -> MPinAuthorityExamination {
        try MPinAuthorityExamination(
            number: 2, address: #require(MPinAuthorityAddress("https://dta.example")), failure: failure)
    }

    @Test func `a D-TA that gives shares is good`() throws {
        let finding = try #require(Examination.findings([examination(nil)]).first)
        #expect(finding.subject == "D-TA 2" && finding.verdict == .good && finding.remedy == nil)
        #expect(finding.detail.contains("https://dta.example/"))
    }

    @Test(arguments: [MPinKeySourceError.Code.unavailable, .refused, .malformed])
    func `any other is bad and has a remedy`(code: MPinKeySourceError.Code) throws {
        let failure = MPinKeySourceError(code: code, description: "words")
        let finding = try #require(Examination.findings([examination(failure)]).first)
        #expect(finding.verdict == .bad && finding.detail == "words" && finding.remedy != nil)
    }
}
