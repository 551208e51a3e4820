extension BundleReader {
    /// Tiles first: the leaf hashes lead to the signed root, and then each bundle of entries to its tile.
    func readWhole(
        _ part: BundleManifest.Part, _ checkpoint: Checkpoint, _ body: (RecordedEvent) async throws -> Void
    ) async throws {
        let roots = try tileRoots(part, checkpoint)
        for (number, path) in TilePath.all(.entries, size: part.size).enumerated() {
            let first = path.index * MerkleTile.width + 1
            let bytes = try files.read("\(part.ledger)/\(path)", limit: Int(path.width) * (Entry.maximumLength + 2))
            let entries: [[UInt8]]
            do { entries = try EntryBundle.decode(bytes) } catch { throw refusal(part, first, error.reason) }
            guard entries.count == path.width else {
                throw refusal(part, first, "a bundle has another number of entries")
            }
            let leaves = entries.map(MerkleTree.leafHash)
            if MerkleTree.root(leaves: leaves) != roots[number] {
                throw mismatch(part, try firstDifference(part, path, leaves))
            }
            for (offset, entry) in entries.enumerated() {
                try await body(try event(entry, part, at: first + Int64(offset)))
            }
        }
    }

    /// The root over each tile of leaf hashes, once all of them lead to the checkpoint's root.
    private func tileRoots(_ part: BundleManifest.Part, _ checkpoint: Checkpoint) throws(ProofError) -> [[UInt8]] {
        var frontier = MerkleFrontier()
        var roots: [[UInt8]] = []
        for path in TilePath.all(.hashes(level: 0), size: part.size) {
            let hashes = try tile(part, path)
            for hash in hashes { frontier.append(hash) }
            roots.append(MerkleTree.root(leaves: hashes))
        }
        guard frontier.root == checkpoint.root else {
            throw ProofError(.rootMismatch, "ledger \(part.ledger): the tiles do not lead to the signed root")
        }
        return roots
    }

    private func tile(_ part: BundleManifest.Part, _ path: TilePath) throws(ProofError) -> [[UInt8]] {
        let bytes = try files.read("\(part.ledger)/\(path)", limit: Int(path.width) * 32)
        guard bytes.count == Int(path.width) * 32 else {
            throw refusal(part, path.index * MerkleTile.width + 1, "a tile has another size")
        }
        return stride(from: 0, to: bytes.count, by: 32).map { Array(bytes[$0..<$0 + 32]) }
    }

    private func firstDifference(
        _ part: BundleManifest.Part, _ path: TilePath, _ leaves: [[UInt8]]
    ) throws(ProofError) -> Int64 {
        let first = path.index * MerkleTile.width + 1
        guard let leafPath = TilePath(.hashes(level: 0), index: path.index, width: path.width) else { return first }
        let signed = try tile(part, leafPath)
        let offset = zip(leaves, signed).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? 0
        return first + Int64(offset)
    }
}
