import Foundation

/// An executable of this package, run as a process of its own.
public final class ChildProcess: @unchecked Sendable {
    // Proof of @unchecked: `process` is set up before any other thread can know it, and afterwards only its documented
    // thread-safe parts are used: the process id, and the wait for its end, which one caller does.
    private let process: Process
    private let output: Pipe

    /// Starts an executable that lies beside the test bundle.
    public init(_ name: String, _ arguments: [String]) throws {
        process = Process()
        output = Pipe()
        let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = directory.appendingPathComponent(name)
        process.arguments = arguments
        process.standardOutput = output
        try process.run()
    }

    /// Ends the process at once, as a crash would (SIGKILL).
    public func kill() { Foundation.kill(process.processIdentifier, SIGKILL) }

    /// Everything it wrote until its end, and its status; a negative status is the signal that ended it.
    public func finish() async -> (status: Int32, lines: [String]) {
        await withCheckedContinuation { continuation in
            // Reading blocks, so it has a thread of its own.
            Thread.detachNewThread { [self] in
                let data = output.fileHandleForReading.readDataToEndOfFile()
                process.waitUntilExit()
                let status = process.terminationStatus
                let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
                continuation.resume(returning: (process.terminationReason == .exit ? status : -status, lines))
            }
        }
    }
}
