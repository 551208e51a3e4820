import Canonical
import Foundation
import Testing

@testable import Ledger

/// What we sign, write and prove, judged by golang.org/x/mod (Debian's golang-go and golang-golang-x-mod-dev).
@Suite struct IndependentTests {
    private static let module = "/usr/share/gocode/src/golang.org/x/mod/sumdb/tlog"
    private static let go = ["/usr/bin/go", "/usr/local/go/bin/go"].first {
        FileManager.default.isExecutableFile(atPath: $0)
    }
    private static let canCheck = go != nil && FileManager.default.fileExists(atPath: module)

    private static func run(_ arguments: [String], in directory: String) throws -> (status: Int32, output: String) {
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: arguments[0])
        process.arguments = Array(arguments.dropFirst())
        process.environment = [
            "GO111MODULE": "off", "GOPATH": "/usr/share/gocode", "GOCACHE": directory + "/cache", "HOME": directory,
            "PATH": "/usr/bin:/bin", "GOFLAGS": "",
        ]
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return (process.terminationStatus, text)
    }

    /// A log with proofs for some of its entries and consistency proofs from some of its sizes.
    private static func write(_ log: BundleTests.Log, to directory: String) async throws {
        let size = Int64(log.entries.count), signer = try CheckpointTests.signer()
        try await BundleTests.write(log, .whole, positions: Array(1...size), to: directory)
        let place = "\(directory)/\(BundleTests.ledger)"
        let checkpoint = try log.checkpoint(signer)
        var prover = MerkleProver(size: size, source: log)
        for index in Set([0, 1, 254, 255, 256, 300, size / 2, size - 1]) where index < size {
            let proof = TlogProof(index: index, path: try await prover.inclusion(of: index), checkpoint: checkpoint)
            try proof.text.write(toFile: "\(place)/\(index).tlog-proof", atomically: true, encoding: .utf8)
        }
        var lines = ""
        for earlier in Set([1, 2, 3, 255, 256, 257, size - 1, size]) where (1...size).contains(earlier) {
            let root = MerkleTree.root(leaves: log.leaves.prefix(Int(earlier)))
            let words = [root] + (try await prover.consistency(from: earlier))
            lines += "\(earlier) " + words.map(Base64.encode).joined(separator: " ") + "\n"
        }
        try lines.write(toFile: "\(place)/consistency", atomically: true, encoding: .utf8)
    }

    @Test(
        .enabled(if: canCheck, "NOT TESTED: Go with golang.org/x/mod is not there (golang-go golang-golang-x-mod-dev)"),
        .timeLimit(.minutes(5)))
    func `golang.org/x/mod accepts our notes, tiles and proofs, and refuses changed ones`() async throws {
        let go = try #require(Self.go)
        try await TemporaryBundle.with { directory in
            let home = URL(fileURLWithPath: directory).deletingLastPathComponent().path
            let checker = home + "/check"
            let source = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("check.go")
            let built = try Self.run([go, "build", "-o", checker, source.path], in: home)
            #expect(built.status == 0, "\(built.output)")
            let key = try CheckpointTests.signer().key.text(for: BundleTests.ledger)
            for size in [1, 2, 255, 256, 257, 700] {
                let place = "\(directory)-\(size)"
                try await Self.write(try BundleTests.Log(size), to: place)
                let log = "\(place)/\(BundleTests.ledger)"
                let good = try Self.run([checker, key, log], in: home)
                #expect(good.status == 0 && good.output.hasPrefix("ok \(size) "), "\(size): \(good.output)")
                let wrongKey = try CheckpointTests.signer(8).key.text(for: BundleTests.ledger)
                #expect(try Self.run([checker, wrongKey, log], in: home).status == 1)
                for file in ["checkpoint", "0.tlog-proof", "consistency"] {
                    let url = URL(fileURLWithPath: "\(log)/\(file)")
                    let bytes = try Data(contentsOf: url)
                    var changed = bytes
                    // A digit of the first hash or of the root, never white space.
                    let offset = file == "consistency" ? 5 : bytes.count / 2
                    changed[offset] = changed[offset] == UInt8(ascii: "A") ? UInt8(ascii: "B") : UInt8(ascii: "A")
                    try changed.write(to: url)
                    #expect(try Self.run([checker, key, log], in: home).status == 1, "\(size) \(file)")
                    try bytes.write(to: url)
                }
            }
        }
    }
}
