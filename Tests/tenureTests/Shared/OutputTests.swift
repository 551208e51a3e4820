import ArgumentParser
import Foundation
import Postgres
import Testing
import TestSupport

@testable import LocalDevelopment
@testable import tenure

/// Every test here needs a broken pipe to be an error, as it is in the program.
@Suite struct OutputTests {
    init() { signal(SIGPIPE, SIG_IGN) }

    /// A pipe, with the ends as descriptors.
    private func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        try #require(Foundation.pipe(&ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func `a full disk ends a write with exit code 1 and a remedy`() throws {
        let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(full >= 0)
        defer { close(full) }
        let failure = #expect(throws: CommandFailure.self) { try Output(descriptor: full).line("data") }
        #expect(failure?.exitCode == .failure)
        #expect(failure?.message.contains("No space left on device") == true)
        #expect(failure?.remedy?.contains("Free space") == true)
    }

    @Test func `a reader that has gone ends a write with exit code 1`() throws {
        let ends = try pipe()
        close(ends.reading)
        defer { close(ends.writing) }
        let failure = #expect(throws: CommandFailure.self) { try Output(descriptor: ends.writing).line("data") }
        #expect(failure?.exitCode == .failure)
    }

    @Test func `a pipe that does not block gets everything`() async throws {
        let ends = try pipe()
        try #require(fcntl(ends.writing, F_SETFL, O_NONBLOCK) == 0)
        let text = (0..<40_000).map { "line \($0)\n" }.joined()
        // A thread of its own reads, and only what the pipe holds at a time.
        let read = Task.detached { () -> String in
            let handle = FileHandle(fileDescriptor: ends.reading, closeOnDealloc: true)
            var all = Data()
            while let part = try handle.read(upToCount: 4_096), !part.isEmpty { all += part }
            return String(decoding: all, as: UTF8.self)
        }
        try Output(descriptor: ends.writing).write(text)
        close(ends.writing)
        #expect(try await read.value == text)
    }

    @Test func `a closed standard output is an error, and its number is given to nothing else`() async throws {
        // The next thing that is opened would get the number of standard output, and the data with it.
        let program = try #require(ProgramPath.tenure)
        let outcome = try await Program("/bin/sh", ["-c", "exec \"$0\" --version 2>&1 >&-", program])()
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("standard output could not be written: Bad file descriptor"))
    }

    @Test(arguments: [["--help"], ["--version"], ["doctor", "--json"], ["doctor"], ["help", "replay"]])
    func `a command whose data were not written fails and says why`(arguments: [String]) async throws {
        let program = try #require(ProgramPath.tenure)
        let outcome = try await Program(
            "/bin/sh", ["-c", "exec \"$0\" \"$@\" 2>&1 >/dev/full", program] + arguments)()
        #expect(outcome.status == 1)
        #expect(outcome.output.contains("standard output could not be written: No space left on device"))
    }
}

/// The built program, beside the test bundle.
enum ProgramPath {
    static var tenure: String? {
        let directory = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let path = directory.appendingPathComponent("tenure").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }
}
