import ArgumentParser
import IdentityService
import Testing

@testable import tenure

@Suite struct CompanyInviteTests {
    @Test(arguments: ["0", "31", "-1", "x"]) func `a code lives one to thirty days`(days: String) {
        #expect(throws: (any Error).self) { try CompanyInvite.parse(["new.example", "--days", days]) }
    }

    @Test func `a code is for one company, and lives a week unless told`() throws {
        let command = try CompanyInvite.parse(["new.example"])
        #expect(command.company == "new.example" && command.days == 7 && !command.json)
        #expect(throws: (any Error).self) { try CompanyInvite.parse([]) }
    }

    @Test(arguments: [
        (nil, FoundingRule.off), ("", .off), ("off", .off), ("code", .code), ("OPEN", .open),
    ]) func `nobody founds on the pages unless the setting says so`(text: String?, rule: FoundingRule) async throws {
        let environment = text.map { ["TENURE_FOUNDING": $0] } ?? [:]
        #expect(try await Settings(flags: [:], environment: environment, file: nil).foundingRule() == rule)
    }

    @Test(arguments: ["yes", "true", "anybody"]) func `another word stops the start`(text: String) async throws {
        let settings = try await Settings(flags: [:], environment: ["TENURE_FOUNDING": text], file: nil)
        #expect(throws: CommandFailure.self) { try settings.foundingRule() }
    }
}
