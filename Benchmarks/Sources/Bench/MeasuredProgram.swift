import Foundation

/// A program that is measured from outside: how long it runs and computes, and how much memory it has at its most.
struct MeasuredProgram: Sendable {
    let path: String
    let arguments: [String]
    let environment: [String: String]

    /// What a run came to.
    struct Run: Sendable {
        let elapsed: Duration
        /// The processor time of all its threads, which depends less on how busy the machine is.
        let computed: Duration
        /// The greatest resident set that was seen, in 10^6 bytes.
        let megabytes: Double
    }

    /// Runs it to its end; what it prints goes nowhere, as fast as that can be.
    func run() async throws -> Run {
        let process = Process(), errors = Pipe()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        process.standardOutput = FileHandle(forWritingAtPath: "/dev/null")
        process.standardError = errors
        let start = ContinuousClock.now, before = Self.computedByChildren
        let ended = AsyncStream<Void> { stream in process.terminationHandler = { _ in stream.finish() } }
        try process.run()
        let identifier = process.processIdentifier
        let sampling = Task {
            var most = 0.0
            while !Task.isCancelled {
                most = max(most, Self.greatestResidentSet(identifier))
                try? await Task.sleep(for: .milliseconds(20))
            }
            return most
        }
        for await _ in ended {}
        let elapsed = ContinuousClock.now - start, computed = Self.computedByChildren - before
        sampling.cancel()
        let words = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard process.terminationStatus == 0 else {
            throw BenchError("\(path) \(arguments.joined(separator: " ")) failed:\n\(words)")
        }
        return Run(elapsed: elapsed, computed: computed, megabytes: await sampling.value)
    }

    /// The processor time of all children that have ended. Nothing else here runs programs at the same time.
    private static var computedByChildren: Duration {
        var usage = rusage()
        // RUSAGE_CHILDREN, which is a number in Darwin and an enumeration in Glibc.
        getrusage(-1, &usage)
        func duration(_ time: timeval) -> Duration {
            .seconds(time.tv_sec) + .microseconds(Int64(time.tv_usec))
        }
        return duration(usage.ru_utime) + duration(usage.ru_stime)
    }

    /// The system keeps the greatest value itself, so the last sample before the end has it; 0 without `/proc`.
    private static func greatestResidentSet(_ process: Int32) -> Double {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8),
            let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }),
            let kilobytes = line.split(separator: " ").compactMap({ Double($0) }).first
        else { return 0 }
        return kilobytes * 1_024 / 1_000_000
    }
}
