import ArgumentParser

/// Runs the command that the arguments name and turns what it throws into words and an exit code.
@main
struct Main {
    static func main() async {
        do {
            var command = try Tenure.parseAsRoot()
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            // What the argument parser throws itself (help, usage, an exit code) it also prints itself.
            guard let failure = CommandFailure(describing: error) else { Tenure.exit(withError: error) }
            Output.standardError().line(failure.description)
            Tenure.exit(withError: failure.exitCode)
        }
    }
}
