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
        } catch let failure as CommandFailure {
            Output.standardError().write(failure.description + "\n")
            Tenure.exit(withError: failure.exitCode)
        } catch {
            Tenure.exit(withError: error)
        }
    }
}
