import Foundation
import HTTPAPI
import Testing
@testable import LocalDevelopment
@testable import tenure

@Suite struct DevelopmentEnvironmentTests {
    static let sample = DevelopmentEnvironment(
        url: "http://127.0.0.1:8080", appId: "5f0c", appSecret: "it's $HOME `id` \\ \"quoted\"", appSalt: "salt",
        databaseURL: "postgresql://tenure_app@/tenure?host=/tmp/x&port=5432", readerDatabaseURL: "reader",
        ownerDatabaseURL: "owner", masterKeyFile: "/keys", operatorKeyFile: "/operator")

    @Test func `the environment file round-trips`() {
        #expect(DevelopmentEnvironment(text: Self.sample.text) == Self.sample)
    }

    @Test func `a shell reads exactly the written values`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/dev.env"
        try SecretFile.replace(at: file, with: Self.sample.text)
        let outcome = try await Program(
            "/bin/sh", ["-euc", ". '\(file)'; env | grep '^TENURE_APP_SECRET='; env | grep '^TENURE_DATABASE_URL='"])()
        #expect(outcome.status == 0)
        #expect(
            outcome.output
                == "TENURE_APP_SECRET=\(Self.sample.appSecret)\nTENURE_DATABASE_URL=\(Self.sample.databaseURL)\n")
    }

    @Test(arguments: ["", "export TENURE_URL='x'\n", "TENURE_URL=x\n", "export TENURE_URL='x\n"])
    func `an incomplete environment file is ignored`(text: String) {
        #expect(DevelopmentEnvironment(text: text) == nil)
    }

    @Test func `a secret file is private from its creation, even if it replaces another`() throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/secret"
        try Data().write(to: URL(fileURLWithPath: file))
        #expect(SecretFile.mode(of: file) != 0o600)
        try SecretFile.replace(at: file, with: "new")
        #expect(SecretFile.mode(of: file) == 0o600)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "new")
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path) == ["secret"])
    }

    @Test func `only one service runs in a state directory`() throws {
        let directory = try TemporaryDirectory()
        var first: StateLock? = try StateLock(at: directory.path + "/lock")
        let failure = #expect(throws: DevelopmentFailure.self) { try StateLock(at: directory.path + "/lock") }
        #expect(failure?.kind == .busy)
        #expect(failure?.message.contains("\(ProcessInfo.processInfo.processIdentifier)") == true)
        withExtendedLifetime(first) {}
        first = nil
        _ = try StateLock(at: directory.path + "/lock")
    }

    /// A program that this process starts has a copy of every descriptor from the fork to the exec, whoever starts it.
    @Test func `a starting child process does not keep the lock`() throws {
        let directory = try TemporaryDirectory()
        var first: StateLock? = try StateLock(at: directory.path + "/lock")
        let copy = dup(try #require(first?.descriptor))
        defer { close(copy) }
        try #require(copy >= 0)
        first = nil
        _ = try StateLock(at: directory.path + "/lock")
    }

    @Test func `a development service is not ready before each step of its preparation is passed`() {
        let preparation = DevelopmentPreparation()
        let app = DevelopmentPreparation.Step.app.rawValue, company = DevelopmentPreparation.Step.company.rawValue
        #expect(preparation.missing == [app, company] && app.contains("dev.env"))
        preparation.pass(.app)
        #expect(preparation.missing == [company])
        preparation.pass(.company)
        #expect(preparation.missing.isEmpty)
    }

    @Test func `the address of the counters is known once they are served, with the port that is bound`() async {
        let preparation = DevelopmentPreparation()
        let listener = preparation.noting(MetricsListener(port: 0))
        #expect(preparation.counters == nil)
        await listener.onServerRunning(9_999)
        #expect(preparation.counters == "http://127.0.0.1:9999/metrics")
    }

    @Test func `the banner is aligned and shows what to try`() {
        let banner = Banner(
            version: "1", readyAfter: .milliseconds(900),
            lines: [.init(label: "API", value: "http://x/v1", note: "see"), .init(label: "Database", value: "here")],
            firstCall: "curl x", warning: "Not for production.")
        let plain = Terminal(isInteractive: false, width: 80, environment: [:])
        #expect(
            banner.rendered(on: plain) == """

                Tenure 1   ready in 0.9 s

                  API        http://x/v1   see
                  Database   here

                Try
                  curl x

                Not for production.


                """)
    }
}

/// A directory that is gone when the test is over.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent("tenure-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
