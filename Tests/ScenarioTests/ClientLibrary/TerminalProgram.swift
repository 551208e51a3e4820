import Canonical
import Foundation
import Testing

/// `tenure client` at a pseudo-terminal, with somebody who types.
struct TerminalProgram: Sendable {
    /// What is waited for on the terminal, and what is done then.
    enum Step: Sendable {
        case type(after: String, String)
        case signal(after: String, String)
        case end(after: String)

        fileprivate var json: JSONValue {
            switch self {
            case .type(let text, let typed): ["expect": .string(text), "type": .string(typed)]
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
