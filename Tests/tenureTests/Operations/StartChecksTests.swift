import ArgumentParser
import Foundation
import HTTPLimits
import Keys
import TestSupport
import Testing

@testable import LocalDevelopment
@testable import tenure

/// What an operator reads when the settings name something that is not there or cannot be used.
@Suite struct StartChecksTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func file(_ name: String, _ text: String) throws -> String {
        let path = directory.path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// What `tenure serve` says to these settings, beside those that every service needs.
    private func refusal(_ more: [String: String]) async throws -> CommandFailure? {
        let key = Data(repeating: 7, count: 32).base64EncodedString()
        let needed = [
            "TENURE_DATABASE_URL": "postgresql://tenure_app@/tenure?host=/nowhere",
            "TENURE_READER_DATABASE_URL": "postgresql://tenure_reader@/tenure?host=/nowhere",
            "TENURE_MASTER_KEYS": #"{"current":1,"keys":{"1":"\#(key)"}}"#,
        ]
        let settings = try await Settings(flags: [:], environment: needed.merging(more) { _, new in new }, file: nil)
        do {
            _ = try ServiceParts(settings)
            return nil
        } catch {
            return CommandFailure(describing: error)
        }
    }

    @Test func `a slash at the end of the public URL is refused with the URL to write`() async throws {
        let failure = try #require(try await refusal(["TENURE_PUBLIC_URL": "https://id.example/"]))
        #expect(failure.exitCode == .usage)
        #expect(failure.message.hasPrefix("TENURE_PUBLIC_URL ends in a slash"))
        #expect(failure.remedy == "Write https://id.example")
        #expect(try await refusal(["TENURE_PUBLIC_URL": "https://id.example"]) == nil)
    }

    @Test(arguments: ["id.example", "ftp://id.example", "https://", "https://me@id.example", "https://id.example?a=1"])
    func `a public URL that is no origin is refused with an example`(text: String) async throws {
        let failure = try #require(try await refusal(["TENURE_PUBLIC_URL": text]))
        #expect(failure.message.contains("TENURE_PUBLIC_URL"))
        #expect(failure.remedy?.contains("https://id.example") == true)
    }

    @Test(arguments: [
        "TENURE_TLS_CERTIFICATE_FILE", "TENURE_SMTP_PASSWORD_FILE", "TENURE_SMTP_CA_FILE", "TENURE_MPIN_DTA_1_KEY_FILE",
        "TENURE_MPIN_CA_FILE",
    ])
    func `a file that is missing, and one that is a directory, are named with their setting`(name: String) async throws
    {
        let missing = try #require(try await refusal([name: directory.path + "/none.pem"]))
        #expect(missing.message.contains(name) && missing.message.contains("/none.pem"))
        #expect(missing.message.contains("No such file"))
        let wrong = try #require(try await refusal([name: directory.path]))
        #expect(wrong.message.contains(name) && wrong.message.contains("Is a directory"))
    }

    @Test(arguments: ["TENURE_ANCHOR_FILE", "TENURE_OPERATOR_KEY_FILE"])
    func `a file to write needs its directory, and not the file`(name: String) async throws {
        #expect(try await refusal([name: directory.path + "/new"]) == nil)
        let failure = try #require(try await refusal([name: directory.path + "/none/new"]))
        #expect(failure.message.contains(name) && failure.message.contains("there is no directory"))
    }

    @Test func `a missing master key file names the command that makes one`() async throws {
        let settings = try await Settings(
            flags: [:], environment: ["TENURE_MASTER_KEY_FILE": directory.path + "/master.json"], file: nil)
        let failure = #expect(throws: CommandFailure.self) { try settings.masterKeyStore() }
        #expect(failure?.message.contains(directory.path + "/master.json") == true)
        #expect(failure?.remedy?.contains("tenure key init") == true)
    }

    @Test func `a missing settings file is not called malformed`() async throws {
        let failure = await #expect(throws: CommandFailure.self) {
            try await Settings(flags: [:], environment: [:], file: directory.path + "/none.json")
        }
        #expect(
            failure?.message
                == "the settings file \(directory.path)/none.json cannot be read: No such file or directory")
    }

    @Test func `a certificate and its key are accepted, others are refused with file and reason`() async throws {
        let chain = try file("chain.pem", CertificateSamples.certificate)
        let key = try file("key.pem", CertificateSamples.key)
        func refused(_ chain: String, _ key: String) async throws -> CommandFailure? {
            try await refusal(["TENURE_TLS_CERTIFICATE_FILE": chain, "TENURE_TLS_KEY_FILE": key])
        }
        #expect(try await refused(chain, key) == nil)
        let other = try file("other.pem", CertificateSamples.keyOfAnother)
        let mismatch = try #require(try await refused(chain, other))
        #expect(mismatch.message.contains("is not that of the first certificate") && mismatch.message.contains(other))
        let encrypted = try file("encrypted.pem", CertificateSamples.encryptedKey)
        #expect(try await refused(chain, encrypted)?.message.contains("is encrypted") == true)
        let text = try file("text.pem", "no key at all")
        #expect(try await refused(chain, text)?.message == "\(text) has no private key in PEM")
        #expect(try await refused(text, key)?.message == "\(text) has no certificate in PEM")
        let half = try #require(try await refusal(["TENURE_TLS_CERTIFICATE_FILE": chain]))
        #expect(half.remedy?.contains("TENURE_TLS_KEY_FILE") == true)
    }

    @Test func `text around the blocks of PEM counts for nothing, in whatever encoding`() async throws {
        func bytes(_ name: String, _ parts: [[UInt8]]) throws -> String {
            let path = directory.path + "/" + name
            try Data(parts.flatMap { $0 }).write(to: URL(fileURLWithPath: path))
            return path
        }
        let (chain, key) = (Array(CertificateSamples.certificate.utf8), Array(CertificateSamples.key.utf8))
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        let name = Array("Bag Attributes\n    friendlyName: Schl".utf8) + [0xFC] + Array("ssel\n".utf8)
        let comment = Array("# ENCRYPTED backups are in the safe\n".utf8)
        let lines = { (text: [UInt8]) in text.flatMap { $0 == 0x0A ? [0x0D, 0x0A] : [$0] } }
        let heads: [[UInt8]] = [[], mark, name, comment, mark + comment + name]
        for (number, head) in heads.enumerated() {
            for (kind, form) in [("unix", { $0 }), ("dos", lines)] as [(String, ([UInt8]) -> [UInt8])] {
                let files = [
                    "TENURE_TLS_CERTIFICATE_FILE": try bytes("\(number)\(kind).pem", [head, form(chain), name]),
                    "TENURE_TLS_KEY_FILE": try bytes("\(number)\(kind).key", [head, form(key), comment]),
                ]
                #expect(try await refusal(files) == nil, "\(number) \(kind)")
            }
        }
        let wide = try bytes("wide.key", [[0xFF, 0xFE], key.flatMap { [$0, 0] }])
        let refused = try await refusal([
            "TENURE_TLS_CERTIFICATE_FILE": try bytes("chain.pem", [chain]), "TENURE_TLS_KEY_FILE": wide,
        ])
        #expect(refused?.message.contains("byte order mark of UTF-16") == true, "\(String(describing: refused))")
        #expect(refused?.remedy?.contains("iconv") == true)
    }

    @Test func `a port in use and an address of another machine are told with what to do`() throws {
        let port = try #require(TakenPort())
        #expect(LocalPort.failureToListen(host: "127.0.0.1", port: port.number) == .portTaken)
        #expect(LocalPort.failureToListen(host: "192.0.2.1", port: port.number) == .addressUnknown)
        #expect(LocalPort.failureToListen(host: "no-such-host.invalid", port: port.number) == .addressUnknown)
        let told = CommandFailure.listening(
            .portTaken, host: "127.0.0.1", port: port.number, setting: "TENURE_LISTEN_PORT")
        #expect(told.exitCode == .unreachable)
        #expect(told.message == "another program listens on port \(port.number) of 127.0.0.1")
        #expect(told.remedy?.contains("TENURE_LISTEN_PORT") == true)
    }
}

@Suite struct KeyInitTests {
    private func settings(_ path: String) async throws -> Settings {
        try await Settings(flags: [:], environment: ["TENURE_MASTER_KEY_FILE": path], file: nil)
    }

    @Test func `the file has version 1 and mode 0600, and is never overwritten`() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/master.json"
        let file = try await settings(path).masterKeyFile()
        try KeyInit.requireUsableDirectory(of: path)
        let made = try file.create()
        #expect(made.heldVersions == [1] && SecretFile.mode(of: path) == 0o600)
        #expect(throws: KeysError.self) { try file.create() }
        #expect(try file.load() == made)
    }

    @Test func `a directory that is missing is named`() throws {
        let failure = #expect(throws: CommandFailure.self) {
            try KeyInit.requireUsableDirectory(of: "/nowhere/at/all/master.json")
        }
        #expect(failure?.message.contains("there is no directory /nowhere/at/all") == true)
    }

    @Test(.enabled(if: geteuid() == 0, "only root can give a directory away"))
    func `root leaves no file to a service that could not read it`() throws {
        let directory = try TemporaryDirectory()
        try FileManager.default.setAttributes([.ownerAccountID: 65_534], ofItemAtPath: directory.path)
        let failure = #expect(throws: CommandFailure.self) {
            try KeyInit.requireUsableDirectory(of: directory.path + "/master.json")
        }
        #expect(failure?.exitCode == .notPermitted)
        #expect(failure?.remedy?.contains("runuser -u ") == true)
        try KeyInit.requireUsableDirectory(of: directory.path + "/master.json", user: 65_534)
    }
}
