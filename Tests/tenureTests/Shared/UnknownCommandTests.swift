import ArgumentParser
import Testing

@testable import tenure

@Suite struct UnknownCommandTests {
    @Test(arguments: [
        (["replya"], "tenure replay"), (["app", "lst"], "tenure app list"),
        (["client", "whoam"], "tenure client whoami"),
        (["client", "pin", "registr"], "tenure client pin register"), (["whoami"], "tenure client whoami"),
        (["Verify"], "tenure verify"), (["client", "log"], "tenure client login"),
    ])
    func `a mistyped command gets the likeliest one as a suggestion`(arguments: [String], meant: String) throws {
        let failure = #expect(throws: CommandFailure.self) { _ = try Main.parsed(arguments) }
        #expect(failure?.exitCode == .usage)
        #expect(failure?.message.hasSuffix(" " + arguments.joined(separator: " ")) == true)
        #expect(failure?.remedy?.contains(meant) == true, "\(failure?.remedy ?? "")")
    }

    @Test func `a word that resembles no command leads to the help`() throws {
        let unknown = try #require(UnknownCommand(["app", "zzzzzzzz"]))
        #expect(unknown.suggestions == [])
        #expect(unknown.failure.remedy == "Run tenure app --help for the list of commands.")
    }

    @Test(arguments: [
        ["app", "list", "--jsn"], ["client", "recoveries", "harbour.example"], ["help", "nothing"], ["--nothing"], [],
        ["replay", "--as-of", "now", "--compare"],
    ])
    func `other usage errors stay those of the argument parser`(arguments: [String]) {
        #expect(UnknownCommand(arguments) == nil)
    }

    @Test func `a valid command line is parsed`() throws {
        #expect(try Main.parsed(["app", "list", "--json"]) is AppList)
    }

    @Test(arguments: [
        ("", "", 0), ("list", "list", 0), ("lst", "list", 1), ("lits", "list", 1), ("liist", "list", 1),
        ("mist", "list", 1), ("", "abc", 3), ("replay", "rebuild", 5),
    ])
    func `the distance counts insertions, deletions, replacements and swaps`(first: String, second: String, errors: Int)
    {
        #expect(EditDistance.of(first, second) == errors)
        #expect(EditDistance.of(second, first) == errors)
    }
}
