import ArgumentParser
import Foundation
import Testing

@testable import LocalDevelopment
@testable import tenure

@Suite struct MPinAuthorityCommandTests {
    @Test func `serve binds loopback and port 8001 by default`() throws {
        let command = try MPinAuthorityServe.parse(["--directory", "dta"])
        #expect(command.host == "127.0.0.1" && command.port == 8001)
        #expect(!command.clearTextAllowed && !command.untilInputEnds)
    }

    @Test(arguments: [
        [], ["--directory", "dta", "--certificate", "c"], ["--directory", "dta", "--certificate-key", "k"],
        ["--directory", "dta", "--port", "65536"], ["--directory", "dta", "--port", "-1"],
    ])
    func `serve refuses incomplete and impossible options`(arguments: [String]) {
        #expect(throws: (any Error).self) { try MPinAuthorityServe.parse(arguments) }
    }

    @Test func `paths are relative to the working directory`() {
        let working = FileManager.default.currentDirectoryPath
        #expect(MPinAuthorityPlace.absolute("a/../dta") == working + "/dta")
        #expect(MPinAuthorityPlace.absolute("/var/dta") == "/var/dta")
    }

    @Test func `a development service needs the two ports after its own`() {
        let failure = #expect(throws: DevelopmentFailure.self) {
            try MPinDevelopmentAuthorities.requireFreePorts(after: 65_534)
        }
        #expect(failure?.kind == .usage)
        #expect(
            MPinDevelopmentAuthorities.addresses(after: 8080) == ["http://127.0.0.1:8081", "http://127.0.0.1:8082"])
    }
}
