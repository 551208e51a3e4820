import Canonical

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes some entries of a checkpoint, each with its proof, one JSON object per line:
/// `{"entry":…,"index":…,"proof":[…]}`, where the entry is its exact bytes and hashes are base64.
struct PartLedgerWriter: BundlePartWriter {
    private let ledger: LedgerID
    private let checkpoint: Checkpoint
    private let file: OpenFile
    private var prover: MerkleProver
    private var last: Int64 = 0
    private var count: Int64 = 0
    private var waiting: [UInt8] = []

    static func fileName(_ ledger: LedgerID) -> String { "\(ledger)/entries.ndjson" }

    init(
        files: BundleFiles, ledger: LedgerID, checkpoint: Checkpoint, hashes: any MerkleHashes
    ) throws(ProofError) {
        self.ledger = ledger
        self.checkpoint = checkpoint
        prover = MerkleProver(size: checkpoint.size, source: hashes)
        file = OpenFile(try files.create(Self.fileName(ledger)))
    }

    mutating func append(_ entry: [UInt8], at position: Int64) async throws {
        guard position > last, position <= checkpoint.size else {
            throw ProofError(.bundleInvalid, "entries are bundled in order, up to the checkpoint")
        }
        let path = try await prover.inclusion(of: position - 1)
        let root = MerkleProof.root(
            leaf: MerkleTree.leafHash(entry), index: position - 1, size: checkpoint.size, path: path)
        guard root == checkpoint.root else {
            throw ProofError(
                .rootMismatch, "ledger \(ledger), position \(position): the entry is not the one that was signed")
        }
        waiting += BundleLine(entry: entry, index: position - 1, path: path).bytes
        last = position
        count += 1
        if waiting.count >= 1 << 18 { try flush() }
    }

    mutating func end() throws(ProofError) -> BundleManifest.Part {
        try flush()
        return BundleManifest.Part(ledger: ledger, content: .part, size: checkpoint.size, entries: count)
    }

    private mutating func flush() throws(ProofError) {
        try BundleFiles.write(waiting, to: file.descriptor)
        waiting.removeAll(keepingCapacity: true)
    }
}

/// An open file that closes itself.
final class OpenFile: Sendable {
    let descriptor: Int32
    init(_ descriptor: Int32) { self.descriptor = descriptor }
    deinit { close(descriptor) }
}
