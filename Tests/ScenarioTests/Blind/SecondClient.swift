import Canonical
import Foundation

/// The client in `Tests/BlindClient`, in another language and from the documentation alone.
struct SecondClient: Sendable {
    /// The interpreter; `python3` unless the environment names another.
    private static let python = ProcessInfo.processInfo.environment["TENURE_TEST_PYTHON"] ?? "python3"
    /// Whether it has what the client needs.
    static let isAvailable = (try? run(["-c", "import cryptography"], input: "", environment: [:]))?.status == 0
    static let hint = "NOT TESTED: the second client of blind mode needs a Python with the module cryptography"

    let world: TenureWorld
    let files: TemporaryFiles

    /// Runs one of its programs; blocks a thread of its own.
    static func program(
        _ name: String, arguments: [String] = [], input: String = "", environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String) {
        let here = URL(fileURLWithPath: #filePath)
        let path = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("BlindClient/\(name)").path
        return try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result { try run([path] + arguments, input: input, environment: environment) })
            }
        }
    }

    /// Registers or logs in; the status is 0 for an outcome, 1 for the service's refusal and 2 for the client's own.
    func run(_ action: String, _ person: Person, device: String) async throws -> (status: Int32, reply: JSONValue) {
        var request: [String: JSONValue] = [
            "action": .string(action), "company": .string(person.company), "employee": .string(person.id),
            "email": .string(person.email), "state": .string(files.path(device)),
            "capture": .string(files.path("capture")),
            "questions": .array(
                person.questions.map { ["question": .string($0.question), "answer": .string($0.answer)] }),
        ]
        if let passphrase = person.passphrase { request["passphrase"] = .string(passphrase) }
        if let both = person.questionsWithPassphrase { request["questionsWithPassphrase"] = .bool(both) }
        let (status, output) = try await Self.program(
            "blind_client.py", input: String(decoding: JSONValue.object(request).canonicalBytes(), as: UTF8.self),
            environment: [
                "TENURE_URL": world.baseURL.absoluteString, "TENURE_APP_ID": world.app.appId,
                "TENURE_APP_SECRET": world.app.secret,
            ])
        return (status, try StrictJSON.parse(Array(output.utf8)))
    }

    /// Everything that it has sent so far.
    var capture: Data { FileManager.default.contents(atPath: files.path("capture")) ?? Data() }

    private static func run(
        _ arguments: [String], input: String, environment: [String: String]
    ) throws -> (status: Int32, output: String) {
        let process = Process()
        let (output, stdin) = (Pipe(), Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [python, "-B"] + arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
        process.standardOutput = output
        process.standardError = FileHandle.standardError
        process.standardInput = stdin
        try process.run()
        try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try stdin.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }
}
