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

    @Test(arguments: ["0", "-5", "1", "26", "", "x", "9999999999999999999999"])
    func `help is whole at every width that a terminal tells`(columns: String) {
        for isInteractive in [true, false] {
            let terminal = Terminal(isInteractive: isInteractive, width: nil, environment: ["COLUMNS": columns])
            #expect(terminal.width > 0)
            let width = Main.columns(terminal)
            for (command, name) in Self.commands() {
                let help = Tenure.fullMessage(for: CleanExit.helpRequest(command), columns: width)
                let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
                #expect(words.contains("USAGE: tenure") && words.contains("Show help information."), "\(name)")
            }
        }
    }

    @Test func `an argument that is not UTF-8 is refused by its number`() {
        // The system's library replaces such bytes before the program sees them.
        let failure = #expect(throws: CommandFailure.self) {
            _ = try Main.parsed(["client", "whoami", "m\u{FFFD}ller"])
        }
        #expect(failure?.exitCode == .usage && failure?.message.hasPrefix("argument 3 ") == true)
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
