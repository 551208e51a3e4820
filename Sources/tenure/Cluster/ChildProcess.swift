import ArgumentParser
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A process that this one started, in a session of its own: a Ctrl-C at the terminal does not reach it.
struct ChildProcess: Sendable {
    private let id: pid_t

    /// `POSIX_SPAWN_SETSID`, which the headers of Linux show to GNU programs only.
    #if canImport(Darwin)
    private static let newSession = Int32(POSIX_SPAWN_SETSID)
    #else
    private static let newSession: Int32 = 0x80
    #endif

    /// Starts a program with nothing to read and with both of its outputs in one file.
    ///
    /// - Throws: ``CommandFailure`` when the program cannot be started.
    init(path: String, arguments: [String], environment: [String], output: Int32) throws {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)

        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // What this process ignores or blocks, the child must not inherit.
        var all = sigset_t()
        var none = sigset_t()
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        let flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | Self.newSession
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var id: pid_t = 0
        let failure = Self.withCStrings([path] + arguments) { arguments in
            Self.withCStrings(environment) { posix_spawn(&id, path, &actions, &attributes, arguments, $0) }
        }
        guard failure == 0 else {
            throw CommandFailure(.unreachable, "\(path) could not be started: \(String(cString: strerror(failure)))")
        }
        self.id = id
    }

    /// Waits for the end on a thread of its own, so that the pool of the concurrency runtime stays free.
    ///
    /// - Returns: The exit code; 128 and the signal's number when a signal ended the process.
    func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(id, &status, 0) == -1, errno == EINTR {}
                // The layout of a wait status is the same on every platform that this builds for.
                let signal = status & 0x7F
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
            }
        }
    }

    /// Lends the texts as the null-terminated array of C strings that `posix_spawn` reads.
    private static func withCStrings(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32
    ) -> Int32 {
        let copies = texts.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
