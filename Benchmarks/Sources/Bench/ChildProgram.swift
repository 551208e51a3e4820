import Foundation

/// Another program that measures something.
enum ChildProgram {
    /// Runs it to its end; what it wrote.
    static func output(of program: String, _ arguments: [String]) async throws -> String {
        let process = Process(), pipe = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = arguments
        process.standardOutput = pipe
        process.standardError = pipe
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            // A report has a few hundred bytes: the pipe holds it until the end.
            process.terminationHandler = { _ in continuation.resume() }
            do { try startWithSignals(process) } catch { continuation.resume(throwing: error) }
        }
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        guard process.terminationStatus == 0 else { throw BenchError("\(program) failed:\n\(output)") }
        return output
    }

    /// Threads of the cooperative pool block all signals and a child inherits that; pgbench ends its time by SIGALRM.
    static func startWithSignals(_ process: Process) throws {
        var none = sigset_t(), before = sigset_t()
        sigemptyset(&none)
        pthread_sigmask(SIG_SETMASK, &none, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        try process.run()
    }
}
