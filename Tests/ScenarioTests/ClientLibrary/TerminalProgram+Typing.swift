import Foundation
import Testing

/// What somebody types at the terminal, and where.
extension TerminalProgram {
    /// The program as a client of the shared service; `change` replaces parts of its environment.
    static func inSharedWorld(_ change: [String: String] = [:]) throws -> TerminalProgram {
        let world = try sharedWorld()
        let environment = [
            "PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "TENURE_URL": world.baseURL.absoluteString,
            "TENURE_APP_ID": world.app.appId, "TENURE_APP_SECRET": world.app.secret, "SWIFT_BACKTRACE": "enable=no",
            "TERM": "dumb",
        ]
        return TerminalProgram(environment: environment.merging(change) { _, new in new })
    }

    /// Works with a folder that is a device of its own, or holds several.
    static func inFolder(_ work: (String) async throws -> Void) async throws {
        let files = try TemporaryFiles()
        defer { files.remove() }
        try await work(files.path("data"))
    }

    /// What somebody types who sets credentials; the passphrase only if there is one.
    static func setUp(answers: [String], passphrase: String?) -> [Step] {
        var steps: [Step] = []
        for (number, answer) in zip(1..., answers) {
            steps += [
                .type(after: "Question \(number)", ""), .type(after: "Answer: ", answer),
                .type(after: "Once more: ", answer),
            ]
        }
        steps.append(.type(after: "Passphrase (Enter for none): ", passphrase ?? ""))
        guard let passphrase else { return steps }
        return steps + [.type(after: "Once more: ", passphrase), .type(after: "[y/N] ", "y")]
    }

    /// What somebody types who is asked the questions of the set-up.
    static func replies(_ answers: [String]) -> [Step] {
        zip(["as a child? ", "called? ", "meet? ", "become as a child? ", "twice? "], answers).map {
            .type(after: $0, $1)
        }
    }
}

extension TerminalProgram.Ending {
    /// Expects that everything was asked for, that typing is shown again, and that none of the secrets ever was.
    func expectNothingShown(of secrets: [String], sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(unmet == [], sourceLocation: sourceLocation)
        #expect(echo, sourceLocation: sourceLocation)
        for secret in secrets { #expect(!(terminal + output).contains(secret), sourceLocation: sourceLocation) }
    }
}
