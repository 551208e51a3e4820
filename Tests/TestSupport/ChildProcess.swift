import Foundation
import Synchronization

/// An executable of this package, run as a process of its own.
public final class ChildProcess: @unchecked Sendable {
    // Proof of @unchecked: `process` is set up before any other thread can know it, and afterwards only its documented
    // thread-safe parts are used: the process id, and the wait for its end, which one caller does.
    private let process: Process
    private let hasEnded = Mutex(false)
    private let ends: AsyncStream<(status: Int32, lines: [String])>

    /// Starts an executable that lies beside the test bundle, with these variables beside the test's own.
    ///
    /// - Parameters:
    ///   - outputFile: An existing file that gets its data instead of ``finish()``, such as `/dev/full`.
    ///   - keepsErrors: Whether ``finish()`` gives what it wrote as errors, too.
    public init(
        _ name: String, _ arguments: [String], outputFile: String? = nil, environment: [String: String] = [:],
        keepsErrors: Bool = false
    ) throws {
        let process = Process()
        let output = Pipe()
        let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        process.executableURL = directory.appendingPathComponent(name)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardOutput = outputFile.flatMap { FileHandle(forWritingAtPath: $0) } ?? output
        if keepsErrors { process.standardError = output }
        try process.run()
        self.process = process
        let (ends, end) = AsyncStream.makeStream(of: (status: Int32, lines: [String]).self)
        self.ends = ends
        // Reading blocks, so it has a thread of its own; it begins at once, or a full pipe would stop the process.
        Thread.detachNewThread { [self] in
            let data = output.fileHandleForReading.readDataToEndOfFile()
            self.process.waitUntilExit()
            hasEnded.withLock { $0 = true }
            let status = self.process.terminationStatus
            let lines = String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
            end.yield((self.process.terminationReason == .exit ? status : -status, lines))
            end.finish()
        }
    }

    /// The number that the system knows it by.
    public var identifier: Int32 { process.processIdentifier }

    /// Ends the process at once, as a crash would (SIGKILL).
    ///
    /// One that has ended already is left alone: its number may belong to another process by now.
    public func kill() {
        hasEnded.withLock { if !$0 { _ = Foundation.kill(process.processIdentifier, SIGKILL) } }
    }

    /// Asks the process to end, as a service manager does (SIGTERM).
    public func terminate() {
        hasEnded.withLock { if !$0 { _ = Foundation.kill(process.processIdentifier, SIGTERM) } }
    }

    /// Sends the process a signal, such as that of a crash.
    public func send(_ signal: Int32) {
        hasEnded.withLock { if !$0 { _ = Foundation.kill(process.processIdentifier, signal) } }
    }

    /// Whether it has not ended yet.
    public var isAlive: Bool {
        hasEnded.withLock { !$0 && Foundation.kill(process.processIdentifier, 0) == 0 }
    }

    /// Everything it wrote until its end, and its status; a negative status is the signal that ended it. Call it once.
    public func finish() async -> (status: Int32, lines: [String]) {
        for await end in ends { return end }
        return (-1, [])
    }
}
