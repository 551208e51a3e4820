import Foundation
import Synchronization

/// The two D-TAs of a development service: two processes with a directory each, so that their masters never meet.
///
/// They listen on the two ports after the service's. Each ends when its standard input does, and therefore with this
/// process, however that ends.
package final class MPinDevelopmentAuthorities: Sendable {
    package static let count = 2

    /// One D-TA.
    private struct Member: Sendable {
        let port: Int
        let logFile: String
        let process: HeldProgram
    }

    private let members: [Member]
    private let isStopping = Mutex(false)

    private init(_ members: [Member]) { self.members = members }

    /// The addresses, in order.
    package static func addresses(after port: Int) -> [String] {
        ports(after: port).map { "http://127.0.0.1:\($0)" }
    }

    /// The files with the signing keys, in order.
    package static func signingKeyFiles(in state: StateDirectory) -> [String] {
        (1...count).map { directory($0, of: state) + "/signing.key" }
    }

    private static func directory(_ number: Int, of state: StateDirectory) -> String { state.path + "/dta-\(number)" }

    private static func ports(after port: Int) -> [Int] { (1...count).map { port + $0 } }

    /// Throws if a port of the D-TAs does not exist or is taken.
    package static func requireFreePorts(after port: Int) throws {
        guard port + count <= 65_535 else {
            throw DevelopmentFailure(
                .usage, "port \(port) leaves no room for the \(count) D-TAs, which take the ports after it",
                remedy: "Choose another port: make run PORT=8080")
        }
        for port in ports(after: port) { try LocalPort.requireFree(port) }
    }

    /// Creates D-TAs that do not exist yet, and starts all. It does not wait until they serve.
    ///
    /// - Parameters:
    ///   - program: The executable of `tenure`.
    ///   - state: The directory of the development service.
    ///   - port: The port of the service.
    package static func start(
        program: String = Bundle.main.executablePath ?? CommandLine.arguments[0], state: StateDirectory, port: Int
    ) async throws -> MPinDevelopmentAuthorities {
        var members: [Member] = []
        do {
            for (number, port) in zip(1..., ports(after: port)) {
                let directory = directory(number, of: state)
                if !FileManager.default.fileExists(atPath: directory + "/authority.json") {
                    let outcome = try await Program(program, ["dta", "init", "--directory", directory])()
                    guard outcome.status == 0 else {
                        throw DevelopmentFailure(.failure, "a D-TA could not be created: \(outcome.output)")
                    }
                }
                members.append(try start(program, directory: directory, port: port))
            }
        } catch {
            await MPinDevelopmentAuthorities(members).stop()
            throw error
        }
        return MPinDevelopmentAuthorities(members)
    }

    private static func start(_ program: String, directory: String, port: Int) throws -> Member {
        let logFile = directory + "/serve.log"
        // Each start has a log of its own.
        try SecretFile.replace(at: logFile, with: "")
        let process = try HeldProgram(
            path: program,
            arguments: ["dta", "serve", "--directory", directory, "--port", String(port), "--until-input-ends"],
            environment: [
                "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C", "SWIFT_BACKTRACE": "interactive=no",
            ], log: logFile)
        return Member(port: port, logFile: logFile, process: process)
    }

    /// Ends all and waits for their end. It may be called again.
    package func stop() async {
        let isFirst = isStopping.withLock { isStopping in
            defer { isStopping = true }
            return !isStopping
        }
        if isFirst { for member in members { member.process.endInput() } }
        for member in members { _ = try? await member.process.end() }
    }

    /// Runs `body` and then stops all. If one ends earlier, cancels `body` and throws a failure that names its log.
    package func run(_ body: @Sendable @escaping () async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for member in members {
                group.addTask { [self] in try await watch(member) }
            }
            group.addTask { [self] in
                try await body()
                await stop()
            }
            do {
                // Unlike waitForAll(), this throws as soon as the first task does.
                for try await _ in group {}
            } catch {
                // The group waits for those that watch the other processes, so these must end first.
                await stop()
                throw error
            }
        }
    }

    private func watch(_ member: Member) async throws {
        let status = try await member.process.end()
        guard isStopping.withLock({ !$0 }) else { return }
        throw DevelopmentFailure(
            .failure, "the D-TA on port \(member.port) ended with \(status)", remedy: "Its log is \(member.logFile).")
    }
}
