import Foundation
import Testing

/// What an operator finds in the log after a crash, with the unit's settings: no backtrace and no core file.
@Suite(.onServer, .serialized)
struct `A crash of the service` {
    @Test(arguments: [SIGILL, SIGSEGV, SIGABRT])
    func `leaves one line with the signal and the version, and ends the process by that signal`(
        signal: Int32
    ) async throws {
        try await inTurn { world in
            // At this level the process's errors are kept.
            try await ServiceProcess.with(1, in: world, logLevel: "trace") { processes in
                let (status, lines) = await processes[0].crashed(signal)
                #expect(status == -signal)
                let told = lines.filter { $0.contains("crashed with signal") }
                #expect(told.count == 1 && told[0].hasPrefix("tenure "), "\(told)")
                #expect(told.first?.contains("crashed with signal \(signal).") == true)
            }
        }
    }
}
