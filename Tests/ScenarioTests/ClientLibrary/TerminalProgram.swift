import Canonical
import Foundation
import Testing

/// `tenure client` at a pseudo-terminal, with somebody who types.
struct TerminalProgram: Sendable {
    /// What is waited for on the terminal, and what is done then.
    enum Step: Sendable {
        case type(after: String, String, encoding: String = "utf-8")
        case signal(after: String, String)
        case end(after: String)

        fileprivate var json: JSONValue {
            switch self {
            case .type(let text, let typed, let encoding):
                ["expect": .string(text), "type": .string(typed), "encoding": .string(encoding)]
            case .signal(let text, let name): ["expect": .string(text), "signal": .string(name)]
            case .end(let text): ["expect": .string(text), "end": true]
            }
        }
    }

    /// How a run ended.
    struct Ending: Sendable {
        /// The exit code, or the negative number of the signal.
        var status: Int64
        /// Everything that the terminal showed.
        var terminal: String
        /// Everything that went to standard output.
        var output: String
        /// Whether the terminal shows what is typed afterwards.
        var echo: Bool
        /// What was waited for in vain.
        var unmet: [String]
    }

    /// The interpreter, when there is one.
    static let python: String? = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        .map { $0 + "/python3" }.first { FileManager.default.isExecutableFile(atPath: $0) }

    let environment: [String: String]

    /// Runs `tenure` with these arguments.
    func run(_ arguments: [String], _ steps: [Step]) async throws -> Ending {
        let python = try #require(Self.python)
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("terminal.py")
        let folder = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let argv = [folder.appendingPathComponent("tenure").path] + arguments
        let task: JSONValue = [
            "argv": .array(argv.map(JSONValue.string)), "environment": .object(environment.mapValues(JSONValue.string)),
            "steps": .array(steps.map(\.json)),
        ]
        let bytes = try await Self.output(of: python, [script.path], input: task.canonicalBytes())
        let json = try StrictJSON.parse(bytes, limits: .init(bytes: 1_000_000))
        return Ending(
            status: try #require(json["status"]?.number), terminal: try #require(json["terminal"]?.text),
            output: try #require(json["output"]?.text), echo: json["echo"] == .bool(true),
            unmet: json["unmet"]?.items.compactMap(\.text) ?? [])
    }

    private static func output(of program: String, _ arguments: [String], input: [UInt8]) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            // Reading waits, so it has a thread of its own.
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        let process = Process()
                        let (stdin, stdout) = (Pipe(), Pipe())
                        process.executableURL = URL(fileURLWithPath: program)
                        process.arguments = arguments
                        process.standardInput = stdin
                        process.standardOutput = stdout
                        try process.run()
                        try stdin.fileHandleForWriting.write(contentsOf: Data(input))
                        try stdin.fileHandleForWriting.close()
                        let data = stdout.fileHandleForReading.readDataToEndOfFile()
                        process.waitUntilExit()
                        return Array(data)
                    })
            }
        }
    }
}

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

    /// The numbers of the questions that are chosen, and how their texts end.
    private static let listed = [6, 7, 18, 35, 8]
    static let endings = ["grew up on? ", "first teacher? ", "parents meet? ", "as a child? ", "than once? "]

    /// What somebody types who sets credentials; the passphrase only if there is one.
    static func setUp(answers: [String], passphrase: String?) -> [Step] {
        var steps: [Step] = []
        for (number, answer) in zip(1..., answers) {
            steps += [
                .type(after: "Question \(number)", String(listed[number - 1])), .type(after: "Answer: ", answer),
                .type(after: "Once more: ", answer),
            ]
        }
        steps.append(.type(after: "Passphrase (Enter for none): ", passphrase ?? ""))
        guard let passphrase else { return steps }
        return steps + [.type(after: "Once more: ", passphrase), .type(after: "[y/N] ", "y")]
    }

    /// What somebody types who is asked the questions of the set-up.
    static func replies(_ answers: [String]) -> [Step] {
        zip(endings, answers).map {
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
