import Foundation
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A running program whose standard input ends with this process, however that ends. The program has to end then.
package struct HeldProgram: Sendable {
    /// The write end of its standard input.
    private let input: Int32
    private let ending: Task<Int32, any Error>

    /// Starts a program.
    ///
    /// - Parameters:
    ///   - environment: The whole environment of the program.
    ///   - log: An existing file that gets both outputs.
    /// - Throws: ``DevelopmentFailure`` if the file or a pipe cannot be opened.
    package init(path: String, arguments: [String], environment: [String: String], log: String) throws {
        let output = open(log, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW)
        guard output >= 0 else {
            throw DevelopmentFailure(.notPermitted, "\(log) cannot be written: \(SecretFile.systemError())")
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            let reason = SecretFile.systemError()
            close(output)
            throw DevelopmentFailure(.failure, "no pipe could be opened: \(reason)")
        }
        // Only the read end reaches the program; no other child keeps the write end open.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var program = Program(path, arguments)
        program.environment = environment
        let reading = FileDescriptor(rawValue: ends[0]), writing = FileDescriptor(rawValue: output)
        input = ends[1]
        ending = Task { [program] in
            try await program.end(
                input: .fileDescriptor(reading, closeAfterSpawningProcess: true),
                output: .fileDescriptor(writing, closeAfterSpawningProcess: true))
        }
    }

    /// Ends the program's input. Call it once.
    package func endInput() { close(input) }

    /// Waits for the end.
    ///
    /// - Returns: The exit code, or 128 plus the number of the signal that ended the program.
    /// - Throws: ``DevelopmentFailure`` if the program could not be started.
    package func end() async throws -> Int32 { try await ending.value }
}
