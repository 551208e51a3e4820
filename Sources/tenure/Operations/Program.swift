import ArgumentParser
import Foundation
import HTTPLimits

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs another program and waits for its end.
struct Program: Sendable {
    /// The result of a program.
    struct Outcome: Sendable {
        /// The exit code, or 128 plus the number of the signal that ended it.
        let status: Int32
        /// Standard output and standard error, interleaved.
        let output: String
    }

    /// The path of the executable.
    let path: String
    /// The arguments, without the program's name.
    let arguments: [String]

    init(_ path: String, _ arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    /// Returns the program as root runs it for another user, from a directory that this user may enter.
    func run(by owner: ClusterOwner) -> Program {
        guard owner.isOther else { return self }
        return Program("/usr/sbin/runuser", ["-u", owner.name, "--", "/usr/bin/env", "--chdir=/", path] + arguments)
    }

    /// Runs the program in a new session, without the caller's environment.
    ///
    /// The output goes to a file, because a daemon that the program starts would keep a pipe open. Foundation's
    /// `Process` is not used for the same reason: it detects the end through a descriptor that such a daemon keeps
    /// open.
    ///
    /// - Throws: ``CommandFailure`` if the program cannot be started.
    func callAsFunction() async throws -> Outcome {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tenure-\(UUID().uuidString).out").path
        let handle = FileHandle(fileDescriptor: try SecretFile.create(at: file), closeOnDealloc: true)
        defer { try? FileManager.default.removeItem(atPath: file) }
        let child = try ChildProcess(
            path: path, arguments: arguments, environment: ["PATH=/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL=C"],
            output: handle.fileDescriptor)
        let status = await child.end()
        let data = (try? Data(contentsOf: URL(fileURLWithPath: file))) ?? Data()
        return Outcome(status: status, output: String(decoding: data, as: UTF8.self))
    }
}

/// A child process in a session of its own, so that a Ctrl-C at the terminal does not reach it.
struct ChildProcess: Sendable {
    private let id: pid_t
    /// The write end of the child's standard input, or -1.
    private let input: Int32

    /// `POSIX_SPAWN_SETSID`, which glibc's headers declare only for GNU programs.
    #if canImport(Darwin)
    private static let newSession = Int32(POSIX_SPAWN_SETSID)
    #else
    private static let newSession: Int32 = 0x80
    #endif

    /// Starts a program with both outputs in one file.
    ///
    /// - Parameter holdsInput: Whether the program's input ends when this process does, or by ``endInput()``.
    ///   Otherwise its input is empty.
    /// - Throws: ``CommandFailure`` if the program cannot be started.
    init(path: String, arguments: [String], environment: [String], output: Int32, holdsInput: Bool = false) throws {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        var attributes: posix_spawnattr_t?
        #else
        var actions = posix_spawn_file_actions_t()
        var attributes = posix_spawnattr_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let pipe = holdsInput ? try Self.pipe() : nil
        if let pipe {
            posix_spawn_file_actions_adddup2(&actions, pipe.reading, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        defer { if let pipe { close(pipe.reading) } }
        posix_spawn_file_actions_adddup2(&actions, output, 1)
        posix_spawn_file_actions_adddup2(&actions, output, 2)

        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        // The child must not inherit the signals that this process ignores or blocks.
        var all = sigset_t()
        var none = sigset_t()
        sigfillset(&all)
        sigemptyset(&none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setsigmask(&attributes, &none)
        let flags = Int32(POSIX_SPAWN_SETSIGDEF) | Int32(POSIX_SPAWN_SETSIGMASK) | Self.newSession
        posix_spawnattr_setflags(&attributes, Int16(flags))

        var id: pid_t = 0
        let command = Self.command(path, arguments, descriptors: DescriptorLimit.ofChildren)
        let failure = Self.withCStrings(command) { arguments in
            Self.withCStrings(environment) { posix_spawn(&id, command[0], &actions, &attributes, arguments, $0) }
        }
        guard failure == 0 else {
            if let pipe { close(pipe.writing) }
            throw CommandFailure(.unreachable, "\(path) could not be started: \(String(cString: strerror(failure)))")
        }
        self.id = id
        input = pipe?.writing ?? -1
    }

    /// Returns the program with its arguments. If this process has raised its limit of descriptors, the shell sets the
    /// old one before it becomes the program.
    static func command(_ path: String, _ arguments: [String], descriptors: Int?) -> [String] {
        // Without the program, the error is that of starting it, as it is without the shell.
        guard let descriptors, FileManager.default.isExecutableFile(atPath: path) else { return [path] + arguments }
        return ["/bin/sh", "-c", "ulimit -S -n \(descriptors) && exec \"$0\" \"$@\"", path] + arguments
    }

    /// Opens a pipe that no other child inherits.
    private static func pipe() throws -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard openPipe(&ends) == 0 else {
            throw CommandFailure(.failure, "no pipe could be opened: \(SecretFile.systemError())")
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Ends the input of a process whose input this process holds. Call it once.
    func endInput() {
        if input >= 0 { close(input) }
    }

    /// Waits for the end on a separate thread, so that the cooperative pool stays free.
    ///
    /// - Returns: The exit code, or 128 plus the number of the signal that ended the process.
    func end() async -> Int32 {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                var status: Int32 = 0
                while waitpid(id, &status, 0) == -1, errno == EINTR {}
                // All supported platforms have the same layout of a wait status.
                let signal = status & 0x7F
                continuation.resume(returning: signal == 0 ? (status >> 8) & 0xFF : 128 + signal)
            }
        }
    }

    /// Passes the texts as the null-terminated array of C strings that `posix_spawn` needs.
    private static func withCStrings(
        _ texts: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Int32
    ) -> Int32 {
        let copies = texts.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}

/// `pipe(2)` under another name, because the method above hides it.
private func openPipe(_ ends: inout [Int32]) -> Int32 { pipe(&ends) }

/// A TCP port on the loopback address.
enum LocalPort {
    /// Throws if another process listens on the port, before anything is started.
    static func requireFree(_ port: Int) throws {
        guard (1...65_535).contains(port) else {
            throw CommandFailure(.usage, "\(port) is not a port; use 1 to 65535")
        }
        guard let reason = failureToBind(UInt16(port)) else { return }
        if reason == EACCES {
            throw CommandFailure(
                .notPermitted, "port \(port) is reserved for root", remedy: "Choose one above 1023: make run PORT=8080")
        }
        throw CommandFailure(
            .unreachable, "another program uses port \(port) of 127.0.0.1",
            remedy:
                "Find it with: ss -ltnp 'sport = :\(port)'   or choose another port: make run PORT=\(port % 65_535 + 1)"
        )
    }

    /// Returns the reason why a server could not listen on an address; `nil` if it could. Nothing stays open.
    static func failureToListen(host: String, port: Int) -> ListenFailure? {
        var hints = addrinfo()
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        #if canImport(Darwin)
        hints.ai_socktype = SOCK_STREAM
        #else
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #endif
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, "\(port)", &hints, &list) == 0, let first = list else { return .addressUnknown }
        defer { freeaddrinfo(first) }
        let info = first.pointee
        let descriptor = socket(info.ai_family, info.ai_socktype, info.ai_protocol)
        guard descriptor >= 0 else { return ListenFailure(errno: errno) }
        defer { close(descriptor) }
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        guard bind(descriptor, info.ai_addr, info.ai_addrlen) == 0, listen(descriptor, 1) == 0 else {
            return ListenFailure(errno: errno)
        }
        return nil
    }

    /// Returns the error number of an attempt to listen on the port; `nil` on success.
    private static func failureToBind(_ port: UInt16) -> Int32? {
        #if canImport(Darwin)
        let kind = SOCK_STREAM
        #else
        let kind = Int32(SOCK_STREAM.rawValue)
        #endif
        let descriptor = socket(AF_INET, kind, 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        // As in the service: a lingering connection of the last run does not block the port.
        var yes: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { return errno }
        return listen(descriptor, 1) == 0 ? nil : errno
    }
}
