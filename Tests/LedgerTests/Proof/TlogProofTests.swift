import Ledger
import Testing

@Suite struct TlogProofTests {
    @Test func `a proof is a file of its own`() async throws {
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

    @Test func `another form is refused`() async throws {
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
