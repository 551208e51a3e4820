import Foundation

/// The one line that a crash leaves: the signal and the version, and nothing of the process's memory.
enum CrashLine {
    /// The signals that end a program that is wrong.
    private static let signals = [SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV]

    /// The line of a signal.
    static func text(_ signal: Int32) -> String {
        "tenure \(Tenure.version) crashed with signal \(signal). docs/run.md says how to find out where.\n"
    }

    /// The bytes of the lines by signal, which live as long as the process: a handler may not make any.
    nonisolated(unsafe) private static let lines: [(signal: Int32, bytes: UnsafePointer<CChar>, count: Int)] =
        signals.compactMap { signal in
            strdup(text(signal)).map { (signal, UnsafePointer($0), strlen($0)) }
        }

    /// Writes the line in a crash from now on. Leaves a handler that is there, such as that of Swift's backtraces.
    static func prepare() {
        for (signal, _, _) in lines {
            // Into nothing: what Swift looks up at the first call is there when a handler makes the second one.
            report(signal, to: -1)
            var earlier = sigaction()
            sigaction(signal, nil, &earlier)
            guard Foundation.signal(signal, handler) != nil else { continue }
            sigaction(signal, &earlier, nil)
        }
    }

    private static func report(_ signal: Int32, to descriptor: Int32) {
        for line in lines where line.signal == signal { _ = write(descriptor, line.bytes, line.count) }
    }

    /// Calls only what a handler may call. The second signal, which waits until the handler returns, ends the process as
    /// if there were none.
    private static let handler: @convention(c) (Int32) -> Void = { number in
        report(number, to: STDERR_FILENO)
        _ = signal(number, SIG_DFL)
        raise(number)
    }
}
