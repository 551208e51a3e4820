import Foundation

/// Runs a command of this machine.
enum Command {
    /// Runs it to its end on a thread of its own and answers its status and its standard output.
    static func run(_ arguments: [String], input: String? = nil) async throws -> (status: Int32, output: String) {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread { continuation.resume(with: Result { try runBlocking(arguments, input: input) }) }
        }
    }

    /// Runs it on this thread.
    static func runBlocking(_ arguments: [String], input: String? = nil) throws -> (status: Int32, output: String) {
        let process = Process()
        let (output, errors, stdin) = (Pipe(), FileHandle.nullDevice, Pipe())
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = arguments
        process.standardOutput = output
        process.standardError = errors
        process.standardInput = stdin
        try process.run()
        if let input { try stdin.fileHandleForWriting.write(contentsOf: Data(input.utf8)) }
        try stdin.fileHandleForWriting.close()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: data, as: UTF8.self))
    }

    /// Whether these commands are there and answer `arguments` with success.
    static func exists(_ arguments: [String]) -> Bool { (try? runBlocking(arguments))?.status == 0 }
}
