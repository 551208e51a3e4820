import ArgumentParser
import Canonical
import Testing
@testable import tenure

@Suite struct ClientTokenTests {
    @Test func `a script gets the token and nothing else`() {
        #expect(PrintedToken("a.b.c").text(json: false) == "a.b.c\n")
    }

    @Test func `a JSON object has the token, and the expiry where the service told it`() throws {
        #expect(PrintedToken("a.b.c").text(json: true) == "{\"accessToken\":\"a.b.c\"}\n")
        let expiry = try #require(Timestamp("2026-11-24T09:12:40.000000Z"))
        #expect(
            PrintedToken("a.b.c", expiresAt: expiry).text(json: true)
                == "{\"accessToken\":\"a.b.c\",\"expiresAt\":\"2026-11-24T09:12:40.000000Z\"}\n")
    }

    @Test func `the account and the resource are optional`() throws {
        let token = try #require(
            try ClientCommand.parseAsRoot(["token", "--resource", "https://api.example"]) as? ClientToken)
        #expect(token.account.company == nil)
        #expect(token.resource == "https://api.example")
    }

    @Test func `a company without an employee is refused`() {
        #expect(throws: (any Error).self) { try ClientCommand.parseAsRoot(["token", "pier.example"]) }
    }
}
