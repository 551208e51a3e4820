import Foundation
@testable import HTTPLimits
import Testing
@testable import LocalDevelopment
@testable import tenure

@Suite struct DescriptorAdmissionTests {
    private func settings(_ environment: [String: String]) async throws -> ConnectionLimits {
        try await Settings(flags: [:], environment: environment, file: nil).connectionLimits()
    }

    @Test func `connections have limits by default, and settings change them`() async throws {
        let usual = try await settings([:])
        #expect(usual.connections == 4_096 && usual.connectionsPerAddress == 512)
        #expect(usual.stallTimeout == .seconds(10) && usual.unsentPerConnection == 524_288)
        #expect(usual.unsentPerAddress == 16 << 20 && usual.unsentInAll == 128 << 20)
        let set = try await settings([
            "TENURE_CONNECTIONS": "100", "TENURE_CONNECTIONS_PER_ADDRESS": "3", "TENURE_STALL_SECONDS": "5",
            "TENURE_UNSENT_KB_PER_CONNECTION": "64", "TENURE_UNSENT_MB_PER_ADDRESS": "2", "TENURE_UNSENT_MB": "7",
        ])
        #expect(set.connections == 100 && set.connectionsPerAddress == 3 && set.stallTimeout == .seconds(5))
        #expect(set.unsentPerConnection == 65_536)
        #expect(set.unsentPerAddress == 2 << 20 && set.unsentInAll == 7 << 20)
    }

    @Test(arguments: ["TENURE_CONNECTIONS", "TENURE_CONNECTIONS_PER_ADDRESS", "TENURE_UNSENT_MB"])
    func `an invalid limit of connections stops the command`(name: String) async throws {
        for text in ["many", "0", "-1", "1.5"] {
            await #expect(throws: CommandFailure.self) { _ = try await settings([name: text]) }
        }
    }

    @Test func `few descriptors lower the connections, and one address gets half of them`() {
        let few = DescriptorLimit(before: 1_024, soft: 1_024, hard: 1_024)
        let lowered = DescriptorAdmission(limit: few, wanted: ConnectionLimits(), others: 16).connections
        #expect(lowered.connections == 848 && lowered.connectionsPerAddress == 424)
        let many = DescriptorLimit(before: 1_024, soft: 65_536, hard: 1_048_576)
        let usual = DescriptorAdmission(limit: many, wanted: ConnectionLimits(), others: 16).connections
        #expect(usual.connections == 4_096 && usual.connectionsPerAddress == 512)
    }

    @Test func `a child process gets the limit from before`() async throws {
        let plain = Program.command("/bin/echo", ["a b", "c"], descriptors: nil)
        #expect(plain == ["/bin/echo", "a b", "c"])
        let command = Program.command(
            "/bin/sh", ["-c", "ulimit -S -n; echo \"$1\"", "x", "a b"], descriptors: 77)
        let outcome = try await Program(command[0], Array(command.dropFirst()))()
        #expect(outcome.status == 0 && outcome.output == "77\na b\n")
        #expect(Program.command("/nowhere/x", [], descriptors: 77) == ["/nowhere/x"])
    }
}
