import Foundation

/// What memory-hard hashing costs on this machine: the reference implementation of Argon2id, by way of Python's
/// `argon2-cffi`, with the least parameters that OWASP's cheat sheet on storing passwords names for it first.
struct Argon2Cost: Sendable {
    private let python: String

    /// Nil, and said so, when the library is not there.
    init?(environment: [String: String]) {
        guard let python = environment["TENURE_BENCH_PYTHON"], !python.isEmpty else {
            Terminal.say("SKIPPED: argon2-cffi is not there, so nothing is held against Argon2id")
            return nil
        }
        self.python = python
    }

    /// Processor time of one hash in milliseconds while every core hashes, as every core works while log-ins are measured.
    func milliseconds() async throws -> Double {
        let cores = ProcessInfo.processInfo.activeProcessorCount
        let output = try await ChildProgram.output(of: python, ["-c", Self.program, String(cores)])
        guard let value = Double(output.trimmingCharacters(in: .whitespacesAndNewlines)), value > 0 else {
            throw BenchError("argon2-cffi did not measure anything:\n\(output)")
        }
        return value
    }

    private static let program = """
        import os, sys, time
        from argon2.low_level import Type, hash_secret_raw
        def one(): hash_secret_raw(b"a secret", b"sixteen bytes..!", 2, 19456, 1, 32, Type.ID)
        def measure():
            one()
            start = time.process_time()
            for _ in range(40): one()
            return (time.process_time() - start) * 1000 / 40
        readers = []
        for _ in range(int(sys.argv[1])):
            reader, writer = os.pipe()
            if os.fork() == 0:
                os.write(writer, str(measure()).encode())
                os._exit(0)
            os.close(writer)
            readers.append(reader)
        times = [float(os.read(reader, 100)) for reader in readers]
        print(sum(times) / len(times))
        """
}
