import ArgumentParser

/// A command line that names a command which does not exist.
struct UnknownCommand: Equatable {
    /// The commands before the unknown one: `tenure client`.
    let path: String
    /// The word that is no command.
    let word: String
    /// Commands that may have been meant, the likeliest first.
    let suggestions: [String]

    /// The largest number of suggestions.
    private static let most = 3

    /// Finds the first word that should be a command and is none; `nil` if there is no such word.
    ///
    /// - Parameters:
    ///   - arguments: The arguments without the program's name.
    ///   - root: The root of the commands.
    init?(_ arguments: [String], root: any ParsableCommand.Type = Tenure.self) {
        var command = root
        var path = Self.name(root)
        for word in arguments {
            let children = command.configuration.subcommands
            guard !children.isEmpty, !word.hasPrefix("-"), word != "help" else { return nil }
            guard let child = children.first(where: { Self.name($0) == word }) else {
                // A default subcommand takes the word as its own argument.
                guard command.configuration.defaultSubcommand == nil else { return nil }
                self.path = path
                self.word = word
                suggestions = Self.suggestions(for: word, among: children, path: path, root: root)
                return
            }
            command = child
            path += " " + word
        }
        return nil
    }

    /// The message for the person.
    var failure: CommandFailure {
        let asked = "there is no command \(path) \(word)"
        let known = "Run \(path) --help for the list of commands."
        guard let first = suggestions.first else { return CommandFailure(.usage, asked, remedy: known) }
        let others = suggestions.dropFirst()
        let choice = ([first] + others).joined(separator: ", or ")
        return CommandFailure(.usage, asked, remedy: "Did you mean \(choice)?")
    }

    /// Returns similar commands beside the word, and commands of that very name anywhere else.
    private static func suggestions(
        for word: String, among children: [any ParsableCommand.Type], path: String, root: any ParsableCommand.Type
    ) -> [String] {
        let typed = word.lowercased()
        let near = children.map { (name: name($0), distance: EditDistance.of(typed, name($0))) }
            .filter { $0.distance <= limit(typed, $0.name) || (typed.count > 2 && $0.name.hasPrefix(typed)) }
            .sorted { ($0.distance, $0.name) < ($1.distance, $1.name) }
            .map { path + " " + $0.name }
        let elsewhere = paths(from: root, name(root)).filter { $0.hasSuffix(" " + typed) }
        return Array((near + elsewhere.filter { !near.contains($0) }).prefix(most))
    }

    /// The number of typing errors up to which a name counts as similar: one for a short word, two for a longer one.
    private static func limit(_ typed: String, _ name: String) -> Int { min(typed.count, name.count) < 5 ? 1 : 2 }

    /// All commands below `command` with the commands before them.
    static func paths(from command: any ParsableCommand.Type, _ path: String) -> [String] {
        command.configuration.subcommands.flatMap { child in
            let own = path + " " + name(child)
            return [own] + paths(from: child, own)
        }
    }

    private static func name(_ command: any ParsableCommand.Type) -> String {
        command.configuration.commandName ?? command._commandName
    }
}

/// The number of typing errors between two words.
enum EditDistance {
    /// Counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
    static func of(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first), Array(second))
        var before: [Int] = []
        var last = Array(0...second.count)
        for (row, letter) in first.enumerated() {
            var next = [row + 1]
            for (column, other) in second.enumerated() {
                var least = min(last[column] + (letter == other ? 0 : 1), last[column + 1] + 1, next[column] + 1)
                if row > 0, column > 0, letter == second[column - 1], other == first[row - 1] {
                    least = min(least, before[column - 1] + 1)
                }
                next.append(least)
            }
            (before, last) = (last, next)
        }
        return last[second.count]
    }
}
