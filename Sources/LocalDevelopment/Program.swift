import Foundation
import HTTPLimits
import Subprocess

#if canImport(System)
import System
#else
import SystemPackage
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

    let path: String
    /// The arguments, without the program's name.
    let arguments: [String]
    /// The whole environment of the program.
    var environment = ["PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C"]

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
    /// The output goes to a file, because a daemon that the program starts would keep a pipe open.
    ///
    /// - Throws: ``DevelopmentFailure`` if the program cannot be started.
    func callAsFunction() async throws -> Outcome {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("tenure-\(UUID().uuidString).out").path
        let descriptor = FileDescriptor(rawValue: try SecretFile.create(at: file))
        defer { try? FileManager.default.removeItem(atPath: file) }
        let status = try await end(input: .none, output: .fileDescriptor(descriptor, closeAfterSpawningProcess: true))
        let data = (try? Data(contentsOf: URL(fileURLWithPath: file))) ?? Data()
        return Outcome(status: status, output: String(decoding: data, as: UTF8.self))
    }

    /// Runs the program to its end, with both outputs in one file. Cancelling the task does not end the program: a
    /// server that is being stopped has to be stopped.
    ///
    /// - Returns: The exit code, or 128 plus the number of the signal that ended the program.
    /// - Throws: ``DevelopmentFailure`` if the program cannot be started.
    func end(input: some InputProtocol, output: FileDescriptorOutput) async throws -> Int32 {
        let command = Self.command(path, arguments, descriptors: DescriptorLimit.ofChildren)
        let variables = environment.map { (Environment.Key(stringLiteral: $0.key), $0.value) }
        var options = PlatformOptions()
        // A Ctrl-C at the terminal must not reach it.
        options.createSession = true
        let configuration = Configuration(
            executable: .path(FilePath(command[0])), arguments: Arguments(Array(command.dropFirst())),
            environment: .custom(Dictionary(uniqueKeysWithValues: variables)), platformOptions: options)
        let ending = Task {
            try await Subprocess.run(configuration, input: input, output: output, error: .combinedWithOutput)
                .terminationStatus
        }
        do {
            switch try await ending.value {
            case .exited(let code): return code
            case .signaled(let signal): return 128 + signal
            }
        } catch let error as SubprocessError {
            throw DevelopmentFailure(.unreachable, "\(path) could not be started: \(error)")
        }
    }

    /// Returns the program with its arguments. If this process has raised its limit of descriptors, the shell sets the
    /// old one before it becomes the program.
    static func command(_ path: String, _ arguments: [String], descriptors: Int?) -> [String] {
        // Without the program, the error is that of starting it, as it is without the shell.
        guard let descriptors, FileManager.default.isExecutableFile(atPath: path) else { return [path] + arguments }
        return ["/bin/sh", "-c", "ulimit -S -n \(descriptors) && exec \"$0\" \"$@\"", path] + arguments
    }
}
