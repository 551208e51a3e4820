import Foundation

/// Runs another program to its end.
struct Program: Sendable {
    /// What a program left behind.
    struct Outcome: Sendable {
        /// The exit code; 128 and the signal's number when a signal ended it.
        let status: Int32
        /// Standard output and standard error, as they came.
        let output: String
    }

    /// The path of the executable.
    let path: String
    /// The arguments, without the name.
    let arguments: [String]

    init(_ path: String, _ arguments: [String]) {
        self.path = path
        self.arguments = arguments
    }

    /// The same program, started by root as another user, and from a directory that this user may enter.
    func run(by owner: ClusterOwner) -> Program {
        guard owner.isOther else { return self }
        return Program("/usr/sbin/runuser", ["-u", owner.name, "--", "/usr/bin/env", "--chdir=/", path] + arguments)
    }

    /// Runs it in a session of its own, without the caller's environment.
    ///
    /// The output goes through a file: a pipe would stay open as long as a daemon that the program starts. Foundation's
    /// `Process` is not used for the same reason: it learns of an end by a descriptor that such a daemon keeps open.
    ///
    /// - Throws: ``CommandFailure`` when it cannot be started.
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
