import Canonical
import Foundation

/// A D-TA of the release program as a process of its own, whose memory is read from outside.
struct AuthorityProcess: Sendable {
    private let program: String
    private let directory: String

    /// The memory of a process, in bytes.
    struct Memory: Sendable {
        /// Everything that is resident, the program's own pages included.
        let resident: Double
        /// What is resident and comes from no file.
        let anonymous: Double
    }

    /// Creates the files of a D-TA with `tenure dta init`, and lists identities as issued.
    init(program: String, directory: String, issued: Int) async throws {
        self.program = program
        self.directory = directory
        _ = try await ChildProgram.output(of: program, ["dta", "init", "--directory", directory])
        let now = Timestamp.now()
        // The format of `MPinIssuedIdentities`: the digest of a point, a space, the time of the first issue.
        let lines = (0..<issued).map { "\(Hex.encode(MPinMasters.random(32))) \(now.adding(.microseconds($0)))\n" }
        let list = try FileHandle(forWritingTo: URL(fileURLWithPath: directory + "/issued"))
        try list.write(contentsOf: Data(lines.joined().utf8))
        try list.close()
    }

    /// Starts the D-TA, waits until it accepts connections, reads its memory and ends it; `nil` without `/proc`.
    func memory() async throws -> Memory? {
        let (program, directory) = (program, directory)
        return try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Memory?, any Error>) in
            // A queue of its own, because reading and waiting block a thread.
            DispatchQueue(label: "authority").async {
                continuation.resume(with: Result { try Self.serve(program, directory) })
            }
        }
    }

    private static func serve(_ program: String, _ directory: String) throws -> Memory? {
        let process = Process(), input = Pipe(), log = Pipe()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = ["dta", "serve", "--directory", directory, "--port", "0", "--until-input-ends"]
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = log
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        var words = ""
        while !words.contains("accepting connections") {
            let more = log.fileHandleForReading.availableData
            guard !more.isEmpty else { throw BenchError("the D-TA of \(directory) did not start:\n\(words)") }
            words += String(decoding: more, as: UTF8.self)
        }
        // By then the start has ended.
        Thread.sleep(forTimeInterval: 0.5)
        return memory(of: process.processIdentifier)
    }

    private static func memory(of process: Int32) -> Memory? {
        guard let status = try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8) else { return nil }
        func bytes(_ name: String) -> Double? {
            let line = status.split(separator: "\n").first { $0.hasPrefix(name + ":") }
            return line?.split(whereSeparator: { $0 == " " || $0 == "\t" }).compactMap { Double($0) }.first
                .map { $0 * 1_024 }
        }
        guard let resident = bytes("VmRSS"), let anonymous = bytes("RssAnon") else { return nil }
        return Memory(resident: resident, anonymous: anonymous)
    }
}
