import Foundation
import Glibc

/// Crashes of the whole server.
extension ThrowawayCluster {
    /// How the server ends.
    public enum Crash: Sendable, CaseIterable {
        /// At once and without a checkpoint, as the server's own immediate shutdown does it.
        case stopped
        /// Every process of the server is killed, the first one first, so that none of them cleans up.
        case killed
    }

    /// Ends the server, starts it again, and returns when it has recovered and answers.
    public func crash(_ crash: Crash) async throws {
        switch crash {
        case .stopped: try await server("pg_ctl", ["-D", "\(directory)/data", "-m", "immediate", "-w", "stop"])
        case .killed: try await killEverything()
        }
        try await serve()
    }

    private func killEverything() async throws {
        let file = try String(contentsOfFile: "\(directory)/data/postmaster.pid", encoding: .utf8)
        guard let first = file.split(separator: "\n").first.flatMap({ Int32($0) }) else {
            throw TestServerError(description: "the server has no process")
        }
        kill(first, SIGKILL)
        // The next server refuses to start while one of this one's processes is there.
        for _ in 0..<1_200 {
            let processes = processes
            guard !processes.isEmpty || kill(first, 0) == 0 else { return }
            for process in processes { kill(process, SIGKILL) }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw TestServerError(description: "the server's processes do not end")
    }

    /// All processes of the server: those that work in its data directory.
    private var processes: [Int32] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int32($0) }.filter { process in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/cwd")) == "\(directory)/data"
        }
    }
}
