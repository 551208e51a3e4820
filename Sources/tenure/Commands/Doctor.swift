import ArgumentParser
import Canonical
import Foundation

/// Looks at what a development service needs and says what is missing.
struct Doctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Check the programs, files and rights that a service on this machine needs, and its views.",
        discussion: "The views are those of TENURE_READER_DATABASE_URL, or of the service of make run.")

    @Option(help: "The directory of the development service's state.")
    var stateDirectory = ".tenure"

    @Flag(help: "One JSON object per check, for programs.")
    var json = false

    func run() async throws {
        let findings = await Examination(state: StateDirectory(stateDirectory)).findings()
        let output = Output.standardOutput()
        if json {
            for finding in findings { output.write(JSONLines.line(finding.json)) }
        } else {
            output.write(Finding.table(findings).rendered(on: output.terminal))
        }
        if findings.contains(where: { $0.verdict == .bad }) { throw ExitCode.failure }
    }
}
