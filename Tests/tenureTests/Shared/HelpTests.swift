import ArgumentParser
import Testing

@testable import tenure

@Suite struct HelpTests {
    /// All commands with the words that name them.
    private static func commands(
        _ command: any ParsableCommand.Type = Tenure.self, _ words: [String] = ["tenure"]
    ) -> [(command: any ParsableCommand.Type, name: String)] {
        [(command, words.joined(separator: " "))]
            + command.configuration.subcommands.flatMap { commands($0, words + [$0._commandName]) }
    }

    @Test func `every help page shows an example of its own command`() {
        let commands = Self.commands()
        #expect(commands.count > 60, "the commands were not found")
        for (command, name) in commands {
            let help = Tenure.helpMessage(for: command, columns: 100)
            #expect(help.contains("Example"), "\(name)")
            #expect(help.contains("  " + name) || !command.configuration.subcommands.isEmpty, "\(name)")
        }
    }

    @Test func `every example names a command that exists`() {
        let paths = Set(UnknownCommand.paths(from: Tenure.self, "tenure"))
        for (command, name) in Self.commands() {
            let lines = command.configuration.discussion.split(separator: "\n").map { $0.drop { $0 == " " } }
            guard let start = lines.firstIndex(where: { $0 == "Example:" || $0 == "Examples:" }) else { continue }
            for line in lines[(start + 1)...] where line.hasPrefix("tenure ") {
                let words = line.split(separator: " ").dropFirst().map(String.init)
                #expect(UnknownCommand(words) == nil && paths.contains { line.hasPrefix($0) }, "\(name): \(line)")
            }
        }
    }
}
