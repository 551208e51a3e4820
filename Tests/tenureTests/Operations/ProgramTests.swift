import Foundation
import Testing

@testable import LocalDevelopment

@Suite struct ProgramTests {
    @Test func `a program returns output, errors and exit code`() async throws {
        let outcome = try await Program("/bin/sh", ["-c", "echo out; echo err >&2; exit 7"])()
        #expect(outcome.status == 7)
        #expect(outcome.output == "out\nerr\n")
    }

    @Test func `a signal gives the exit code 128 plus its number`() async throws {
        #expect(try await Program("/bin/sh", ["-c", "kill -TERM $$"])().status == 128 + 15)
    }

    @Test func `arguments are passed unchanged, and the environment is not`() async throws {
        let argument = "a b'c\"$HOME`id`\\\n*"
        let outcome = try await Program("/bin/sh", ["-c", "printf %s \"$1\"; echo; env", "-", argument])()
        #expect(outcome.output.hasPrefix(argument + "\n"))
        let rest = outcome.output.dropFirst(argument.count + 1).split(separator: "\n")
        #expect(
            Set(rest.map { $0.prefix { $0 != "=" } }).isSubset(of: ["LC_ALL", "PATH", "PWD", "OLDPWD", "SHLVL", "_"]))
    }

    @Test func `a daemon that outlives the program does not block it`() async throws {
        let start = ContinuousClock.now
        let outcome = try await Program("/bin/sh", ["-c", "sleep 30 & echo $!"])()
        #expect(outcome.status == 0)
        #expect(ContinuousClock.now - start < .seconds(20))
        let daemon = try #require(pid_t(outcome.output.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(daemon, SIGTERM) == 0)
    }

    @Test func `a child does not inherit ignored signals`() async throws {
        signal(SIGUSR2, SIG_IGN)
        let outcome = try await Program("/bin/sh", ["-c", "grep -E '^Sig(Ign|Blk)' /proc/self/status"])()
        let masks = try outcome.output.split(separator: "\n").map { line in
            try #require(UInt64(line.split(separator: "\t").last ?? "", radix: 16))
        }
        #expect(masks.count == 2)
        // The C library keeps signals 32 and 33 to itself.
        #expect(masks.map { $0 & 0x7FFF_FFFF } == [0, 0])
    }

    @Test func `a program that does not exist is named`() async throws {
        let failure = await #expect(throws: DevelopmentFailure.self) { try await Program("/nowhere/initdb", [])() }
        #expect(failure?.message.contains("/nowhere/initdb") == true)
        #expect(failure?.kind == .unreachable)
    }
}
