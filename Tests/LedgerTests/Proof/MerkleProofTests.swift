import Canonical
import Ledger
import Testing

@Suite struct MerkleProofTests {
    static let tree = TestTree(70)

    @Test func `every inclusion proof up to 70 leaves follows the definition and verifies`() async throws {
        for size in 1...70 {
            var prover = MerkleProver(size: Int64(size), source: Self.tree)
            #expect(try await prover.root() == Self.tree.root(size))
            for index in 0..<size {
                let path = try await prover.inclusion(of: Int64(index))
                #expect(path == TestTree.path(index, Self.tree.leaves[..<size]))
                let root = MerkleProof.root(
                    leaf: Self.tree.leaves[index], index: Int64(index), size: Int64(size), path: path)
                #expect(root == Self.tree.root(size))
            }
        }
    }

    @Test func `every consistency proof up to 70 leaves follows the definition and verifies`() async throws {
        for later in 0...70 {
            var prover = MerkleProver(size: Int64(later), source: Self.tree)
            for size in 0...later {
                let path = try await prover.consistency(from: Int64(size))
                if size > 0 { #expect(path == TestTree.subproof(size, Self.tree.leaves[..<later])) }
                #expect(Self.isConsistent(size, later, path))
            }
        }
    }

    /// Whatever is changed about a proof, it proves nothing any more.
    @Test func `a changed proof does not verify`() async throws {
        for size in [1, 2, 3, 5, 8, 31, 64, 70] {
            var prover = MerkleProver(size: Int64(size), source: Self.tree)
            let root = Self.tree.root(size)
            for index in 0..<size {
                let path = try await prover.inclusion(of: Int64(index))
                func found(_ leaf: [UInt8], _ index: Int, _ size: Int, _ path: [[UInt8]]) -> Bool {
                    MerkleProof.root(leaf: leaf, index: Int64(index), size: Int64(size), path: path) == root
                }
                let leaf = Self.tree.leaves[index]
                for changed in Self.changes(of: path) { #expect(!found(leaf, index, size, changed)) }
                #expect(!found(Self.tree.leaves[(index + 1) % 71 % 70], index, size, path) || size == 1 && index == 69)
                for other in -1...size where other != index { #expect(!found(leaf, other, size, path)) }
            }
            for earlier in 1..<max(size, 2) where earlier < size {
                let path = try await prover.consistency(from: Int64(earlier))
                for changed in Self.changes(of: path) { #expect(!Self.isConsistent(earlier, size, changed)) }
                for other in 1...size where other != earlier { #expect(!Self.isConsistent(other, size, path)) }
                var wrong = Self.tree.root(earlier)
                wrong[31] ^= 1
                #expect(
                    !MerkleProof.isConsistent(
                        size: Int64(earlier), root: wrong, laterSize: Int64(size), laterRoot: root, path: path))
            }
        }
    }

    @Test func `a proof of another length is refused`() {
        let leaf = Self.tree.leaves[0]
        #expect(MerkleProof.root(leaf: leaf, index: 0, size: 0, path: []) == nil)
        #expect(MerkleProof.root(leaf: leaf, index: 0, size: -1, path: []) == nil)
        #expect(MerkleProof.root(leaf: leaf, index: .max, size: .max, path: []) == nil)
        #expect(MerkleProof.root(leaf: leaf, index: 0, size: .max, path: []) == nil)
        #expect(MerkleProof.root(leaf: leaf, index: 0, size: 2, path: [[1]]) == nil)
        #expect(!MerkleProof.isConsistent(size: 3, root: leaf, laterSize: 2, laterRoot: leaf, path: []))
        #expect(!MerkleProof.isConsistent(size: -1, root: leaf, laterSize: 2, laterRoot: leaf, path: []))
    }

    /// Tiles of several levels: 66,000 leaves, asked in order and across borders.
    @Test func `proofs over several levels of tiles verify`() async throws {
        let tree = TestTree(66_000)
        let root = tree.root(66_000)
        var prover = MerkleProver(size: 66_000, source: tree)
        #expect(try await prover.root() == root)
        for index in [0, 1, 255, 256, 511, 40_000, 65_535, 65_536, 65_791, 65_999] {
            let path = try await prover.inclusion(of: Int64(index))
            #expect(
                MerkleProof.root(leaf: tree.leaves[index], index: Int64(index), size: 66_000, path: path) == root)
        }
        for size in [1, 255, 256, 257, 65_535, 65_536, 65_537, 65_999] {
            let path = try await prover.consistency(from: Int64(size))
            #expect(
                MerkleProof.isConsistent(
                    size: Int64(size), root: tree.root(size), laterSize: 66_000, laterRoot: root, path: path))
        }
        let error = await #expect(throws: ProofError.self) { try await prover.inclusion(of: 66_000) }
        #expect(error?.code == .beyondSize)
    }

    private static func isConsistent(_ size: Int, _ later: Int, _ path: [[UInt8]]) -> Bool {
        MerkleProof.isConsistent(
            size: Int64(size), root: tree.root(size), laterSize: Int64(later), laterRoot: tree.root(later), path: path)
    }

    /// Each hash flipped, the first or last left out, one added at each end, two exchanged.
    private static func changes(of path: [[UInt8]]) -> [[[UInt8]]] {
        let extra = MerkleTree.emptyRoot
        var changes = [path + [extra], [extra] + path]
        if !path.isEmpty { changes += [Array(path.dropFirst()), Array(path.dropLast())] }
        if path.count > 1 { changes.append([path[1], path[0]] + path.dropFirst(2)) }
        for index in path.indices {
            var changed = path
            changed[index][index % 32] ^= 0x80
            changes.append(changed)
        }
        return changes
    }
}

@Suite struct TlogProofTests {
    @Test func `a proof round-trips as a file`() async throws {
        let tree = TestTree(11), signer = try CheckpointTests.signer()
        let checkpoint = try signer.sign(CheckpointTests.ledger, size: 11, root: tree.root(11))
        var prover = MerkleProver(size: 11, source: tree)
        for index in 0..<11 {
            let proof = TlogProof(
                index: Int64(index), path: try await prover.inclusion(of: Int64(index)), checkpoint: checkpoint)
            let read = try TlogProof(parsing: proof.text)
            #expect(read == proof)
            try read.verify(entry: tree.entries[index], key: signer.key)
            #expect(throws: ProofError.self) { try read.verify(entry: tree.entries[(index + 1) % 11], key: signer.key) }
            #expect(throws: ProofError.self) {
                try read.verify(entry: tree.entries[index], key: try CheckpointTests.signer(8).key)
            }
        }
    }

    @Test func `a malformed proof file is refused`() async throws {
        let tree = TestTree(1), signer = try CheckpointTests.signer()
        let checkpoint = try signer.sign(CheckpointTests.ledger, size: 1, root: tree.root(1))
        let text = TlogProof(index: 0, path: [], checkpoint: checkpoint).text
        #expect(try TlogProof(parsing: text).path.isEmpty)
        for (old, new) in [
            ("@v1", "@v2"), ("index 0", "index 00"), ("index 0", "index"), ("index 0", "extra QQ==\nindex 0"),
            ("index 0\n", "index 0\nAAAA\n"), ("\n\n", "\n"),
        ] {
            let range = try #require(text.firstRange(of: old))
            #expect(throws: ProofError.self) { try TlogProof(parsing: text.replacingCharacters(in: range, with: new)) }
        }
    }
}

extension String {
    fileprivate func replacingCharacters(in range: Range<String.Index>, with text: String) -> String {
        String(self[..<range.lowerBound]) + text + String(self[range.upperBound...])
    }
}

/// A tree in memory over entries that tell their number, as a source of proofs and of what they must be.
struct TestTree: MerkleHashes {
    let entries: [[UInt8]]
    let leaves: [[UInt8]]

    init(_ size: Int, seed: String = "entry") {
        entries = (0..<size).map { Array("{\"\(seed)\":\($0)}".utf8) }
        leaves = entries.map(MerkleTree.leafHash)
    }

    func hashes(level: Int, _ indices: Range<Int64>) async throws -> [[UInt8]] {
        let width = 1 << (8 * level)
        return indices.map { MerkleTree.root(leaves: leaves[Int($0) * width..<(Int($0) + 1) * width]) }
    }

    func root(_ size: Int) -> [UInt8] { MerkleTree.root(leaves: leaves.prefix(size)) }

    /// PATH(m, D[n]) of RFC 6962 §2.1.1, word by word.
    static func path(_ index: Int, _ leaves: ArraySlice<[UInt8]>) -> [[UInt8]] {
        guard leaves.count > 1 else { return [] }
        let split = split(leaves.count)
        let left = leaves.prefix(split), right = leaves.dropFirst(split)
        return index < split
            ? path(index, left) + [MerkleTree.root(leaves: right)]
            : path(index - split, right) + [MerkleTree.root(leaves: left)]
    }

    /// SUBPROOF(m, D[n], b) of RFC 6962 §2.1.2, word by word.
    static func subproof(_ size: Int, _ leaves: ArraySlice<[UInt8]>, _ isWhole: Bool = true) -> [[UInt8]] {
        if size == leaves.count { return isWhole ? [] : [MerkleTree.root(leaves: leaves)] }
        let split = split(leaves.count)
        let left = leaves.prefix(split), right = leaves.dropFirst(split)
        return size <= split
            ? subproof(size, left, isWhole) + [MerkleTree.root(leaves: right)]
            : subproof(size - split, right, false) + [MerkleTree.root(leaves: left)]
    }

    private static func split(_ count: Int) -> Int {
        var split = 1
        while split * 2 < count { split *= 2 }
        return split
    }
}
