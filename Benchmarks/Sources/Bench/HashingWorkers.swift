import Foundation

/// One process for each core that hashes when it is asked to, as a service would that hashes for each log-in: the reference
/// implementation of Argon2id, by way of Python's `argon2-cffi`, with the least parameters that OWASP's cheat sheet on
/// storing passwords names for it first.
///
/// As many work at once as there are cores; who asks beyond that waits. They are processes of their own because that library is,
/// and share with the service what hashing in it would: processors, their caches, memory.
actor HashingWorkers {
    private struct Worker: Sendable {
        let process: Process
        let requests: FileHandle
        let answers: FileHandle
        let queue: DispatchQueue
    }

    private let workers: [Worker]
    private var idle: [Worker]
    private var waiting: [CheckedContinuation<Worker, Never>] = []

    /// The interpreter that has the library; nil, and said so, when it is not there.
    static func python(in environment: [String: String]) -> String? {
        if let python = environment["TENURE_BENCH_PYTHON"], !python.isEmpty { return python }
        Terminal.say("SKIPPED: argon2-cffi is not there, so nothing is held against Argon2id")
        return nil
    }

    /// Starts them.
    init(python: String) throws {
        workers = try (0..<ProcessInfo.processInfo.activeProcessorCount).map { number in
            let process = Process(), requests = Pipe(), answers = Pipe()
            process.executableURL = URL(fileURLWithPath: python)
            process.arguments = ["-c", Self.program]
            process.standardInput = requests
            process.standardOutput = answers
            try process.run()
            return Worker(
                process: process, requests: requests.fileHandleForWriting, answers: answers.fileHandleForReading,
                queue: DispatchQueue(label: "hashing-\(number)"))
        }
        idle = workers
    }

    /// The processes, whose processor time counts as the service's.
    nonisolated var processes: [Int] { workers.map { Int($0.process.processIdentifier) } }

    /// Hashes once.
    func hash() async throws {
        let worker = await take()
        defer { give(worker) }
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            // A queue of its own, because reading blocks a thread.
            worker.queue.async {
                continuation.resume(
                    with: Result {
                        try worker.requests.write(contentsOf: [0x2e])
                        guard try worker.answers.read(upToCount: 1)?.count == 1 else {
                            throw BenchError("a process that hashes has ended")
                        }
                    })
            }
        }
    }

    /// Ends them.
    func stop() {
        for worker in workers {
            try? worker.requests.close()
            worker.process.waitUntilExit()
        }
    }

    private func take() async -> Worker {
        if let worker = idle.popLast() { return worker }
        return await withCheckedContinuation { waiting.append($0) }
    }

    private func give(_ worker: Worker) {
        if waiting.isEmpty { idle.append(worker) } else { waiting.removeFirst().resume(returning: worker) }
    }

    private static let program = """
        import os
        from argon2.low_level import Type, hash_secret_raw
        while os.read(0, 1):
            hash_secret_raw(b"a secret", b"sixteen bytes..!", 2, 19456, 1, 32, Type.ID)
            os.write(1, b".")
        """
}
