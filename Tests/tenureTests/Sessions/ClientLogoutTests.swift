import ArgumentParser
import Foundation
import Testing

@testable import tenure

@Suite struct ClientLogoutTests {
    @Test func `the company and the employee are given together or not at all`() throws {
        #expect(throws: (any Error).self) { try ClientLogout.parse(["harbour.example"]) }
        #expect(try ClientLogout.parse([]).everywhere == false)
        #expect(try ClientLogout.parse(["harbour.example", "anna", "--everywhere"]).everywhere)
    }

    @Test func `without a session there is nothing to end, and no request is sent`() async throws {
        let directory = try TemporaryDirectory()
        let file = directory.path + "/settings.json"
        // Nothing listens on this port: a request would fail as unreachable.
        try #"{"url": "http://127.0.0.1:1", "appId": "\#(UUID().uuidString)", "appSecret": "secret"}"#
            .write(toFile: file, atomically: true, encoding: .utf8)
        let command = try ClientLogout.parse([
            "harbour.example", "anna", "--config", file, "--data-directory", directory.path + "/data",
        ])
        do {
            try await command.run()
            Issue.record("nobody was logged in")
        } catch {
            #expect(CommandFailure(describing: error)?.exitCode == .notPermitted)
        }
    }
}
