import Foundation

/// A directory of a test's own, and the `openssl` command run on files in it.
struct TemporaryFiles {
    /// A command that failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private let directory: URL

    init() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent(
            "tenure-scenario-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: false)
    }

    /// The path of a file of that name.
    func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

    /// Removes the directory.
    func remove() { try? FileManager.default.removeItem(at: directory) }

    /// Runs `openssl` and expects success.
    func openssl(_ arguments: String...) throws {
        let status = try run(arguments)
        guard status == 0 else { throw Failure(description: "openssl \(arguments.first ?? "") ended with \(status)") }
    }

    /// Runs `openssl` and tells its status.
    func status(_ arguments: String...) throws -> Int32 { try run(arguments) }

    private func run(_ arguments: [String]) throws -> Int32 {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return process.terminationStatus
    }
}
